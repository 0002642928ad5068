"""Finished ranges of a recording as whole rows: what `op`, `wide_op` and `op_form` say together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.batches.recorded import RECORDED

OP_TABLES = ("op", "wide_op")
_OF_FORM = ("forward_thread_no", "end_thread", "stack", "module", "dtypes", "shapes", "scope", "is_async")
_MOST_AHEAD = 1024  # numbers of forms come one after the other; a damaged one must not cost memory


class OpForms:
    """Batches of table `op_form`, to look the forms up by their numbers.

    >>> form = pa.RecordBatch.from_pylist([dict.fromkeys(RECORDED["op_form"].names, 1)], RECORDED["op_form"])
    >>> op = dict(start_ticks=5, duration_ticks=2, sequence_no=-1, name=3, form=1, thread=9, depth=0)
    >>> (whole,) = OpForms([form]).whole(pa.RecordBatch.from_pylist([op], RECORDED["op"])).to_pylist()
    >>> whole["end_ticks"], whole["scope"], whole["tensors"]
    (7, 1, b'')
    """

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        schema = RECORDED["op_form"]
        missing = pa.record_batch([pa.array([0], field.type) for field in schema], schema)
        forms = pa.Table.from_batches([missing, *batches], schema).combine_chunks()
        number = forms.column("form").to_numpy()
        is_good = number < 4 * len(number) + _MOST_AHEAD
        # number -> row; the last, for all that are larger, has none
        self._row = np.zeros(int(number[is_good].max()) + 2, np.int64)
        self.missing = 0  # operators of forms that are not there
        self._row[number[is_good]] = np.flatnonzero(is_good)
        self._forms = forms.select(_OF_FORM).to_batches()[0]

    def whole(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch of `op` or `wide_op` with the columns of both and of the form.

        start_ticks, end_ticks, sequence_no (-1: none), name, thread, depth, tensors (empty: unknown), forward_thread_no
        (0: none), end_thread, stack, module, dtypes, shapes, scope, is_async.  A form that is missing leaves zeros.
        """
        form = np.minimum(batch.column("form").to_numpy(), np.uint32(len(self._row) - 1))
        row = self._row[form]
        self.missing += int((row == 0).sum())
        found = self._forms.take(pa.array(row))
        start, thread = batch.column("start_ticks"), batch.column("thread").cast(pa.uint32())
        tensors = (
            batch.column("tensors")
            if "tensors" in batch.schema.names
            else pa.repeat(pa.scalar(b"", pa.binary()), batch.num_rows)
        )
        columns = dict(zip(_OF_FORM, found.columns, strict=True))
        end_thread = columns["end_thread"]
        columns |= {
            "start_ticks": start,
            "end_ticks": pc.add(start, batch.column("duration_ticks").cast(pa.int64())),
            "sequence_no": batch.column("sequence_no").cast(pa.int64()),
            "name": batch.column("name"),
            "thread": thread,
            "depth": batch.column("depth"),
            "tensors": tensors,
            "end_thread": pc.if_else(pc.equal(end_thread, 0), thread, end_thread),
        }
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))

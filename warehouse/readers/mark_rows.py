"""Rows of marks and ranges of the program, wherever they were recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from warehouse.readers.issues import WARNING
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows


class MarkRows:
    """Takes `mark` batches in any order and gives them in order of time."""

    def __init__(self, run: RawRun) -> None:
        self._run = run
        self._marks = SortedRows(["start_ns", "-end_ns"], run.spill)

    def add(self, marks: pa.RecordBatch, table: str) -> None:
        """Take a batch; what ends before it starts is left out and noted as of `table`."""
        good = marks.column("end_ns").to_numpy() >= marks.column("start_ns").to_numpy()
        if not good.all():
            text = "marks that end before they start; they were left out"
            self._run.ledger.note(WARNING, "time-order", text, table=table, count=int((~good).sum()))
        self._marks.add(marks.filter(pa.array(good)))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """`mark` batches in order of time."""
        return self._marks.batches()

"""Marks of a recording: what the program marked itself, where records are missing, and the floating-point operations of
operators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.batches.recorded_inputs import BadInputsError, decode_inputs
from warehouse.readers.issues import WARNING
from warehouse.readers.mark_rows import MarkRows
from warehouse.readers.raw_rows import record, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.recorded_flops import DOMAIN, flops_of, is_counted

_MARKER, _RANGE = "marker", "start/end"


class RecordedMarks:
    """`mark` rows of a recording."""

    def __init__(self, run: RawRun) -> None:
        self._run = run
        self._marks = MarkRows(run)

    def load(self) -> None:
        """Read what was marked, and count what operators take if that was asked for."""
        recording = self._run.recording
        if recording is None:
            return
        words = np.array([self._run.strings.own(text) for text in (_MARKER, _RANGE)])
        for batch in recording.marks():
            number = batch.column("range_no").to_numpy()
            self._add(batch, words[(number != 0).astype(int)], number)
        for batch in recording.gaps():
            self._add(batch, int(words[1]), None)
        settings = recording.folder.facts.get("config")
        common = settings.get("common_config") if isinstance(settings, dict) else None
        if isinstance(common, dict) and common.get("with_flops") is True:
            self._count_flops()

    def _count_flops(self) -> None:
        recording = self._run.recording
        assert recording is not None
        word, domain = self._run.strings.own(_RANGE), self._run.strings.own(DOMAIN)
        damaged = 0
        for batch, names, inputs in recording.ops_with_inputs(is_counted):
            messages, places = [], []
            for place, (name, data) in enumerate(zip(names, inputs, strict=True)):
                try:
                    flops = flops_of(name, decode_inputs(data))
                except BadInputsError:
                    damaged += 1
                    continue
                if flops is not None:
                    messages.append(self._run.strings.own(f"{flops}-{name}"))
                    places.append(place)
            counted = batch.take(pa.array(places, pa.int64()))
            columns = {name: counted.column(name) for name in counted.schema.names}
            self._add(rows(len(places), **columns, message=np.array(messages, np.int64), domain=domain), word, None)
        if damaged:
            self._run.ledger.note(WARNING, "bad-inputs", "inputs of operators cannot be read", count=damaged)

    def _add(self, batch: pa.RecordBatch, event_type: object, range_no: object) -> None:
        columns = {name: batch.column(name) for name in ("pid", "tid", "end_pid", "end_tid", "message", "domain")}
        start, end = batch.column("start"), batch.column("end")
        made = record(
            "mark", batch.num_rows, start_ns=start, end_ns=end, event_type=event_type, range_no=range_no, **columns
        )
        self._marks.add(made, "mark")

    def marks(self) -> Iterator[pa.RecordBatch]:
        """`mark` batches in time order."""
        return self._marks.batches()

"""User marks (cann-files.md 4.3, msproftx)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.readers.mark_rows import MarkRows
from warehouse.readers.raw_calls import CallPart
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_rows import numbers, or_null, record
from warehouse.readers.raw_run import RawRun

_MARK_TYPES = {0: "marker", 1: "push/pop", 2: "start/end", 3: "marker_ex"}


class MarkPart:
    """`mark` rows."""

    def __init__(self, run: RawRun, names: Names, calls: CallPart, pid: int) -> None:
        self._run = run
        self._names = names
        self._calls = calls
        self._pid = pid
        self._marks = MarkRows(run)

    def load(self) -> None:
        """Decode the marks."""
        words = {number: self._run.strings.own(text) for number, text in _MARK_TYPES.items()}
        for _, _, batch in self._run.host_stream("additional.msproftx"):
            event, thread, process, category, domain = numbers(
                batch, "event_type", "mark_thread", "process", "category", "domain"
            )
            start, end = self._calls.ns(batch.column("start")), self._calls.ns(batch.column("end"))
            count = len(start)
            marks = record(
                "mark",
                count,
                start_ns=start,
                end_ns=end,
                pid=np.where(process > 0, process, self._pid),
                tid=thread,
                end_pid=np.where(process > 0, process, self._pid),
                end_tid=thread,
                event_type=[words.get(number) for number in event.tolist()],
                message=batch.column("message"),
                domain=or_null(self._names.of_hashes(domain)),
                category_no=category,
            )
            self._marks.add(marks, "msproftx")

    def marks(self) -> Iterator[pa.RecordBatch]:
        """`mark` batches in time order."""
        return self._marks.batches()

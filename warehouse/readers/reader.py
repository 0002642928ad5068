"""What every reader of one rank offers to ingest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pyarrow as pa

from warehouse.readers.issues import Ledger


class ProfileReader(Protocol):
    """Record batches of one rank (warehouse/batches/records.py); streams may be read in any order and again."""

    @property
    def ledger(self) -> Ledger:
        """What could not be taken."""

    def thread_names(self) -> dict[tuple[int, int], str]:
        """(pid, tid) -> what its program calls a thread, as far as that is known."""

    @property
    def has_queue(self) -> bool:
        """Whether the rank has a host task queue, so that launches are to be sought in its dequeues."""

    def read(self, kind: str) -> Iterator[pa.RecordBatch]:
        """Batches of a record kind; nothing if the source has none."""

    def counters(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""

    def metric_names(self) -> list[int]:
        """String numbers of the metrics in the order of the source."""

    def texts(self, numbers: list[int]) -> list[str]:
        """Texts of a few string numbers, "" for one without text."""

    def strings(self) -> Iterator[pa.RecordBatch]:
        """`string` batches, the numbers of each above those of the one before."""

    def words(self) -> pa.RecordBatch:
        """The `string` batch of the reader's own texts, numbered below zero; grows while streams are opened."""

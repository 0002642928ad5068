"""How far an ingest is, in bytes of its input."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from warehouse.readers.issues import Ledger

Progress = Callable[[str, int, int], None]  # what is read, bytes done, bytes in all
_DECODING = 0.5  # of the work on a raw profile


class RankProgress:
    """Bytes of one rank's input that are done: of a raw profile half when it is decoded, the rest as its records are
    loaded; of a database as its records are."""

    def __init__(self, total: int, report: Callable[[int], None]) -> None:
        self._total = total
        self._report = report
        self._decoded = 0.0  # share of the work
        self._loading = 1.0
        self._records = 0
        self._rows = 0

    def decoded(self, count: int) -> None:
        """So many bytes of a raw profile are decoded."""
        self._loading = 1 - _DECODING
        self._decoded = _DECODING * min(1.0, count / max(1, self._total))
        self._report(int(self._total * self._decoded))

    def found(self, ledgers: Iterable[Ledger]) -> None:
        """The records are counted: from now on they are loaded."""
        self._records = sum(ledger.total().records for ledger in ledgers)

    def loaded(self, rows: int) -> None:
        """So many more rows are written; a record makes about one."""
        self._rows += rows
        share = self._decoded + self._loading * min(1.0, self._rows / max(1, self._records))
        self._report(int(self._total * share))

    def finished(self) -> None:
        """All of the rank is written."""
        self._report(self._total)

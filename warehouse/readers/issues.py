"""What a reader could not take: issues, and a ledger that balances (read = loaded + rejected)."""

from __future__ import annotations

from dataclasses import dataclass, field

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass
class Issue:
    """One loss or doubt.  `count` records are concerned, `rejected` of them were left out; `first_offset` is the number
    (row, byte) of the first.  `bytes` of the input are unread for it, or of no use: of two, the worse has more."""

    severity: str
    code: str
    text: str
    table: str | None = None
    first_offset: int | None = None
    count: int = 1
    rejected: int = 0
    bytes: int = 0


@dataclass
class TableCount:
    """Records of one table of a source, and what became of them."""

    records: int = 0
    loaded: int = 0
    rejected: int = 0


@dataclass
class Ledger:
    """Counts a table and the issues of one source.

    >>> ledger = Ledger()
    >>> ledger.found("TASK", 3)
    >>> ledger.load("TASK", 2)
    >>> ledger.reject("TASK", 1, "time-order", "ends before it starts", first_offset=7)
    >>> ledger.balanced(), ledger.issues[0].rejected
    (True, 1)
    """

    tables: dict[str, TableCount] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)

    def found(self, table: str, records: int) -> None:
        self.tables.setdefault(table, TableCount()).records += records

    def load(self, table: str, records: int) -> None:
        self.tables.setdefault(table, TableCount()).loaded += records

    def load_rest(self, table: str) -> None:
        """Book what is neither loaded nor rejected as loaded: for dictionaries, which are read as a whole."""
        count = self.tables.setdefault(table, TableCount())
        count.loaded = count.records - count.rejected

    def reject(
        self, table: str, count: int, code: str, text: str, *, severity: str = WARNING, first_offset: int | None = None
    ) -> None:
        """Book `count` records as left out; the same code and text for the same table add up to one issue."""
        if count <= 0:
            return
        self.tables.setdefault(table, TableCount()).rejected += count
        issue = self.note(severity, code, text, table=table, count=count, first_offset=first_offset)
        issue.rejected += count

    def take_back(self, table: str, count: int, code: str, text: str) -> None:
        """Records that were handed over but found no place: booked as rejected instead of loaded."""
        if count > 0:
            self.tables.setdefault(table, TableCount()).loaded -= count
            self.reject(table, count, code, text)

    def note(
        self,
        severity: str,
        code: str,
        text: str,
        *,
        table: str | None = None,
        count: int = 1,
        first_offset: int | None = None,
    ) -> Issue:
        """An issue without rejection; the same code and text for the same table add up."""
        for issue in self.issues:
            if (issue.code, issue.text, issue.table) == (code, text, table):
                issue.count += count
                return issue
        issue = Issue(severity, code, text, table, first_offset, count)
        self.issues.append(issue)
        return issue

    def settle(self) -> None:
        """Book what no reader asked for as rejected, so that every table balances."""
        for name, count in self.tables.items():
            rest = count.records - count.loaded - count.rejected
            if rest > 0:
                self.reject(name, rest, "not-read", "no reader takes these records")

    def balanced(self) -> bool:
        return all(count.records == count.loaded + count.rejected for count in self.tables.values())

    def total(self) -> TableCount:
        """Sums over all tables."""
        counts = self.tables.values()
        return TableCount(
            sum(c.records for c in counts), sum(c.loaded for c in counts), sum(c.rejected for c in counts)
        )

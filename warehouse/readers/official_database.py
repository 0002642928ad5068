"""One official database as the reader's parts see it: its tables and columns, enumerations, and rows in batches."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from math import isfinite
from tempfile import gettempdir
from typing import Any

import pyarrow as pa

from warehouse.batches.records import RECORDS, batch
from warehouse.errors import InputError, WriteError
from warehouse.readers.input_file import shown
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.official_layout import ESSENTIAL, KNOWN, NO_PLACE, REQUIRED
from warehouse.readers.official_open import OfficialFile, folded, quoted
from warehouse.readers.plausible import LONGEST_NS, MOST_NS, is_slice

BATCH_ROWS = 4096
MISSING_32 = 4294967295
RUN_ALIAS, ROW_ALIAS = "npuwh_run", "npuwh_row"  # of our statements
_ALIASES = {"rowid", RUN_ALIAS, ROW_ALIAS}  # columns of these names would hide what our statements mean by them
_DICTIONARIES = ("STRING_IDS", "CONNECTION_IDS", "sqlite_sequence")


class OfficialDatabase:
    """Tables, enumerations and batches of one file, and the ledger that counts them.

    Statements are put together from names of the layout (never from the file); values are bound.
    """

    def __init__(self, file: OfficialFile, ledger: Ledger, *, counting: bool = True) -> None:
        self.file = file
        self.ledger = ledger
        self.connection = file.connection
        self.words: dict[str, int] = {}
        self._columns = {name: {folded(column) for column in columns} for name, columns in file.tables.items()}
        self._longest: dict[str, int] = {}
        self._taken: set[str] = set()
        for name, reason in file.skipped.items():
            if name in KNOWN:
                ledger.note(WARNING, "not-a-table", f"is no ordinary table ({reason}) and is not read", table=name)
        for name in file.tables:
            self._book(name, counting)
        self.texts = self._text_table()

    def _book(self, name: str, counting: bool) -> None:
        """Count a table's rows; refuse what is not part of the format or lacks what it needs."""
        records = self.value(f"SELECT count(*) FROM {quoted(name)}") if counting else 0
        self.ledger.found(name, records)
        if name not in KNOWN and not name.startswith("ENUM_"):
            self.ledger.reject(name, records, "unknown-table", "not part of the format", severity=INFO)
            return
        if name in NO_PLACE:
            self.ledger.reject(name, records, "no-place", NO_PLACE[name])
            return
        needed = ("id", "name") if name.startswith("ENUM_") else REQUIRED.get(name, ())
        missing = sorted(column for column in needed if folded(column) not in self._columns[name])
        hidden = sorted(_ALIASES & self._columns[name] - {folded(self.file.unique.get(name, ""))})
        if not missing and not (hidden and name in REQUIRED):
            self._taken.add(name)
            return
        text = f"has no column {', '.join(missing)}" if missing else f"has a column named {', '.join(hidden)}"
        if name in ESSENTIAL:
            raise InputError(
                f"{shown(self.file.path)}: table {name} {text}; the file is damaged or of an unknown version"
            )
        self.ledger.reject(name, max(records, 0), "missing-column" if missing else "unknown-column", text)

    def _text_table(self) -> str | None:
        """STRING_IDS, or where its ids are not unique (another tool wrote it) a TEMP copy with the first of each."""
        if not self.has("STRING_IDS"):
            return None
        if self.file.unique.get("STRING_IDS") == "id":
            return "main.STRING_IDS"
        self.run("CREATE TEMP TABLE string_text (id INTEGER PRIMARY KEY, value TEXT)")
        self.run(
            "INSERT OR IGNORE INTO temp.string_text SELECT id, value FROM main.STRING_IDS WHERE typeof(id) = 'integer'"
        )
        lost = self.ledger.tables["STRING_IDS"].records - self.value("SELECT count(*) FROM temp.string_text")
        self.ledger.reject("STRING_IDS", lost, "repeated", "has no number, or one that another text has")
        return "temp.string_text"

    def has(self, table: str) -> bool:
        return table in self._taken

    def has_column(self, table: str, column: str) -> bool:
        return table in self._taken and folded(column) in self._columns[table]

    def pick(self, table: str, *columns: str, alias: str = "t") -> str:
        """The first of the columns that the table has, as an expression; NULL if it has none."""
        for column in columns:
            if self.has_column(table, column):
                return f"{alias}.{quoted(column)}"
        return "NULL"

    def number(self, table: str, *columns: str, alias: str = "t", missing: int = MISSING_32) -> str:
        """As `pick`, with the format's mark for missing as NULL."""
        return f"nullif({self.pick(table, *columns, alias=alias)}, {missing})"

    def longest(self, table: str, start: str = "startNs", end: str = "endNs") -> int:
        """The duration (ns) that no slice of the table may exceed, so that their sum fits into 64 bits many times."""
        if table not in self._longest:
            self._longest[table] = LONGEST_NS
            start, end = f"CAST({start} AS INTEGER)", f"CAST({end} AS INTEGER)"
            statement = f"SELECT count(*), total({end} - {start}) FROM {table} WHERE {is_slice(start, end)}"
            count, total = self.run(statement).fetchone()
            if total > MOST_NS:
                self._longest[table] = MOST_NS // count
                text = f"slices last {total / 1e9:.3g} s together; none longer than {MOST_NS // count} ns is taken"
                self.ledger.note(WARNING, "long-slices", text, table=table)
        return self._longest[table]

    def is_slice(self, table: str, alias: str = "") -> str:
        """The condition that times of a row with startNs and endNs are plausible."""
        start, end = (f"CAST({alias}{column} AS INTEGER)" for column in ("startNs", "endNs"))
        return is_slice(start, end, self.longest(table))

    def value(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """First column of the first row."""
        row = self.run(statement, parameters).fetchone()
        return None if row is None else row[0]

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute; damage found on the way is an InputError."""
        try:
            return self.connection.execute(statement, parameters)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote the file, damage and all
            raise self._unreadable(error) from error

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[list[tuple[Any, ...]]]:
        """Rows in lists of bounded length."""
        cursor = self.run(statement, parameters)
        try:
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield rows
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote the file, damage and all
            raise self._unreadable(error) from error

    def all(self, statement: str) -> list[tuple[Any, ...]]:
        """All rows, where they are few."""
        return [row for rows in self.rows(statement) for row in rows]

    def _unreadable(self, error: Exception) -> BaseException:
        """The input's fault, unless SQLite was interrupted, or found no room for the temporary files it sorts in."""
        if str(error) == "interrupted":  # by Ctrl-C: see official_open
            return KeyboardInterrupt()
        if getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_WRITE" or "disk is full" in str(error):
            return WriteError(f"{gettempdir()}: no room for temporary files ({error}); set TMPDIR to a larger disk")
        return InputError(f"{shown(self.file.path)}: cannot be read ({error}); copy or export it again")

    def batches(self, kind: str, statement: str, parameters: Sequence[Any] = ()) -> Iterator[pa.RecordBatch]:
        """Batches of a record kind; the statement selects its columns in order, the last ones may be left out."""
        for rows in self.rows(statement, parameters):
            yield self.as_batch(kind, rows)

    def counted(
        self, kind: str, table: str, statement: str, valid: str, reason: tuple[str, str]
    ) -> Iterator[pa.RecordBatch]:
        """As `batches`, for a statement that reads the rows of one table that satisfy `valid`: books them as loaded and
        the others as rejected for the reason (code, text)."""
        bad, first = self.run(f"SELECT count(*), min(rowid) FROM {table} WHERE NOT ifnull({valid}, 0)").fetchone()
        self.ledger.reject(table, bad, *reason, first_offset=first)
        for each in self.batches(kind, statement):
            self.ledger.load(table, each.num_rows)
            yield each

    def as_batch(self, kind: str, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        """One batch of rows; values of the wrong type are cleaned, what a record cannot do without becomes 0."""
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        columns += [[None] * len(rows)] * (len(RECORDS[kind]) - len(columns))
        try:
            found = batch(kind, columns)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, ValueError):
            pass
        else:
            if all(field.nullable or not column.null_count for column, field in zip(found, RECORDS[kind], strict=True)):
                return found
        return batch(kind, [self._clean(column, field) for column, field in zip(columns, RECORDS[kind], strict=True)])

    def _clean(self, column: Sequence[Any], field: pa.Field) -> list[Any]:
        """Values as the column needs them: SQLite stores whatever was given, whatever a column declares."""
        convert = {pa.int64(): integer, pa.float64(): real, pa.string(): decoded}[field.type]
        cleaned = [convert(value) for value in column]
        lost = sum(new is None and old is not None for new, old in zip(cleaned, column, strict=True))
        if lost:
            self.ledger.note(WARNING, "bad-value", f"values of {field.name} are of the wrong type", count=lost)
        if not field.nullable and None in cleaned:
            default = "" if field.type == pa.string() else 0
            self.ledger.note(
                WARNING, "no-value", f"has no {field.name}; {default!r} is taken", count=cleaned.count(None)
            )
            cleaned = [default if value is None else value for value in cleaned]
        return cleaned

    def enumeration(self, table: str) -> dict[int, str]:
        """What the file's own ENUM table says, number to name."""
        if not self.has(table):
            return {}
        rows = self.all(f"SELECT id, name FROM {quoted(table)} WHERE typeof(id) = 'integer' AND name IS NOT NULL")
        return {number: decoded(name) or "" for number, name in rows}

    def word(self, text: str) -> int:
        """A string number of our own (below zero: the format has none there) for a text that is not in STRING_IDS."""
        return self.words.setdefault(text, -2 - len(self.words))

    def words_of(self, expression: str, names: dict[int, str]) -> str:
        """An expression that turns the numbers of an enumeration into string numbers; what has no name becomes NULL."""
        if not names or expression == "NULL":
            return "NULL"
        cases = " ".join(f"WHEN {number} THEN {self.word(name)}" for number, name in names.items())
        return f"CASE {expression} {cases} END"

    def book_dictionaries(self) -> None:
        """Dictionary tables are used through what points at them."""
        for name in self._taken:
            if name in _DICTIONARIES or name.startswith("ENUM_"):
                self.ledger.load_rest(name)


def are_integers(*columns: str) -> str:
    """A condition: SQLite stores whatever was given, whatever type a column declares.

    >>> are_integers("startNs", "endNs")
    "typeof(startNs) = 'integer' AND typeof(endNs) = 'integer'"
    """
    return " AND ".join(f"typeof({column}) = 'integer'" for column in columns)


def decoded(value: object) -> str | None:
    """A text value of a file, damage replaced.

    >>> decoded(b"aten::add"), decoded(None), decoded(12)
    ('aten::add', None, '12')
    """
    if value is None:
        return None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def integer(value: object) -> int | None:
    """An integer of 64 bits, also written as text or real; None for everything else.

    >>> integer(b"12"), integer(3.0), integer(b"x"), integer(2**63)
    (12, 3, None, None)
    """
    if isinstance(value, bytes):
        try:
            value = int(value)
        except ValueError:
            return None
    if isinstance(value, float):
        value = int(value) if abs(value) < 2**63 else None  # not a number compares false
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None


def real(value: object) -> float | None:
    """A finite number, also written as text; None for everything else.

    >>> real(b"1.5"), real(b"x"), real(float("inf"))
    (1.5, None, None)
    """
    try:
        number = None if value is None else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number is not None and isfinite(number) else None

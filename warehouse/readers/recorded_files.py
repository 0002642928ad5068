"""The chunks of a recording as batches of good records; every record and byte of them is booked, good or not."""

from __future__ import annotations

import filecmp
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from warehouse.batches.chunk_folder import Chunk, ChunkFolder, open_chunk_folder, read_chunk
from warehouse.batches.recorded_ops import OP_TABLES
from warehouse.readers.input_file import is_regular
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.recorded_sound import RecordCheck
from warehouse.readers.recorded_state import note_state
from warehouse.wording import counted

# kind of FRAMEWORK file -> tables of the recording
KINDS = {
    "op_range": OP_TABLES,
    "op_mark": ("queue_mark",),
    "memory_usage": ("memory",),
    "python_tracer_func": ("frame",),
    "python_tracer_hash": ("string",),
    "gc_record": ("gc",),
}
_KIND_OF = {table: kind for kind, tables in KINDS.items() for table in tables}
# tables that say what the records of others mean: of no use by themselves
_NOT_FOR_TABLES = ("parameter",)  # the memory timeline reads them from the recording
_REFERENCES = ("string", "thread", "anchor", "op_form")


class RecordedFiles:
    """`check` is to be set before anything but the tables of references is read."""

    def __init__(
        self, path: Path, ledgers: dict[Path, Ledger], bytes_of: dict[Path, tuple[int, int]], run_ledger: Ledger
    ) -> None:
        self.folder: ChunkFolder = open_chunk_folder(path)
        self.check: RecordCheck | None = None
        self.left_out: Counter[str] = Counter()  # records of each table so far, however often it was read
        self._ledgers = ledgers
        self._bytes_of = bytes_of
        self._run_ledger = run_ledger
        self._booked: set[Path] = set()
        self._note_unknown()
        self._leave_repeats()
        note_state(self.folder, run_ledger)

    def read(
        self, table: str, convert: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The good records of a table (batches/recorded.py), as `convert` makes them of its batches."""
        checked_as = "op" if table in OP_TABLES else table
        for chunk in self.folder.of(table):
            faults: Counter[str] = Counter()
            known = 0
            for batch in read_chunk(chunk):
                self.left_out[table] += chunk.lost_rows - known
                known = chunk.lost_rows
                found = batch if convert is None else convert(batch)
                if self.check is not None:
                    good, lost = self.check.good(checked_as, found)
                    if lost:
                        faults.update(lost)
                        self.left_out[table] += sum(lost.values())
                        found = found.filter(pa.array(good))
                if found.num_rows:
                    yield found
            self.left_out[table] += max(chunk.lost_rows - known, 0)
            self._book(chunk, faults)

    def is_whole(self, table: str) -> bool:
        """Whether nothing of a table is known to be missing; to be asked when it has been read."""
        is_listed = any(name.startswith(f"{table}-") for name in self.folder.missing)
        chunks = self.folder.of(table)
        return bool(chunks) and not is_listed and all(chunk.fault is None for chunk in chunks)

    @property
    def has_events(self) -> bool:
        """Whether there is anything beside what says what records mean."""
        return any(chunk.size for chunk in self.folder.chunks if chunk.table not in _REFERENCES)

    def book_rest(self) -> None:
        """Read what nobody asked for: what of it is as it was written, and that it is not used."""
        for chunk in self.folder.chunks:
            if chunk.path in self._booked:
                continue
            for _ in read_chunk(chunk):
                pass
            self._booked.add(chunk.path)
            ledger = self._ledgers.setdefault(chunk.path, Ledger())
            ledger.found(chunk.table, 0)
            if chunk.table not in _NOT_FOR_TABLES:
                text = f"{chunk.table} records are not read: no table holds them"
                ledger.note(INFO, "not-read", text, table=chunk.table, count=max(chunk.rows, 1))
            self._book_fault(chunk, chunk.table, ledger)

    def lose(self, table: str, count: int, code: str, text: str) -> None:
        """Book good records as left out after all."""
        if count:
            self._ledgers[self.folder.of(table)[0].path].take_back(_KIND_OF.get(table, table), count, code, text)

    def note(self, table: str, count: int, code: str, text: str) -> None:
        """Note that something of records of a table is not known."""
        if count:
            ledger = self._ledgers[self.folder.of(table)[0].path]
            ledger.note(WARNING, code, text, table=_KIND_OF.get(table, table), count=count)

    def _book(self, chunk: Chunk, faults: Counter[str]) -> None:
        if chunk.path in self._booked:
            return
        self._booked.add(chunk.path)
        kind = _KIND_OF.get(chunk.table, chunk.table)
        ledger = self._ledgers.setdefault(chunk.path, Ledger())
        ledger.found(kind, chunk.rows + chunk.lost_rows)
        ledger.load(kind, chunk.rows - faults.total())
        for text, count in faults.items():
            ledger.reject(kind, count, "impossible", f"records {text}")
        self._book_fault(chunk, kind, ledger)

    def _book_fault(self, chunk: Chunk, kind: str, ledger: Ledger) -> None:
        self._bytes_of[chunk.path] = (chunk.good_bytes, chunk.size - chunk.good_bytes)
        if chunk.fault is None:
            return
        severity = WARNING if chunk.is_complete or chunk.lost_rows else INFO
        if chunk.lost_rows:
            text = describe_fault(chunk)
            ledger.reject(kind, chunk.lost_rows, "torn-chunk", text, severity=severity, first_offset=chunk.first_fault)
        else:
            ledger.note(severity, "torn-chunk", describe_fault(chunk), table=kind, first_offset=chunk.first_fault)

    def _note_unknown(self) -> None:
        for path in self.folder.unknown:
            what = "a link" if path.is_symlink() else "no chunk of a recording" if is_regular(path) else "no file"
            ledger = self._ledgers.setdefault(path, Ledger()) if is_regular(path) else self._run_ledger
            ledger.note(WARNING, "unknown-file", f"{path.name} is not read: it is {what}")

    def _leave_repeats(self) -> None:
        """Chunks that are another one to the byte: what they hold would count twice."""
        firsts: dict[tuple[str, int], list[Chunk]] = {}
        for chunk in list(self.folder.chunks):
            same = firsts.setdefault((chunk.table, chunk.size), [])
            first = next((each for each in same if chunk.size and _are_equal(each.path, chunk.path)), None)
            if first is None:
                same.append(chunk)
                continue
            self.folder.chunks.remove(chunk)
            self._bytes_of[chunk.path] = (0, chunk.size)
            text = f"{chunk.path.name} repeats {first.path.name} to the byte: it is not read, or it would count twice"
            self._ledgers.setdefault(chunk.path, Ledger()).note(WARNING, "repeated-chunk", text)


def _are_equal(one: Path, other: Path) -> bool:
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False


def describe_fault(chunk: Chunk) -> str:
    """What is wrong with a chunk, and what it costs, as one line.

    >>> describe_fault(Chunk(Path("gc-1.arrows"), "gc", 1, True, size=90, good_bytes=80, fault="is odd", lost_rows=2))
    'gc-1.arrows is odd; 10 bytes rejected, with 2 records'
    """
    rows = f", with {counted(chunk.lost_rows, 'record')}" if chunk.lost_rows else ""
    return f"{chunk.path.name} {chunk.fault}; {counted(chunk.size - chunk.good_bytes, 'byte')} rejected{rows}"

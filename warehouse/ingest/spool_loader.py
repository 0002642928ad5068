"""A Loader that writes nothing: it hands rows over, with ids and strings counted from 1 for this rank alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from warehouse import _native
from warehouse.ingest.spool import Rows, SpoolWriter
from warehouse.store.interning import as_texts
from warehouse.store.loader import Column, Loader, row_count, writing_to
from warehouse.store.references import STACKS

NO_STRING = -1


class SpoolLoader(Loader):
    """For the process that decodes one rank; `send` takes what was written, in order, strings before their ids.  `path`
    is what a WriteError names."""

    def __init__(self, spool: SpoolWriter, path: Path, send: Callable[[Rows], None]) -> None:
        self.path = path
        self._spool = spool
        self._send = send
        self._texts = _native.TextIds()
        self._held: list[Rows] | None = None
        self.ids: Counter[str] = Counter()  # how many ids of each table were given

    def write(self, table: str, columns: Mapping[str, Column] | pa.RecordBatch) -> int:
        """As `Loader.write`."""
        given = self._checked(table, columns)
        if not given:
            return 0
        self._hand_over(table, given)
        return row_count(table, given)

    def _hand_over(self, table: str, columns: Mapping[str, Column]) -> None:
        with writing_to(self.path):
            rows = self._spool.write(table, columns)
        if self._held is None:
            self._send(rows)
        else:
            self._held.append(rows)

    def reserve(self, table: str, count: int) -> int:
        """As `Loader.reserve`."""
        self.ids[table] += count
        return self.ids[table] - count + 1

    def reserve_stacks(self, count: int) -> int:
        """As `Loader.reserve_stacks`."""
        return self.reserve(STACKS, count)

    def last_id(self, table: str) -> int:
        """As `Loader.last_id`; rows that were given no ids do not count."""
        return self.ids[table]

    def intern(self, values: Sequence[str | None]) -> list[int | None]:
        """As `Loader.intern`."""
        texts = as_texts(values)
        found, fresh = self._texts.ids(texts)
        if len(fresh):
            new = texts.take(pa.array(fresh))
            self._hand_over("string", {"value": new})
        return [None if each == NO_STRING else each for each in found.tolist()]

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """As `Loader.undoing`; one at a time."""
        place, last, ids, self._held = self._spool.place, self._texts.last, self.ids.copy(), []
        try:
            yield
        except BaseException:
            self._held = None
            self._spool.place, self.ids = place, ids
            self._texts.rewind(last)
            raise
        held, self._held = self._held, None
        for rows in held:
            self._send(rows)

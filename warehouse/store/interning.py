"""Text to ids of the table `string`, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pyarrow as pa

_CACHE_CHARACTERS = 16_000_000  # per half of the cache; a Python string costs a few tens of bytes more


class Strings:
    """Interns strings of one warehouse.

    The cache has a young and an old half: what is asked for moves to the young one; when that is full the old one is
    forgotten and the young one becomes old.  As long as nothing was ever forgotten (`_is_whole`), a string that is not
    in the cache is known to be new and needs no look-up.
    """

    def __init__(self, connection: sqlite3.Connection, cache_characters: int = _CACHE_CHARACTERS) -> None:
        self._connection = connection
        self._capacity = cache_characters
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._young_characters = 0
        self._last_id = 0
        self._is_whole = False
        self.forget()

    def forget(self) -> None:
        """Drop the cache, after rows of `string` were taken out by someone else."""
        self._young.clear()
        self._old.clear()
        self._young_characters = 0
        self._last_id = self._connection.execute("SELECT coalesce(max(id), 0) FROM string").fetchone()[0]
        self._is_whole = self._last_id == 0

    def intern(self, values: Sequence[str | None]) -> list[int | None]:
        """Ids of the values, in their order; new strings are added, None stays None."""
        ids: dict[str | None, int | None] = {None: None}
        missing: list[str] = []
        for value in dict.fromkeys(values):
            if value is None:
                continue
            known = self._young.get(value)
            if known is None:
                known = self._old.get(value)
                if known is None:
                    missing.append(value)
                    continue
                self._remember(value, known)
            ids[value] = known
        for value, new in zip(missing, self._add(missing), strict=True):
            ids[value] = new
            self._remember(value, new)
        return [ids[value] for value in values]

    def _add(self, missing: list[str]) -> list[int]:
        """Ids of distinct strings that the cache does not have."""
        texts = [storable(value) for value in missing]
        ids: list[int] = []
        new: list[tuple[int, str]] = []
        made: dict[str, int] = {}  # two that differ only in what cannot be stored are one
        for text in texts:
            found = made.get(text) or (None if self._is_whole and text.isascii() else self._look_up(text))
            if found is None:
                self._last_id += 1
                found = made[text] = self._last_id
                new.append((found, text))
            ids.append(found)
        self._connection.executemany("INSERT INTO string (id, value) VALUES (?, ?)", new)
        return ids

    def _look_up(self, text: str) -> int | None:
        row = self._connection.execute("SELECT id FROM string WHERE value = ?", [text]).fetchone()
        return row[0] if row else None

    def _remember(self, value: str, known: int) -> None:
        if self._young_characters > self._capacity:
            self._is_whole = self._is_whole and not self._old
            self._old, self._young = self._young, {}
            self._young_characters = 0
        self._young[value] = known
        self._young_characters += len(value) + 64


def storable(value: str) -> str:
    """SQLite holds UTF-8: what has no form in it (half of a surrogate pair, from a bad name) becomes U+FFFD."""
    if value.isascii():
        return value
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def as_texts(values: Sequence[str | None]) -> pa.Array:
    """Texts as a column, made storable.

    >>> as_texts(["a", None]).to_pylist()
    ['a', None]
    """
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([None if each is None else storable(each) for each in values], pa.large_string())

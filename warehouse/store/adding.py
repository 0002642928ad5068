"""More rows into a warehouse that is there, in one of two ways, either of which is seen whole or not at all.

Rows are always made by the bulk writer first, as for a new file.  Few of them go into a file beside the warehouse, and
from there in one transaction into it.  If they outweigh what is there, the warehouse is made anew instead: what is
there is copied, they follow, and the file takes the place of the old one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from warehouse.store.bulk_loader import AHEAD_BYTES, KEYS_BYTES, READ_BACK, BulkLoader, bulk_loader
from warehouse.store.copying import copy_rows
from warehouse.store.loader import Loader, writing_to
from warehouse.store.merging import merge
from warehouse.store.references import FIXED
from warehouse.store.removal import delete_failures, delete_rank
from warehouse.store.select import select
from warehouse.store.table_list import TABLES
from warehouse.store.unfinished import growing_name
from warehouse.store.writing import add_to, claim, new_tables, sync_folder

_NUMBERED = tuple(name for name in TABLES if name not in ("string", "kernel", *FIXED))


@dataclass(frozen=True)
class Removed:
    """What goes as other rows come: ranks by id, and failures of source files by path."""

    rank_ids: Sequence[int] = ()
    failed_paths: Sequence[str] = ()


@contextmanager
def more_rows(
    path: Path | str,
    removed: Removed = Removed(),
    added_bytes: int = 0,
    keys_bytes: int = KEYS_BYTES,
    ahead_bytes: int = AHEAD_BYTES,
) -> Iterator[Loader]:
    """A Loader of rows that come to the warehouse when the block ends well; nothing is changed if it does not.

    `added_bytes`: about how much comes, which decides the way it goes.  Others can read the warehouse meanwhile, not
    write to it.  `keys_bytes`, `ahead_bytes` as for `new_warehouse`, errors as of `add_to`.

    >>> with more_rows("W.db", Removed(rank_ids=[3])) as loader:  # doctest: +SKIP
    ...     loader.reserve("rank", 1)
    """
    path = Path(path)
    with add_to(path) as old:
        way = _made_anew if _may_be_made_anew(old, removed, added_bytes) else _merged
        with way(old, removed, keys_bytes, ahead_bytes) as loader:
            yield loader


def _may_be_made_anew(old: Loader, removed: Removed, added_bytes: int) -> bool:
    """Whether that is quicker and loses nothing: no other name of the file, no journal, no table or index of others."""
    facts = old.path.stat()
    ask = old.connection.execute
    if _goes_whole(old, removed):
        added_bytes = max(added_bytes, facts.st_size)
    elif removed.rank_ids:
        return False
    if added_bytes < facts.st_size or facts.st_nlink > 1 or facts.st_uid != os.geteuid():
        return False
    if ask("PRAGMA journal_mode").fetchone()[0] != "delete":
        return False
    if ask("SELECT count(*) = coalesce(max(id), 0) FROM string").fetchone() != (1,):
        return False
    everything = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name"
    with TemporaryDirectory() as folder, closing(new_tables(old.path, Path(folder) / "tables")) as fresh:
        return fresh.execute(everything).fetchall() == ask(everything).fetchall()


def _goes_whole(old: Loader, removed: Removed) -> bool:
    """Whether all ranks are removed."""
    ranks = {rank for (rank,) in old.connection.execute(*select("rank", ["id"]))}
    return ranks <= set(removed.rank_ids) and bool(ranks)


@contextmanager
def _made_anew(old: Loader, removed: Removed, keys_bytes: int, ahead_bytes: int) -> Iterator[BulkLoader]:
    path, growing = old.path, growing_name(old.path.resolve())
    lock = claim(path, growing)
    try:
        with bulk_loader(path, growing, lock, lambda at: new_tables(path, at), keys_bytes, ahead_bytes) as loader:
            if not _goes_whole(old, removed):
                copy_rows(old, loader, removed.failed_paths)
            yield loader
        with writing_to(path):
            os.fchmod(lock, path.stat().st_mode & 0o7777)
            os.fsync(lock)
            growing.replace(path.resolve())
        sync_folder(path.resolve().parent)
    except BaseException:
        growing.unlink(missing_ok=True)
        raise
    finally:
        os.close(lock)


@contextmanager
def _merged(old: Loader, removed: Removed, keys_bytes: int, ahead_bytes: int) -> Iterator[BulkLoader]:
    path, growing = old.path, growing_name(old.path.resolve())
    for rank_id in removed.rank_ids:
        delete_rank(old, rank_id)
    delete_failures(old, list(removed.failed_paths))
    last_ids = {table: old.last_id(table) for table in _NUMBERED}
    lock = claim(path, growing)
    try:
        with bulk_loader(
            path, growing, lock, lambda at: new_tables(path, at), keys_bytes, ahead_bytes, is_passing=True
        ) as loader:
            loader.go_on_after(last_ids, old.reserve_stacks(0))
            _show(old.connection, loader.connection)
            yield loader
        old.connection.execute(f"PRAGMA cache_size = -{(keys_bytes + ahead_bytes) >> 10}")
        with writing_to(path):
            merge(old.connection, growing, last_ids)
    finally:
        growing.unlink(missing_ok=True)
        os.close(lock)


def _show(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Rows that loading reads."""
    for table in READ_BACK:
        columns = TABLES[table].column_names
        marks = ", ".join("?" * len(columns))
        rows = old.execute(*select(table, columns, order=["id"]))
        new.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

"""Making a new warehouse and adding to one: either the whole change is seen by others, or none of it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from warehouse.errors import WriteError
from warehouse.store.bulk_loader import AHEAD_BYTES, KEYS_BYTES, bulk_loader
from warehouse.store.loader import Loader, writing_to
from warehouse.store.new_tables import make_tables
from warehouse.store.opening import listen_to_signals, open_write
from warehouse.store.registry import stale_views
from warehouse.store.unfinished import growing_name, is_unfinished
from warehouse.store.version import latest_version
from warehouse.write_faults import write_fault

FILE_MODE = 0o640


def create(path: Path | str) -> None:
    """Make an empty warehouse with all tables, indexes and views; WriteError if something is there already.

    >>> create("W.db")  # doctest: +SKIP
    """
    with new_warehouse(path):
        pass


@contextmanager
def new_warehouse(path: Path | str, keys_bytes: int = KEYS_BYTES, ahead_bytes: int = AHEAD_BYTES) -> Iterator[Loader]:
    """A Loader into a file that appears at `path` when the block ends well; nothing is left if it does not.

    The file grows beside its place as `<name>.tmp` (what an earlier, killed run left there is overwritten, but nothing
    that somebody else put there); its indexes are made at the end.  Only tables of `bulk_loader.READ_BACK` can be read
    while it grows.  WriteError: something is at `path`, or another process is writing it, or the disk is full.
    `keys_bytes`: memory for keys of indexes, which else wait on disk to be sorted; `ahead_bytes`: rows that may wait to
    be written.

    >>> with new_warehouse("W.db") as loader:  # doctest: +SKIP
    ...     loader.write("run", {"name": ["train"], "path": ["/data/train"]})
    """
    path = Path(path)
    growing = growing_name(path)
    if path.exists() or path.is_symlink():
        raise WriteError(f"{path}: is there already and is not overwritten")
    lock = claim(path, growing)
    try:
        with bulk_loader(path, growing, lock, lambda place: new_tables(path, place), keys_bytes, ahead_bytes) as loader:
            yield loader
        os.fsync(lock)
        _publish(growing, path)
    except BaseException:
        growing.unlink(missing_ok=True)
        raise
    finally:
        os.close(lock)  # only now: closing any handle of a file drops the locks SQLite holds on it


@contextmanager
def add_to(path: Path | str) -> Iterator[Loader]:
    """A Loader into an existing warehouse: one transaction in place, rolled back if the block raises or is killed.

    WarehouseFileError or WarehouseVersionError if it is none of ours or of this version, WriteError if another process
    is writing it or the disk is full.

    >>> with add_to("W.db") as loader:  # doctest: +SKIP
    ...     loader.last_id("rank")
    """
    path = Path(path)
    connection = _begun(path)
    try:
        try:
            yield Loader(connection, path)
            with writing_to(path):
                connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk may have rolled back on its own
                connection.execute("ROLLBACK")
            raise
    finally:
        connection.close()


def _begun(path: Path) -> sqlite3.Connection:
    """A connection in a transaction on the file that is at that place: while it waits for its turn to write, another
    one may come there (adding.py)."""
    while True:
        connection = open_write(path)
        try:
            before = path.stat()
            with writing_to(path):
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
            if os.path.samestat(before, path.stat()):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()


def upgrade(path: Path | str, migrations: Path | None = None) -> bool:
    """Bring an older warehouse to this version of npuwh, or its views to this wording, in one transaction.

    False if it was current and nothing was done.  `migrations` is another folder of revisions than npuwh's own (tests).
    WarehouseVersionError if the file is newer.

    >>> upgrade("W.db")  # doctest: +SKIP
    """
    path = Path(path)
    with closing(open_write(path, any_version=True)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == latest_version(migrations) and not stale_views(connection):
            return False
    _migrate(path, lambda: open_write(path, any_version=True), migrations)
    return True


def _migrate(path: Path, connect: Callable[[], sqlite3.Connection], migrations: Path | None = None) -> None:
    from warehouse.store.migrate import migrate  # brings Alembic, which nothing else needs

    with writing_to(path):
        migrate(connect, migrations)


def new_tables(path: Path, place: Path) -> sqlite3.Connection:
    """A database at `place` with all tables and views, for the warehouse `path`; closing it is the caller's.

    >>> new_tables(Path("W.db"), Path("W.db-tables")).close()  # doctest: +SKIP
    """
    connection = _connect_new(place)
    try:
        with writing_to(path):
            if not make_tables(connection):
                _migrate(path, lambda: _connect_new(place))
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_new(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    listen_to_signals(connection)
    connection.execute("PRAGMA journal_mode = MEMORY")
    connection.execute("PRAGMA synchronous = OFF")  # temporary
    return connection


def claim(path: Path, growing: Path) -> int:
    """Claim the place: an empty, locked `growing`; the lock ends with the process, so a stale file never blocks.

    Gives its handle, which is to be closed; WriteError for `path` if it cannot be had.

    >>> os.close(claim(Path("W.db"), Path("W.db.tmp")))  # doctest: +SKIP
    """
    try:
        handle = os.open(growing, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
    except OSError as error:
        in_the_way = f" as {growing.name}" if os.path.lexists(growing) else ""
        raise WriteError(f"{path}: cannot be made{in_the_way} {write_fault(error, '-o')}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not stat.S_ISREG(os.fstat(handle).st_mode) or not is_unfinished(handle):
            raise WriteError(
                f"{path}: grows as {growing.name}, and that is there and not ours: move it away, or give another -o"
            )
        os.ftruncate(handle, 0)
    except BlockingIOError as error:
        os.close(handle)
        text = f"{path}: is being made by another process ({growing.name} is locked); wait until it is done"
        raise WriteError(text) from error
    except OSError as error:
        os.close(handle)
        if isinstance(error, WriteError):
            raise
        raise WriteError(f"{path}: cannot be locked {write_fault(error, '-o')}") from error
    Path(f"{growing}-journal").unlink(missing_ok=True)
    return handle


def _publish(growing: Path, path: Path) -> None:
    """Give the finished file its name, which nobody else may have taken in the meantime."""
    try:
        os.link(growing, path)
    except FileExistsError:
        raise WriteError(f"{path}: was made by someone else meanwhile and is not overwritten") from None
    except OSError:  # a file system without hard links
        growing.rename(path)
    else:
        growing.unlink()
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make sure that names given in a folder outlast a loss of power.

    >>> sync_folder(Path("."))
    """
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

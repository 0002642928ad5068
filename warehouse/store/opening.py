"""Opening a warehouse file: is it one, is it of this version, and was it left in order?

Everything is asked through SQLite: a file handle of our own, when closed, would drop the locks that SQLite holds on
that file in this process.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from warehouse.errors import WarehouseFileError, WarehouseVersionError
from warehouse.store.alteration import altered_tables
from warehouse.store.reading import LOCKED
from warehouse.store.unfinished import left_beside
from warehouse.store.version import APPLICATION_ID, latest_version

_SMALLEST_BYTES = 512  # SQLite takes anything smaller for a database that is yet to be filled
_BUSY_SECONDS = 10.0
_STEPS_BETWEEN_SIGNALS = 1_000_000  # of SQLite's machine: some tens of milliseconds


def open_read(path: Path | str, *, query_only: bool = True, any_tables: bool = False) -> sqlite3.Connection:
    """A connection that cannot change the file; WarehouseFileError or WarehouseVersionError say why there is none.

    What a killed writer left behind (`-journal`, `-wal`) is rolled back or played in first, so that no half of a change
    is ever read.  `query_only=False` still cannot write the file, but allows objects in the connection's temp schema.
    A file whose tables are not as npuwh made them is refused, but for `any_tables` (to tell what is wrong).

    >>> open_read("W.db").execute("SELECT count(*) FROM op").fetchone()  # doctest: +SKIP
    (5154,)
    """
    path = Path(path)
    _check_file(path)
    _recover(path)
    connection = _connect(path, "ro")
    try:
        if _is_sealed(path, connection):
            connection.close()
            connection = _connect(path, "ro&immutable=1")
        _check_version(path, connection)
        if not any_tables:
            _check_tables(path, connection)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA threads = 2")  # for what is sorted: a join of 10 M rows takes a fifth less
        _defend(connection)
        if query_only:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def open_write(path: Path | str, *, any_version: bool = False) -> sqlite3.Connection:
    """A connection that may change an existing warehouse; in no transaction, BEGIN and COMMIT are the caller's.

    `any_version` also opens older ones (for the upgrade); newer ones never.  Errors as `open_read`.

    >>> open_write("W.db").close()  # doctest: +SKIP
    """
    path = Path(path)
    _check_file(path)
    connection = _connect(path, "rw")
    try:
        _check_version(path, connection, older=any_version)
        if not any_version:
            _check_tables(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def read_uri(path: Path | str) -> str:
    """How SQLite is told to open a warehouse that is only read.

    >>> read_uri(Path("a b.db")).endswith("/a%20b.db?mode=ro")
    True
    """
    return _uri(Path(path), "ro")


# what a connection of another making runs first, to be like one of `open_read` and to read one state of the file
READ_SETUP = ("PRAGMA query_only = ON", "BEGIN", "SELECT count(*) FROM sqlite_master")


@contextmanager
def one_state(connection: sqlite3.Connection) -> Iterator[bool]:
    """While the block runs, the connection reads one state of the file; gives whether others that begin meanwhile read
    the same one.

    In WAL mode they may not: a writer need not wait for readers there.

    >>> with one_state(open_read("W.db")) as is_one:  # doctest: +SKIP
    ...     is_one
    True
    """
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield mode != "wal"
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def is_warehouse(path: Path | str) -> bool:
    """Whether the file is a warehouse of ours: of any version, also while it is being written or needs repair.

    >>> is_warehouse("no such file")
    False
    """
    path = Path(path)
    try:
        _check_file(path)
        connection = _connect(path, "ro&immutable=1")  # asks for no lock; the mark it reads never changes
    except WarehouseFileError:
        return False
    try:
        return _pragma(connection, "application_id") == APPLICATION_ID
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    finally:
        connection.close()


def listen_to_signals(connection: sqlite3.Connection) -> None:
    """Let Python see Ctrl-C in the middle of a long statement, which then ends with the error "interrupted"."""
    connection.set_progress_handler(lambda: 0, _STEPS_BETWEEN_SIGNALS)


def _check_file(path: Path) -> None:
    try:
        if not path.exists():
            left = left_beside(path)
            raise WarehouseFileError(f"{path}: there is no such file{f' ({left})' if left else ''}")
        if not path.is_file():
            raise WarehouseFileError(f"{path}: is not a file; a warehouse is one SQLite file")
        size = path.stat().st_size
    except OSError as error:
        raise WarehouseFileError(f"{path}: cannot be read ({error.strerror or error})") from error
    if not size:
        raise WarehouseFileError(f"{path}: the file is empty, not a warehouse")
    if size < _SMALLEST_BYTES:
        raise WarehouseFileError(f"{path}: is not a warehouse (not a SQLite file)")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        # a reading connection may go to another thread (polars collects lazy frames in its own): SQLite serialises
        connection = sqlite3.connect(
            _uri(path, mode),
            uri=True,
            isolation_level=None,
            timeout=_BUSY_SECONDS,
            check_same_thread=mode == "rw",
        )
    except sqlite3.Error as error:
        raise WarehouseFileError(f"{path}: cannot be opened ({error})") from error
    listen_to_signals(connection)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.resolve()))}?mode={mode}"


def _has_content(path: Path, suffix: str) -> bool:
    beside = Path(f"{path.resolve()}{suffix}")
    return beside.exists() and beside.stat().st_size > 0


def _is_sealed(path: Path, connection: sqlite3.Connection) -> bool:
    """A file in WAL mode with nothing to play in, where SQLite may not make its `-shm`: a read-only folder or disk."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return "unable to open" in str(error) and not _has_content(path, "-wal")
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        pass  # not SQLite, or damaged: told by _check_version
    return False


def _recover(path: Path) -> None:
    """Let SQLite finish or undo what a killed writer left; a live writer's journal is locked and so left alone."""
    if not _has_content(path, "-journal") and not _has_content(path, "-wal"):
        return
    connection = _connect(path, "rw")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):
            raise WarehouseFileError(
                f"{path}: a writer was killed and left a journal that cannot be played back here ({error}); "
                "copy the file together with its -journal or -wal to a folder you can write, and open it there"
            ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise WarehouseFileError(f"{path}: is damaged ({error})") from error
    finally:
        connection.close()


def _check_version(path: Path, connection: sqlite3.Connection, *, older: bool = False) -> None:
    try:
        application_id = _pragma(connection, "application_id")
        version = _pragma(connection, "user_version")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # reads the schema: a torn file fails here
    except UnicodeDecodeError as error:  # SQLite quotes a damaged schema, and Python cannot read that
        raise WarehouseFileError(f"{path}: cannot be read as a warehouse (its schema is damaged)") from error
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise WarehouseFileError(f"{path}: {LOCKED}") from error
        raise WarehouseFileError(f"{path}: cannot be read as a warehouse ({error})") from error
    if application_id != APPLICATION_ID:
        raise WarehouseFileError(f"{path}: is a SQLite file, but not a warehouse made by npuwh")
    known = latest_version()
    if version > known:
        raise WarehouseVersionError(
            f"{path}: was made by a newer npuwh (file version {version}, this npuwh knows {known}); update npuwh"
        )
    if version < known and not older:
        raise WarehouseVersionError(
            f"{path}: is of file version {version}, this npuwh needs {known}; run `npuwh upgrade {path}`"
        )


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    try:
        found = altered_tables(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise WarehouseFileError(f"{path}: cannot be read as a warehouse ({error})") from error
    if found:
        more = f" (and {len(found) - 1} more; `npuwh check {path}` lists them)" if len(found) > 1 else ""
        raise WarehouseFileError(f"{path}: was altered: {found[0]}{more}; ingest its inputs into a new warehouse")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value = connection.execute(f"PRAGMA {name}").fetchone()[0]
    assert isinstance(value, int)
    return value


def _defend(connection: sqlite3.Connection) -> None:
    """Refuse writes to sqlite_master and shadow tables even by a crafted file; Python 3.12 was first to offer it."""
    configure = getattr(connection, "setconfig", None)
    if configure is not None:
        configure(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]

"""Opening a warehouse file: is it one, is it of this version, and was it left in order?"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from warehouse.errors import WarehouseFileError, WarehouseVersionError
from warehouse.store.migrate import latest_version
from warehouse.store.tables import APPLICATION_ID

_MAGIC = b"SQLite format 3\0"
_WAL_MODE = b"\2\2"  # read and write version, bytes 18 and 19 of the header
BUSY_SECONDS = 10.0


def open_read(path: Path | str, *, query_only: bool = True) -> sqlite3.Connection:
    """A connection that cannot change the file; WarehouseFileError or WarehouseVersionError say why there is none.

    What a killed writer left behind (`-journal`, `-wal`) is rolled back or played in first, so that no half of a change
    is ever read.  `query_only=False` still cannot write the file, but allows objects in the connection's temp schema.

    >>> open_read("W.db").execute("SELECT count(*) FROM op").fetchone()  # doctest: +SKIP
    (5154,)
    """
    path = Path(path)
    _check_header(path)
    _recover(path)
    connection = _connect(path, "ro")
    try:
        _check_version(path, connection)
        connection.execute("PRAGMA trusted_schema = OFF")
        _defend(connection)
        if query_only:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def open_write(path: Path | str, *, any_version: bool = False) -> sqlite3.Connection:
    """A connection that may change an existing warehouse; in no transaction, BEGIN and COMMIT are the caller's.

    `any_version` also opens older ones (for the upgrade); newer ones never.
    """
    path = Path(path)
    _check_header(path)
    connection = _connect(path, "rw")
    try:
        _check_version(path, connection, older=any_version)
    except BaseException:
        connection.close()
        raise
    return connection


def is_warehouse(path: Path | str) -> bool:
    """Whether the file is a warehouse of ours, of any version.

    >>> is_warehouse("no such file")
    False
    """
    path = Path(path)
    try:
        _check_header(path)
        connection = _connect(path, "ro")
    except WarehouseFileError:
        return False
    try:
        return _pragma(connection, "application_id") == APPLICATION_ID
    except sqlite3.Error:
        with path.open("rb") as file:  # a journal to roll back: the header tells as much as can be told
            return int.from_bytes(file.read(100)[68:72], "big") == APPLICATION_ID
    finally:
        connection.close()


def _check_header(path: Path) -> None:
    try:
        if not path.exists():
            raise WarehouseFileError(f"{path}: there is no such file")
        if not path.is_file():
            raise WarehouseFileError(f"{path}: is not a file; a warehouse is one SQLite file")
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise WarehouseFileError(f"{path}: cannot be read ({error.strerror or error})") from error
    if not header:
        raise WarehouseFileError(f"{path}: the file is empty, not a warehouse")
    if not header.startswith(_MAGIC) or len(header) < 100:
        raise WarehouseFileError(f"{path}: is not a warehouse (not a SQLite file)")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.resolve()))}?mode={mode}"
    if mode == "ro" and _is_sealed_wal(path):
        uri += "&immutable=1"
    try:
        return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    except sqlite3.Error as error:
        raise WarehouseFileError(f"{path}: cannot be opened ({error})") from error


def _is_sealed_wal(path: Path) -> bool:
    """A file in WAL mode with nothing to play in, where SQLite may not make its `-shm`: a read-only folder or disk."""
    with path.open("rb") as file:
        if file.read(20)[18:20] != _WAL_MODE or _has_content(path, "-wal"):
            return False
    try:
        probe = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
        try:
            probe.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            probe.close()
    except sqlite3.OperationalError:
        return True
    return False


def _has_content(path: Path, suffix: str) -> bool:
    beside = Path(f"{path.resolve()}{suffix}")
    return beside.exists() and beside.stat().st_size > 0


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
    except sqlite3.DatabaseError as error:
        raise WarehouseFileError(f"{path}: is damaged ({error})") from error
    finally:
        connection.close()


def _check_version(path: Path, connection: sqlite3.Connection, *, older: bool = False) -> None:
    try:
        application_id = _pragma(connection, "application_id")
        version = _pragma(connection, "user_version")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # reads the schema: a torn file fails here
    except sqlite3.DatabaseError as error:
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


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value = connection.execute(f"PRAGMA {name}").fetchone()[0]
    assert isinstance(value, int)
    return value


def _defend(connection: sqlite3.Connection) -> None:
    """Refuse writes to sqlite_master and shadow tables even by a crafted file; Python 3.12 was first to offer it."""
    configure = getattr(connection, "setconfig", None)
    if configure is not None:
        configure(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]

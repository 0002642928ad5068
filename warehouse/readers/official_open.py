"""Opening a database that others wrote: read-only, never through its own views and triggers, and watched for change.

A file beside which a non-empty `-wal` or `-journal` lies is not complete by itself: `immutable=1` would silently show
none of the rows still in it, and `mode=ro` would create a `-shm` beside it.  Such a set is copied and read there.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from warehouse.errors import InputError
from warehouse.readers.input_file import check_regular_file, open_regular, shown
from warehouse.readers.official_layout import KNOWN, REQUIRED

_MAGIC = b"SQLite format 3\0"
_SIDE_FILES = ("-wal", "-journal")
_LONGEST_TEXT = 64 << 20  # bytes of one value; a call stack has some kB


class OfficialFile:
    """A database opened for reading; `connection` is closed and a copy removed at the end of the `with` block.

    `tables` maps the name of each ordinary table to its stored columns; `skipped` names what is not ordinary (views,
    virtual tables, tables without rowid) with the reason.  InputError says what is wrong with the file.

    >>> with OfficialFile(Path("ascend_pytorch_profiler_0.db")) as file:  # doctest: +SKIP
    ...     "startNs" in file.tables["TASK"]
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: dict[str, frozenset[str]] = {}
        self.unique: dict[str, str] = {}
        self.skipped: dict[str, str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        check_regular_file(path)
        self._before = signature(path)
        self.connection = self._connect()
        try:
            self._defend()
            self._read_schema()
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the message quotes the file, damage and all
            self.close()
            raise InputError(
                f"{shown(path)}: cannot be read as a database ({error}); copy or export it again"
            ) from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> OfficialFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and remove the copy, if one was made."""
        self.connection.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def changed(self) -> bool:
        """Whether the file (or what lies beside it) is not what it was when it was opened."""
        return signature(self.path) != self._before

    def _connect(self) -> sqlite3.Connection:
        with open_regular(self.path) as file:
            header = file.read(100)
        if not header:
            raise InputError(f"{shown(self.path)}: the file is empty, not a profiler database")
        if not header.startswith(_MAGIC):
            raise InputError(f"{shown(self.path)}: is not a SQLite database")
        if len(whole(self.path)) > 1:
            target, options = self._copy(), "mode=rw"
        else:
            target, options = self.path, "mode=ro&immutable=1"
        try:
            return sqlite3.connect(f"file:{quote(os.fsencode(target))}?{options}", uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise InputError(f"{shown(self.path)}: cannot be opened ({error})") from error

    def _copy(self) -> Path:
        """The file and what belongs to it, in a temporary folder of ours where SQLite may write."""
        files = whole(self.path)
        self._folder = tempfile.TemporaryDirectory(prefix="npuwh-")
        need = sum(file.stat().st_size for file in files)
        free = shutil.disk_usage(self._folder.name).free
        try:
            if need > free:
                raise InputError(
                    f"{shown(self.path)}: has unfinished writes beside it and must be copied, but {self._folder.name} "
                    f"has {free >> 20} MiB free and {need >> 20} are needed; set TMPDIR to a larger disk"
                )
            for file in files:
                shutil.copyfile(file, Path(self._folder.name) / file.name)
        except OSError as error:
            self._folder.cleanup()
            raise InputError(f"{shown(self.path)}: cannot be copied to be read ({error})") from error
        except BaseException:
            self._folder.cleanup()
            raise
        return Path(self._folder.name) / self.path.name

    def _defend(self) -> None:
        run = self.connection.execute
        run("PRAGMA trusted_schema = OFF")
        run("PRAGMA cell_size_check = ON")
        run("PRAGMA mmap_size = 0")
        run("PRAGMA temp_store = FILE")
        run("PRAGMA cache_size = -1024")  # small on purpose: a large cache makes SQLite's sorts slower
        if hasattr(self.connection, "setlimit"):  # Python 3.11
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_TEXT)
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        # lets Python see Ctrl-C in the middle of a long sort, which then ends with the error "interrupted"
        self.connection.set_progress_handler(lambda: 0, 200_000)
        self.connection.text_factory = bytes  # decoded in one place, where damage can be repaired and counted

    def _read_schema(self) -> None:
        kinds = {
            bytes(name).decode("utf-8", "replace"): (bytes(kind).decode(), without_rowid)
            for schema, name, kind, _columns, without_rowid, _strict in self.connection.execute("PRAGMA table_list")
            if schema == b"main"
        }
        for name, (kind, without_rowid) in kinds.items():
            if name in ("sqlite_schema", "sqlite_master"):
                continue
            if kind != "table" or without_rowid:
                self.skipped[spelled(name)] = "table without rowid" if kind == "table" else kind
                continue
            columns = self.connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
            # hidden columns are computed by the file's own expressions
            table = spelled(name)
            self.tables[table] = frozenset(
                bytes(column[1]).decode("utf-8", "replace") for column in columns if not column[6]
            )
            keys = [column for column in columns if column[5]]
            if len(keys) == 1 and bytes(keys[0][2]).upper() == b"INTEGER":
                self.unique[table] = spelled(bytes(keys[0][1]).decode("utf-8", "replace"), REQUIRED.get(table, ()))


def spelled(name: str, known: Iterable[str] = KNOWN) -> str:
    """The name as the format writes it; to SQLite names that differ in the case of ASCII letters are the same.

    >>> spelled("task"), spelled("enum_api_type"), spelled("notes"), spelled("STARTNS", ["startNs"])
    ('TASK', 'ENUM_API_TYPE', 'notes', 'startNs')
    """
    if folded(name).startswith("enum_"):
        return name.upper() if name.isascii() else name
    return next((each for each in known if folded(each) == folded(name)), name)


def folded(name: str) -> str:
    """What SQLite compares: only ASCII letters lose their case.

    >>> folded("startNs"), folded("TAS\u212a") == "task"
    ('startns', False)
    """
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def quoted(name: str) -> str:
    """A name as SQL writes it.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def beside(path: Path, suffix: str) -> Path | None:
    """The non-empty file of that suffix beside the database, if there is one."""
    found = Path(f"{path}{suffix}")
    try:
        return found if stat.S_ISREG(found.stat().st_mode) and found.stat().st_size else None
    except OSError:
        return None


def whole(path: Path) -> list[Path]:
    """The file and the non-empty `-wal` and `-journal` beside it."""
    return [path, *(found for suffix in _SIDE_FILES if (found := beside(path, suffix)))]


def signature(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """(size, modification time in ns) of the file and of what may lie beside it; None for what is not there."""

    def one(file: Path) -> tuple[int, int] | None:
        try:
            facts = file.stat()
        except OSError:
            return None
        return facts.st_size, facts.st_mtime_ns

    return (one(path), *(one(Path(f"{path}{suffix}")) for suffix in _SIDE_FILES))

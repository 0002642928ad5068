"""Source files: what tells whether a file is the one that was ingested."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

from warehouse.errors import InputError
from warehouse.ingest.discover import RankInput
from warehouse.readers.input_file import is_regular, open_regular, resolved, shown
from warehouse.readers.official_open import whole
from warehouse.store import open_read, select

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Signature:
    """Size and modification time of a source."""

    size: int
    modified_ns: int


def signature(path: Path) -> Signature:
    """Size and time of the file together with a journal that belongs to it: rows may be in there alone."""
    try:
        facts = [file.stat() for file in whole(path)]
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read ({error.strerror or error})") from error
    return Signature(sum(each.st_size for each in facts), max(each.st_mtime_ns for each in facts))


def signatures(each: RankInput) -> dict[Path, Signature]:
    """Those of all files of an input that are files."""
    return {path: signature(path) for path, _ in each.files() if is_regular(path)}


class Fingerprints:
    """Hashes of the contents of files, reckoned in a thread of its own while the files are read for what is in them.

    >>> with Fingerprints([Path("README.md")]) as fingerprints:  # doctest: +SKIP
    ...     fingerprints.of(Path("README.md"))
    'blake2b:0123456789abcdef0123456789abcdef'
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._is_over = False
        self._thread = ThreadPoolExecutor(1, "fingerprints")
        self._found = {path: self._thread.submit(fingerprint, path, lambda: self._is_over) for path in paths}

    def __enter__(self) -> Fingerprints:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._thread.shutdown(cancel_futures=True)

    def of(self, path: Path) -> str:
        """That of one of the files, waiting for it; InputError if it cannot be read."""
        return self._found[path].result()


def fingerprint(path: Path, is_over: Callable[[], bool] = lambda: False) -> str:
    """Hash of the content, `blake2b:` and 32 hex digits; of a part of it, if it `is_over` meanwhile."""
    digest = blake2b(digest_size=16)
    try:
        for part in whole(path):
            with open_regular(part) as file:
                while not is_over() and (chunk := file.read(_CHUNK)):
                    digest.update(chunk)
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read ({error.strerror or error})") from error
    return f"blake2b:{digest.hexdigest()}"


@dataclass
class Existing:
    """Ranks of a warehouse by input path, and their sources by file path."""

    ranks: dict[str, int] = field(default_factory=dict)
    sources: dict[int, dict[str, tuple[int, int | None, str | None]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Existing:
        """What the warehouse at `path` holds."""
        existing = cls()
        connection = open_read(path)
        try:
            existing.ranks = dict(connection.execute(*select("rank", ["path", "id"])))
            columns = ["rank_id", "path", "size_bytes", "modified_ns", "fingerprint"]
            states = [("state", "in", ["used", "failed"]), ("rank_id", "<>", None)]
            for rank_id, name, *facts in connection.execute(*select("source", columns, states)):
                existing.sources.setdefault(rank_id, {})[name] = (facts[0], facts[1], facts[2])
        finally:
            connection.close()
        return existing

    def holds(self, rank_id: int, each: RankInput) -> bool:
        """Whether the input's files are those that were loaded: same set, and each of the same content."""
        known = self.sources.get(rank_id, {})
        files = {shown(resolved(path)): path for path, _ in each.files()}
        if files.keys() != known.keys():
            return False
        for name, path in files.items():
            size, modified_ns, content = known[name]
            if not is_regular(path):  # and neither was it then, if nothing is known of its content
                if content is not None:
                    return False
                continue
            now = signature(path)
            if now.size != size or (now.modified_ns != modified_ns and fingerprint(path) != content):
                return False
        return True

"""Source files: what tells whether a file is the one that was ingested."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from warehouse.errors import InputError
from warehouse.ingest.discover import RankInput
from warehouse.store import open_read, select

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Signature:
    """Size, modification time and, only when asked for, a hash of the content."""

    size: int
    modified_ns: int


def signature(path: Path) -> Signature:
    try:
        facts = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return Signature(facts.st_size, facts.st_mtime_ns)


def signatures(each: RankInput) -> dict[Path, Signature]:
    return {path: signature(path) for path, _ in each.files()}


def fingerprint(path: Path) -> str:
    """Hash of the content, `blake2b:` and 32 hex digits."""
    digest = blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    return f"blake2b:{digest.hexdigest()}"


@dataclass
class Existing:
    """Ranks of a warehouse by input path, and their sources by file path."""

    ranks: dict[str, int] = field(default_factory=dict)
    sources: dict[int, dict[str, tuple[int, int | None, str | None]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Existing:
        existing = cls()
        connection = open_read(path)
        try:
            existing.ranks = dict(connection.execute(*select("rank", ["path", "id"])))
            columns = ["rank_id", "path", "size_bytes", "modified_ns", "fingerprint"]
            for rank_id, name, *facts in connection.execute(*select("source", columns, [("state", "=", "used")])):
                existing.sources.setdefault(rank_id, {})[name] = tuple(facts)
        finally:
            connection.close()
        return existing

    def holds(self, rank_id: int, each: RankInput) -> bool:
        """Whether the input's files are those that were loaded: same set, and each of the same content."""
        known = self.sources.get(rank_id, {})
        files = {str(path.resolve()): path for path, _ in each.files()}
        if files.keys() != known.keys():
            return False
        for name, path in files.items():
            size, modified_ns, content = known[name]
            now = signature(path)
            if now.size != size or (now.modified_ns != modified_ns and fingerprint(path) != content):
                return False
        return True

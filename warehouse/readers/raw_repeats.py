"""Files that repeat another to the byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from warehouse.errors import InputError
from warehouse.readers.input_file import open_regular, size_of

_END = 1 << 12  # bytes at either end that tell most files apart
_CHUNK = 1 << 20


def repeats(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """(file, the first one with the same bytes) for every file that repeats one before it; what is empty, or cannot be
    read, repeats none."""
    alike: dict[tuple[int, bytes], list[Path]] = {}
    by_size: dict[int, list[Path]] = {}
    for path in paths:
        by_size.setdefault(size_of(path) or 0, []).append(path)
    for size, same in by_size.items():
        for path in same if size and len(same) > 1 else ():
            ends = _ends(path, size)
            if ends is not None:
                alike.setdefault((size, ends), []).append(path)
    for same in alike.values():
        first_of: dict[bytes, Path] = {}
        for path in same if len(same) > 1 else ():
            digest = _digest(path)
            if digest is not None and first_of.setdefault(digest, path) != path:
                yield path, first_of[digest]


def _ends(path: Path, size: int) -> bytes | None:
    try:
        with open_regular(path) as file:
            head = file.read(_END)
            file.seek(max(0, size - _END))
            return head + file.read(_END)
    except (OSError, InputError):  # told where it is read
        return None


def _digest(path: Path) -> bytes | None:
    digest = blake2b(digest_size=16)
    try:
        with open_regular(path) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except (OSError, InputError):
        return None
    return digest.digest()

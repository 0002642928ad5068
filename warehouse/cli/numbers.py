"""Numbers of runs, ranks and steps, and sizes, as the command line takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import typer

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_LARGEST = 1 << 60
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)


def numbers(option: str, given: Iterable[str] | None) -> tuple[int, ...] | None:
    """Every number of a repeated option, each of which may be a list with commas; None if it was not given.

    >>> numbers("--rank", ["0,1", "4"]), numbers("--rank", None)
    ((0, 1, 4), None)
    """
    words = [word.strip() for text in given or () for word in text.split(",")]
    try:
        return tuple(dict.fromkeys(int(word) for word in words)) or None
    except ValueError:
        wrong = next(word for word in words if not word.removeprefix("-").isdecimal())
        raise typer.BadParameter(
            f"'{wrong}' is no number; give one ({option} 0), several ({option} 0,1) or leave {option} out for all.",
            param_hint=f"'{option}'",
        ) from None


def size(option: str, given: str) -> int:
    """Bytes of a size such as 256MB, 1.5 GiB or 300000000; units are powers of 1024.  More than 2^60 is 2^60.

    >>> size("--memory", "256MB") == 256 << 20, size("--memory", "1.5g") == 3 << 29
    (True, True)
    """
    found = _SIZE.fullmatch(given.strip())
    if found is None:
        raise typer.BadParameter(f"'{given}' is no size; give one as 256MB or 1.5GB.", param_hint=f"'{option}'")
    return int(min(float(found[1]) * _UNITS[found[2].lower()], _LARGEST))

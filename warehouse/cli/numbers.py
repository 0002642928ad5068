"""Numbers of runs, ranks and steps as the command line takes them."""

from __future__ import annotations

from collections.abc import Iterable

import typer


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

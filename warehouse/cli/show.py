"""Rows as aligned text, for people."""

from __future__ import annotations

import itertools
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from warehouse.cli.outcome import one_line

_LOOKED_AT = 1000  # rows that decide the widths; later ones are written as wide as they are
_NARROWEST = 16  # a cell is not cut shorter than this
_BETWEEN = "  "


def show_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    out: TextIO | None = None,
    indent: str = "",
    null: str = "-",
) -> None:
    """Write rows under their column names, numbers to the right; streams, whatever their number.

    Reals are rounded, None is `null`, and on a terminal the longest cells are cut where a line would not fit.

    >>> show_rows(["name", "calls", "share"], [("MatMul", 12, 0.123456), ("Add", 3, None)])
    name    calls   share
    MatMul     12  0.1235
    Add         3       -
    """
    out = out or sys.stdout
    coming = iter(rows)
    first = [tuple(row) for row in itertools.islice(coming, _LOOKED_AT)]
    right = [any(isinstance(row[at], int | float) for row in first) for at in range(len(columns))]
    texts = [tuple(cell(value, null) for value in row) for row in first]
    heads = [one_line(name) for name in columns]
    widths = [max(len(name), *(len(row[at]) for row in texts), 0) for at, name in enumerate(heads)]
    limits = _limits(widths, right, indent) if out.isatty() else widths

    def line(values: Iterable[str]) -> str:
        cells = [
            _cut(text, limit) if limit < width else text
            for text, limit, width in zip(values, limits, widths, strict=True)
        ]
        sides = zip(cells, limits, right, strict=True)
        aligned = (text.rjust(width) if number else text.ljust(width) for text, width, number in sides)
        return indent + _BETWEEN.join(aligned).rstrip()

    print(line(heads), file=out)
    rest = (tuple(cell(value, null) for value in row) for row in coming)
    for texts_of_row in itertools.chain(texts, rest):
        print(line(texts_of_row), file=out)


def cell(value: Any, null: str = "-") -> str:
    """One value as text: `null` for None, hexadecimal for bytes, reals rounded to what can be read.

    A text in quotes, as shapes are stored, is shown without them.

    >>> cell(0.000012345), cell(1.0), cell(3.14159), cell(123456.789), cell(""), cell(None), cell('"8,16;16,32"')
    ('1.234e-05', '1.0', '3.142', '123456.8', '', '-', '8,16;16,32')
    """
    if value is None:
        return null
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        return _rounded(value)
    return one_line(_unquoted(str(value)))


def _unquoted(text: str) -> str:
    inner = text[1:-1]
    return inner if len(text) > 1 and text == f'"{inner}"' and '"' not in inner else text


def _rounded(value: float) -> str:
    """Four significant digits, but never fewer than the whole part and a tenth of it."""
    if 1000 <= abs(value) < 1e15:
        return f"{value:.1f}"
    text = f"{value:.4g}"
    return text if set(text) & set(".en") else f"{text}.0"


def _limits(widths: list[int], right: list[bool], indent: str) -> list[int]:
    """Widths that fit the terminal: the widest columns of text give way first."""
    room = shutil.get_terminal_size().columns - len(indent) - len(_BETWEEN) * (len(widths) - 1)
    limits = [min(width, max(room, _NARROWEST)) if not right[at] else width for at, width in enumerate(widths)]
    while sum(limits) > room:
        wide = [at for at, width in enumerate(limits) if width > _NARROWEST and not right[at]]
        if not wide:
            break
        widest = max(wide, key=lambda at: limits[at])
        limits[widest] -= 1
    return limits


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"

"""Rows as aligned text, for people."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from warehouse.cli.outcome import one_line

_LOOKED_AT = 1000  # rows that decide the widths; later ones are written as wide as they are


def show_rows(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO | None = None, indent: str = ""
) -> None:
    """Write rows under their column names, numbers to the right; streams, whatever their number.

    >>> show_rows(["name", "calls"], [("MatMul", 12), ("Add", 3)])
    name    calls
    MatMul     12
    Add         3
    """
    out = out or sys.stdout
    coming = iter(rows)
    first = [tuple(row) for row in itertools.islice(coming, _LOOKED_AT)]
    texts = [tuple(map(cell, row)) for row in first]
    widths = [max(len(name), *(len(row[at]) for row in texts), 0) for at, name in enumerate(columns)]
    right = [any(isinstance(row[at], int | float) for row in first) for at in range(len(columns))]

    def line(values: Iterable[str]) -> str:
        sides = zip(values, widths, right, strict=True)
        return indent + "  ".join(v.rjust(width) if number else v.ljust(width) for v, width, number in sides).rstrip()

    print(line(columns), file=out)
    for texts_of_row in itertools.chain(texts, (tuple(map(cell, row)) for row in coming)):
        print(line(texts_of_row), file=out)


def cell(value: Any) -> str:
    """One value as text: nothing for NULL, hexadecimal for bytes."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    return one_line(str(value))

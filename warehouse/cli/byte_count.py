"""Sizes on the command line."""

from __future__ import annotations

import typer

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def byte_count(text: str) -> int:
    """Bytes of a text such as 500000, 64K, 256M, 20G (powers of 1024).  BadParameter otherwise.

    >>> byte_count("20G") == 20 << 30
    True
    """
    unit = text[-1:].upper() if text[-1:].isalpha() else ""
    digits = text[: len(text) - len(unit)]
    if unit not in _UNITS or not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise typer.BadParameter(f"{text!r} is no number of bytes: 500000, 64K, 256M, 20G, … are")
    return int(digits) << _UNITS[unit]

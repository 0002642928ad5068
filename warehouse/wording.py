"""Numbers as people read them."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """The number with its noun, in the plural unless it is one.

    >>> counted(1, "warning"), counted(0, "warning"), counted(1200, "record")
    ('1 warning', '0 warnings', '1,200 records')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"

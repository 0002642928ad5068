"""JSON that others wrote: whatever it holds, it is read or refused with a reason, and what is read can be stored."""

from __future__ import annotations

import json
from typing import Any

from warehouse.readers.input_file import repaired

_LONGEST_NUMBER = 400  # digits; the largest float has 309, more are no measurement and slow to read
_DEEPEST = 100


def parse_json(text: str | bytes) -> tuple[Any, int]:
    """The value, and how many of its texts and numbers were damaged; ValueError if it is not valid JSON, or nested too
    deeply.

    Damaged texts are repaired, integers of absurd length become None.

    >>> parse_json('{"a": [1, "x"]}')
    ({'a': [1, 'x']}, 0)
    """
    damaged = [0]

    def integer(digits: str) -> int | None:
        if len(digits) <= _LONGEST_NUMBER:
            return int(digits)
        damaged[0] += 1
        return None

    try:
        found = json.loads(text, parse_int=integer)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    found = _clean(found, damaged, 0)
    return found, damaged[0]


def decimal(value: object) -> int | None:
    """The number that the value is or writes in ASCII digits, if 64 bits hold it; None otherwise.

    >>> decimal(3), decimal("12"), decimal("\\u0663"), decimal(True), decimal(10**30), decimal("-1")
    (3, 12, None, None, None, None)
    """
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 1 << 63 else None


def rank_number(value: object) -> int | None:
    """As `decimal`, for ranks: no job has 2**31 of them.

    >>> rank_number("7"), rank_number(2**31)
    (7, None)
    """
    number = decimal(value)
    return number if number is not None and number < 1 << 31 else None


def written(value: object) -> str | None:
    """A text as it is, None as None, everything else as JSON.

    >>> written("x"), written([1]), written(None)
    ('x', '[1]', None)
    """
    return value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False)


def _clean(value: Any, damaged: list[int], depth: int) -> Any:
    if isinstance(value, str):
        text = repaired(value)
        damaged[0] += text != value
        return text
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        return {_clean(name, damaged, depth + 1): _clean(each, damaged, depth + 1) for name, each in value.items()}
    if isinstance(value, list):
        return [_clean(each, damaged, depth + 1) for each in value]
    return value

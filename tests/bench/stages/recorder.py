"""What recording costs the program, beside other recorders, and whether records are lost under load.

`rows` are records of the load: up to two million a second of them, so that the size stated for is a minute.  The same
figures by themselves: python -m tests.bench.recorder.
"""

from __future__ import annotations

import warnings
from argparse import Namespace
from collections.abc import Iterator

from tests.bench.frame import Bench, Figure
from tests.bench.recorder import PARTS

ROWS = 4_000_000
STATED_ROWS = 120_000_000
_MOST_A_SECOND = 2_000_000
_LOADS = ("load", "stop")  # parts whose demands are stated for a size


def run(bench: Bench) -> Iterator[Figure]:
    """All parts one after the other."""
    rate = min(bench.rows, _MOST_A_SECOND)
    options = Namespace(rounds=bench.repeat, rate=rate, seconds=max(1, bench.rows // rate))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, part in PARTS.items():
            for each in part(options, bench.folder):
                is_any_size = name not in _LOADS
                yield bench.figure(each.what, each.value, each.unit, each.limit, is_any_size=is_any_size)

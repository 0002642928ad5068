"""Whether time grows as the input does: 0.1 and 1 M rows, with `--big` 10 M, and no more than linear.

Loading is all that comes after reading: sums, sweeps, links, tables, indexes.  A window must cost the same in every
file.  `rows` are device tasks of the largest file; the others have a tenth and a hundredth of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from tests.bench.frame import Bench, Figure
from tests.bench.inputs.simulated_rank import make_warehouse
from tests.bench.stages.query import window
from warehouse import store

ROWS = 1_000_000
STATED_ROWS = 10_000_000


def run(bench: Bench) -> Iterator[Figure]:
    """Time a row of each size, and the largest against the smallest."""
    sizes = [rows for rows in (bench.rows // 100, bench.rows // 10, bench.rows) if rows >= 100_000] or [bench.rows]
    loads, windows = {}, {}
    path = bench.folder / "W.db"
    for rows in sizes:
        repeat = max(1, min(bench.repeat, 2_000_000 // rows))
        ways = {"": lambda rows=rows: make_warehouse(path, rows)}
        loads[rows] = bench.in_turns(ways, after=lambda way: path.unlink(), repeat=repeat)[""] / rows * 1e9
        yield bench.figure(
            f"load {rows:,} tasks, operators and calls", loads[rows], "ns/row", note=f"median of {repeat}"
        )
    if len(sizes) > 1:
        yield bench.figure(
            "  a row of the most against one of the fewest", loads[sizes[-1]] / loads[sizes[0]], "x growth", 1.3, 1.1,
            is_any_size=True,
        )  # fmt: skip
    for rows in sizes:
        with closing(store.open_read(bench.task_warehouse(rows))) as connection:
            statement = window(rows)
            connection.execute(statement).fetchall()
            ways = {"": lambda text=statement, to=connection: to.execute(text).fetchall()}
            windows[rows] = bench.in_turns(ways, repeat=max(bench.repeat, 7))[""] * 1000
            yield bench.figure(f"100 ms of {rows:,} tasks", windows[rows], "ms")
    if len(sizes) > 1:
        yield bench.figure(
            "  in the largest against the smallest file", windows[sizes[-1]] / windows[sizes[0]], "x growth", 1.3, 1.1,
            is_any_size=True,
        )  # fmt: skip

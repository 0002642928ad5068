"""How fast a big warehouse answers daily questions, against duckdb over the same file.

By stored sums and by the rows themselves.  The file is in the cache of the system: a first run of each question is not
counted.  `rows` are device tasks; there are as many operators and calls.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.frame import Bench, Figure
from tests.bench.inputs.simulated_rank import PER_STEP, PERIOD_NS, START_NS
from warehouse import store

ROWS = 1_000_000
STATED_ROWS = 10_000_000

WINDOW_NS = 100_000_000


@dataclass
class Question:
    """A question to a warehouse, and to duckdb by its rows; `must` and `aim` are seconds at 10 M tasks."""

    title: str
    statement: str
    must: float | None = None
    aim: float | None = None
    peer: str | None = None


def window(tasks: int, length_ns: int = WINDOW_NS) -> str:
    """The kernels of a window in the middle, where it is full."""
    begin = START_NS + tasks * PERIOD_NS // 2
    return f"""SELECT name_id, count(*), sum(duration_ns) FROM device_task_named
        WHERE rank_id = 1 AND start_ns >= {begin} AND start_ns < {begin + length_ns} GROUP BY name_id"""


def questions(tasks: int) -> list[Question]:
    """The questions; the window lies in the middle, where it is full."""
    begin = START_NS + tasks * PERIOD_NS // 2
    end = begin + WINDOW_NS
    middle_step = tasks // PER_STEP // 2
    duration = "end_ns - start_ns"
    by_kernel = f"""SELECT k.name_id, count(*), sum({duration}) AS ns FROM {{0}}device_task t
        JOIN {{0}}kernel k ON k.id = t.kernel_id WHERE t.rank_id = 1 GROUP BY k.name_id ORDER BY ns DESC LIMIT 10"""
    union = """WITH task AS (
            SELECT start_ns, end_ns, max(end_ns) OVER (
                ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
            FROM {0}device_task WHERE rank_id = 1 AND device_id = 0 AND kernel_id IS NOT NULL)
        SELECT sum(greatest(end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)) FROM task"""
    by_window = f"""SELECT k.name_id, count(*), sum({duration}) FROM {{0}}device_task t
        JOIN {{0}}kernel k ON k.id = t.kernel_id
        WHERE t.rank_id = 1 AND t.start_ns >= {begin} AND t.start_ns < {end} GROUP BY k.name_id"""
    by_op = """SELECT o.name_id, count(*), sum(t.end_ns - t.start_ns) AS ns FROM {0}device_task t
        JOIN {0}op o ON o.id = t.op_id WHERE t.kernel_id IS NOT NULL GROUP BY o.name_id ORDER BY ns DESC LIMIT 10"""
    return [
        Question(
            "top 10 kernels by name (kernel_time)",
            "SELECT kernel_name, calls, total_ns FROM kernel_time WHERE rank_id = 1 ORDER BY total_ns DESC LIMIT 10",
            0.1, 0.01, by_kernel,
        ),
        Question(
            "busy time of a device, overlaps once (device_busy)",
            "SELECT computing_ns, free_ns, busy_ratio FROM device_busy WHERE rank_id = 1 AND device_id = 0",
            1, 0.2, union,
        ),
        Question(
            "the same, from the stored intervals",
            "SELECT sum(end_ns - start_ns) FROM busy_interval WHERE rank_id = 1 AND device_id = 0 AND kind = 0",
        ),
        Question(
            "kernels of a window of 100 ms, by name",
            window(tasks), 0.01, 0.005, by_window,
        ),
        Question(
            "tasks of a window of 10 ms, each with its name",
            f"""SELECT id, start_ns, duration_ns, stream_no, name, op_id FROM device_task_named
            WHERE rank_id = 1 AND start_ns >= {begin} AND start_ns < {begin + WINDOW_NS // 10}""",
        ),
        Question(
            "kernel time by operator, joined ad hoc", by_op.format(""), 5, 2.5, by_op,
        ),
        Question(
            "kernel time by operator (op_time)",
            "SELECT op_name, device_self_ns FROM op_time WHERE rank_id = 1 ORDER BY device_self_ns DESC LIMIT 10",
            0.1, 0.01,
        ),
        Question(
            "kernels by operator (kernel_op_time)",
            """SELECT kernel_name, framework_op, total_ns FROM kernel_op_time
            WHERE rank_id = 1 ORDER BY total_ns DESC LIMIT 10""",
            0.1, 0.01,
        ),
        Question(
            "kernels of one step (step_kernel_time)",
            f"SELECT kernel_name, calls, total_ns FROM step_kernel_time WHERE rank_id = 1 AND step_id = {middle_step}",
        ),
        Question("steps, and where their time went (step_breakdown)", "SELECT * FROM step_breakdown WHERE rank_id = 1"),
        Question(
            "CANN calls by name (api_time)",
            "SELECT api_name, calls, self_ns FROM api_time WHERE rank_id = 1 ORDER BY self_ns DESC LIMIT 10",
        ),
        Question(
            "what one operator launched",
            f"SELECT t.id, t.start_ns, t.end_ns FROM device_task t WHERE t.op_id = {tasks // 2 // 2 * 2}",
        ),
        Question(
            "operators of a window of 10 ms and what they cost (op_cost)",
            f"""SELECT op_id, name, host_self_ns, device_total_ns FROM op_cost
            WHERE rank_id = 1 AND start_ns >= {begin} AND start_ns < {begin + WINDOW_NS // 10}""",
        ),
        Question(
            "the ten longest gaps and why (idle_gap)",
            "SELECT duration_ns, next_name, cause FROM idle_gap WHERE rank_id = 1 ORDER BY duration_ns DESC LIMIT 10",
        ),
        Question("everything about the ranks (rank_overview)", "SELECT * FROM rank_overview"),
    ]  # fmt: skip


@contextmanager
def duckdb_over(bench: Bench, path: Path) -> Iterator[Callable[[str], Any] | None]:
    """A function that lets duckdb answer a statement; None where it or its SQLite extension is missing."""
    if importlib.util.find_spec("duckdb") is None:
        bench.say("duckdb is not installed: left out")
        yield None
        return
    import duckdb

    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        try:
            if spec := importlib.util.find_spec("duckdb_extension_sqlite_scanner"):
                (folder,) = spec.submodule_search_locations or ()
                (extension,) = Path(folder).rglob("sqlite_scanner.duckdb_extension")
                connection.execute(f"LOAD '{extension}'")
            else:
                connection.execute("LOAD sqlite_scanner")
            connection.execute(f"ATTACH '{path}' AS w (TYPE sqlite, READ_ONLY)")
        except duckdb.Error as error:
            bench.say(f"duckdb {duckdb.__version__} cannot read SQLite files here: {str(error).splitlines()[0]}")
            yield None
            return
        yield lambda statement: connection.execute(statement.format("w.")).fetchall()


def run(bench: Bench) -> Iterator[Figure]:
    """Milliseconds of each question, and how many times as long duckdb takes."""
    path = bench.task_warehouse(bench.rows)
    with closing(store.open_read(path)) as connection, duckdb_over(bench, path) as peer:
        for question in questions(bench.rows):
            ways: dict[str, Callable[[], object]] = {
                "npuwh": lambda text=question.statement: connection.execute(text).fetchall()
            }
            if peer and question.peer:
                ways["duckdb"] = lambda text=question.peer: peer(text)
            for call in ways.values():
                call()
            medians = bench.in_turns(ways)
            cpu = f"{medians['npuwh'].cpu * 1000:,.0f} ms CPU" if medians["npuwh"] > 0.1 else ""
            asked = [None if seconds is None else seconds * 1000 for seconds in (question.must, question.aim)]
            yield bench.figure(question.title, medians["npuwh"] * 1000, "ms", *asked, cpu)
            if "duckdb" in medians:
                ratio = medians["duckdb"] / medians["npuwh"]
                yield bench.figure("  against duckdb", ratio, "x", note=f"it takes {medians['duckdb'] * 1000:,.1f} ms")

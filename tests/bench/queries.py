"""How fast a big warehouse answers: daily questions, by stored sums and by the rows themselves.

    python -m tests.bench.queries [--tasks N] [--repeat N] [--folder DIR | --warehouse FILE]
                                                                               (peer: `pip install npuwh[bench]`)

Makes a warehouse of N device tasks and as many operators and calls (tests/bench/simulated_rank.py), unless one is
given, and asks each question several times; prints medians, the numbers asked for, and what duckdb takes for the same
question over the same file where it is installed with its SQLite extension.  The file is in the cache of the system: a
first run of each question is not counted.  Then bytes a row of the main tables and of their indexes.
"""

from __future__ import annotations

import argparse
import importlib.util
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.simulated_rank import PER_STEP, PERIOD_NS, START_NS, make_warehouse
from warehouse import store

WINDOW_NS = 100_000_000


@dataclass
class Question:
    """A question to a warehouse, and to duckdb by its rows; `must` and `aim` are seconds at 10 M tasks."""

    title: str
    statement: str
    must: float | None = None
    aim: float | None = None
    peer: str | None = None


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
    window = f"""SELECT k.name_id, count(*), sum({duration}) FROM {{0}}device_task t
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
            1, 0.2,
        ),
        Question(
            "kernels of a window of 100 ms, by name",
            f"""SELECT name_id, count(*), sum(duration_ns) FROM device_task_named
            WHERE rank_id = 1 AND start_ns >= {begin} AND start_ns < {end} GROUP BY name_id""",
            0.01, 0.005, window,
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


def median(call: Callable[[], Any], repeat: int) -> float:
    """Seconds of one call: the median of several after a first that does not count."""
    call()
    taken = []
    for _ in range(repeat):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


@contextmanager
def duckdb_over(path: Path) -> Iterator[Callable[[str], Any] | None]:
    """A function that lets duckdb answer a statement over the file; None where it lacks its SQLite extension."""
    if importlib.util.find_spec("duckdb") is None:
        yield None
        return
    import duckdb

    with duckdb.connect() as connection:
        try:
            if spec := importlib.util.find_spec("duckdb_ext"):  # where the extension comes with a package
                folder = next(iter(spec.submodule_search_locations or ()))
                connection.execute(f"SET extension_directory = '{folder}/extensions'")
            connection.execute("LOAD sqlite_scanner")
            connection.execute(f"ATTACH '{path}' AS w (TYPE sqlite, READ_ONLY)")
        except duckdb.Error as error:
            print(f"duckdb {duckdb.__version__}: {str(error).splitlines()[0]}")
            yield None
            return
        print(f"duckdb {duckdb.__version__} over the same file")
        yield lambda statement: connection.execute(statement.format("w.")).fetchall()


def sizes(connection: sqlite3.Connection, tables: list[str]) -> None:
    """Print bytes a row of the tables and of all their indexes."""
    try:
        pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    except sqlite3.OperationalError:
        print("this SQLite has no dbstat: no sizes")
        return
    for table in tables:
        rows = max(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0], 1)
        indexes = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", [table])
        of_indexes = sum(pages[name] for (name,) in indexes)
        each, index = pages[table] / rows, of_indexes / rows
        print(f"  {table:13} {each:6.1f} bytes a row, its indexes {index:6.1f}  ({rows:,} rows)")


def ask(path: Path, tasks: int, repeat: int) -> None:
    """Ask everything and print what it took."""
    with closing(store.open_read(path)) as connection, duckdb_over(path) as peer:
        print(f"SQLite {sqlite3.sqlite_version}; median of {repeat}; asked and aimed at for 10 M tasks")
        for question in questions(tasks):
            taken = median(lambda text=question.statement: connection.execute(text).fetchall(), repeat)
            line = f"  {question.title:62} {taken * 1000:10.2f} ms"
            if question.must is not None:
                line += f"   asked {question.must * 1000:6.0f}, aim {question.aim * 1000:6.0f}"
            if peer and question.peer:
                other = median(lambda text=question.peer: peer(text), min(repeat, 3))
                line += f"   duckdb {other * 1000:9.1f} ms, {other / taken:8.1f} times as long"
            print(line, flush=True)
        sizes(connection, ["op", "api_call", "device_task", "op_work", "busy_interval"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1_000_000, help="device tasks (default %(default)s)")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--folder", type=Path, help="where the file is made (default: the temporary directory)")
    parser.add_argument("--warehouse", type=Path, help="a file that such a run kept; made there if it is missing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = options.warehouse or Path(folder) / "W.db"
        if not path.exists():
            began = time.perf_counter()
            make_warehouse(path, options.tasks)
            taken = time.perf_counter() - began
            print(f"{options.tasks:,} tasks, {path.stat().st_size / 1e6:,.0f} MB, loaded in {taken:.1f} s")
        with closing(sqlite3.connect(path)) as connection:
            tasks = connection.execute("SELECT max(id) FROM device_task").fetchone()[0]
        ask(path, tasks, options.repeat)


if __name__ == "__main__":
    main()

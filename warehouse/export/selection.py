"""Which ranks, steps and times of a warehouse an export is about, and the rows of a view for one of those ranks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from warehouse import store
from warehouse.errors import UsageError, WarehouseFileError

Numbers: TypeAlias = "int | Sequence[int] | None"

_LAST = 2**63 - 1


@dataclass(frozen=True)
class Selection:
    """What is wanted; None = all.

    `run` is run.id, `rank` the rank's number, `step` the step's number, one or several of each; [from_ns, to_ns) are ns
    since the Unix epoch and take what overlaps them.
    """

    run: Numbers = None
    rank: Numbers = None
    step: Numbers = None
    from_ns: int | None = None
    to_ns: int | None = None


@dataclass(frozen=True)
class ChosenRank:
    """One rank of the warehouse with the part of it that is wanted.

    `id` is rank.id; `directory` the name of its run directory; `step_ids` the wanted steps (None = all, with what is
    outside of steps) and [step_from_ns, step_to_ns) the host time they take, for rows that know no step.
    """

    id: int
    run_id: int
    rank_no: int | None
    device_id: int | None
    directory: str
    path: str
    from_ns: int | None = None
    to_ns: int | None = None
    step_ids: tuple[int, ...] | None = None
    step_from_ns: int = 0
    step_to_ns: int = _LAST

    @property
    def is_part(self) -> bool:
        """Whether only some of its time is wanted."""
        return self.from_ns is not None or self.to_ns is not None or self.step_ids is not None


def choose(connection: sqlite3.Connection, selection: Selection) -> list[ChosenRank]:
    """The ranks that are meant, by run and number; UsageError if there is no such run, rank or step.

    >>> choose(connection, Selection(rank=1))[0].directory  # doctest: +SKIP
    'node0_41011_20231125090304041_ascend_pt'
    """
    times = [time for time in (selection.from_ns, selection.to_ns) if time is not None]
    counted = [one for each in (selection.run, selection.rank, selection.step) for one in _several(each) or ()]
    for number in times + counted:
        if not -_LAST <= number <= _LAST:
            raise UsageError(f"{number} is no run, rank, step or time: it has more than 64 bits")
    if selection.from_ns is not None and selection.to_ns is not None and selection.from_ns >= selection.to_ns:
        raise UsageError(
            f"the window from {selection.from_ns} to {selection.to_ns} is empty: --from-ns must be smaller"
        )
    wanted = {"run_id": _several(selection.run), "rank_no": _several(selection.rank)}
    columns = ["id", "run_id", "rank_no", "device_id", "directory", "path"]
    query = store.select(
        "rank",
        columns,
        [(column, "in", values) for column, values in wanted.items() if values is not None],
        order=["run_id", "rank_no", "id"],
    )
    rows = connection.execute(*query).fetchall()
    ranks = [replace(ChosenRank(*row), from_ns=selection.from_ns, to_ns=selection.to_ns) for row in rows]
    found: dict[str, set[int | None]] = {
        "run_id": {rank.run_id for rank in ranks},
        "rank_no": {rank.rank_no for rank in ranks},
    }
    if not ranks:
        raise UsageError(_nothing(connection, selection))
    absent = {column: [one for one in values or () if one not in found[column]] for column, values in wanted.items()}
    if any(absent.values()):
        raise UsageError(_nothing(connection, Selection(absent["run_id"] or None, absent["rank_no"] or None)))
    steps = _several(selection.step)
    if steps is None:
        return ranks
    chosen, present = [], set()
    for rank in ranks:
        with_steps, numbers = _with_steps(connection, rank, steps)
        present |= numbers
        if numbers:
            chosen.append(with_steps)
    if missing := [step for step in steps if step not in present]:
        there = _listed(connection, "step", "step_no")
        raise UsageError(f"no chosen rank has a step {listed(missing)}; there are {there}")
    return chosen


def listed(numbers: Numbers) -> str:
    """One or several numbers as text.

    >>> listed(3), listed((0, 1))
    ('3', '0, 1')
    """
    return ", ".join(map(str, _several(numbers) or ()))


def _several(numbers: Numbers) -> tuple[int, ...] | None:
    return (numbers,) if isinstance(numbers, int) else None if numbers is None else tuple(numbers)


@contextmanager
def rows_of(
    connection: sqlite3.Connection,
    name: str,
    rank: ChosenRank,
    columns: Sequence[str] | None = None,
    where: Sequence[tuple[str, str, Any]] = (),
    limit: int | None = None,
) -> Iterator[sqlite3.Cursor]:
    """The view's rows for that rank and its steps and times, in the view's order.

    A view with `window: self` is filtered on its own columns; one that sums is narrowed where it starts from
    (`warehouse.store.narrowing`).

    >>> with rows_of(connection, "export_op_statistic", rank, ["OP Type", "Count"]) as rows:  # doctest: +SKIP
    ...     rows.fetchmany(1)
    [('MatMulV3', 10)]
    """
    rows = narrowing_of(connection, name, rank, where)
    with ExitStack() as stack:
        if rows.source is not None:
            stack.enter_context(store.narrowed(connection, name, rows.source, rows.source_terms, rows.source_window))
        try:
            cursor = connection.execute(*store.select(name, columns, rows.terms, window=rows.window, limit=limit))
            stack.callback(cursor.close)
            yield cursor
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise store.reading_error(error, store.file_of(connection), f"view {name}") from error
        except (TypeError, OverflowError) as error:  # an absurd row: a difference of times that is none any more
            raise WarehouseFileError(
                f"{store.file_of(connection)}: view {name} holds what cannot be written ({error})"
            ) from error


@dataclass(frozen=True)
class Narrowing:
    """Conditions on the rows of a view, as `store.select` takes them; and, for a view that sums, those on the rows of
    the `source` that it starts from.
    """

    terms: list[tuple[str, str, Any]]
    window: store.Window | None = None
    source: str | None = None
    source_terms: Sequence[tuple[str, str, Any]] = ()
    source_window: store.Window | None = None


def narrowing_of(
    connection: sqlite3.Connection, name: str, rank: ChosenRank, where: Sequence[tuple[str, str, Any]] = ()
) -> Narrowing:
    """What narrows a view to a rank, its steps and times, and to `where`.

    >>> narrowing_of(connection, "trace_op", rank).terms  # doctest: +SKIP
    [('rank_id', '=', 1)]
    """
    view = store.view(name)
    of_rank: list[tuple[str, str, Any]] = [("rank_id", "=", rank.id)]
    if view.window is None:
        return Narrowing([*of_rank, *where])
    source = view.window.view
    own, window = conditions(connection, rank, source, view.window.start, view.window.end)
    if source == name:
        return Narrowing([*of_rank, *where, *own], window)
    return Narrowing([*of_rank, *where], None, source, [*of_rank, *own], window)


def conditions(
    connection: sqlite3.Connection, rank: ChosenRank, source: str, start: str, end: str
) -> tuple[list[tuple[str, str, Any]], store.Window | None]:
    """Terms and window that keep what is wanted of a table or view with these columns of time; rank_id is not among
    them.

    >>> conditions(connection, rank, "device_task", "start_ns", "end_ns")  # doctest: +SKIP
    ([("step_id", "in", (5,))], None)
    """
    terms: list[tuple[str, str, Any]] = []
    from_ns, to_ns = rank.from_ns or 0, _LAST if rank.to_ns is None else rank.to_ns
    is_open = rank.from_ns is None and rank.to_ns is None
    if rank.step_ids is not None:
        if "step_id" in _columns(connection, source):
            terms.append(("step_id", "in", rank.step_ids))
        else:
            from_ns, to_ns, is_open = max(from_ns, rank.step_from_ns), min(to_ns, rank.step_to_ns), False
    if is_open:
        return terms, None
    return terms, store.Window(start, end, from_ns, to_ns, _look_back(connection, rank, source))


def _columns(connection: sqlite3.Connection, source: str) -> set[str]:
    return {column[0] for column in connection.execute(*store.select(source, limit=0)).description}


def _look_back(connection: sqlite3.Connection, rank: ChosenRank, source: str) -> int | None:
    """How long a row of `source` can be at most; None if its times come from no table whose extent was noted."""
    query = store.select("event_extent", ["table_name", "max_duration_ns"], [("rank_id", "=", rank.id)])
    longest = dict(connection.execute(*query).fetchall())
    timed = {table for table in _tables(source) if _has_times(_columns(connection, table))} - {"step"}
    if not timed or not longest:
        return None
    return max(longest.get(table) or 0 for table in timed)  # no extent: the rank has no such row


def _has_times(columns: set[str]) -> bool:
    return {"start_ns", "end_ns"} <= columns or "time_ns" in columns


def _tables(source: str) -> set[str]:
    if source not in store.views():
        return {source}
    return set().union(*map(_tables, store.view(source).uses))


def _with_steps(
    connection: sqlite3.Connection, rank: ChosenRank, steps: tuple[int, ...]
) -> tuple[ChosenRank, set[int]]:
    """The rank with the steps of those numbers that it has, and their numbers.

    UsageError if another step lies between them: what knows no step is chosen by one span of time.
    """
    columns = ["id", "step_no", "start_ns", "end_ns"]
    query = store.select("step", columns, [("rank_id", "=", rank.id)], order=["start_ns"])
    rows = connection.execute(*query).fetchall()
    places = [place for place, row in enumerate(rows) if row[1] in steps]
    if not places:
        return rank, set()
    ids, numbers, starts, ends = zip(*(rows[place] for place in places), strict=True)
    between = {row[1] for row in rows[places[0] : places[-1]]}.difference(steps)
    if between and len(steps) > 1:
        named = ", ".join(map(str, sorted(between)))
        raise UsageError(f"step {named} lies between the chosen ones; choose it too, or export one step at a time")
    return replace(rank, step_ids=tuple(ids), step_from_ns=min(starts), step_to_ns=max(ends)), set(numbers)


def _nothing(connection: sqlite3.Connection, selection: Selection) -> str:
    wanted = [
        f"{word} {listed(numbers)}"
        for word, numbers in (("run", selection.run), ("rank", selection.rank))
        if numbers is not None
    ]
    if not wanted:
        return "the warehouse holds no rank: ingest something first"
    unnumbered = any(number is None for (number,) in connection.execute(*store.select("rank", ["rank_no"])))
    return (
        f"the warehouse has no {' with '.join(wanted)}; it has runs {_listed(connection, 'run', 'id')} "
        f"and ranks {_listed(connection, 'rank', 'rank_no')}"
        + ("; what has no number is chosen by --run alone" if selection.rank is not None and unnumbered else "")
    )


def _listed(connection: sqlite3.Connection, table: str, column: str) -> str:
    values = sorted({row[0] for row in connection.execute(*store.select(table, [column])) if row[0] is not None})
    shown = ", ".join(map(str, values[:20]))
    return (shown + ", ..." if len(values) > 20 else shown) or "none"

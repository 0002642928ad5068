"""Second pass: what each connection number put on the device, and from it the steps' windows on the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from warehouse.ingest.clocks import note_order
from warehouse.ingest.host import Steps
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, is_one_of

_LATEST = np.iinfo(np.int64).max
_COVERED = 2
_EARLY_NS = 100_000  # as check_launch_order: clocks of sound profiles agree to some tens of us
_FIELDS = ("connection_no", "class", "start_ns", "end_ns", "device_id", "type")


@dataclass
class Windows:
    """Windows of the steps on the device, aligned with the steps; NONE where there is none.

    text_*: as the text deliverables draw them (deliverables.md 6); task_*: as analysis.db does (ascend-db.md 10).
    """

    text_starts: Numbers
    text_ends: Numbers
    task_starts: Numbers
    task_ends: Numbers


@dataclass
class Calls:
    """Calls that launched a graph replay, in the order in which the device met them."""

    start: Numbers  # of what the call put on its own stream
    call_start: Numbers
    api_call: Numbers
    op: Numbers
    step: Numbers
    device: Numbers


class LaunchPass:
    """Joins `launch` batches with the calls of the host pass."""

    def __init__(self, load: RankLoad, steps: Steps, calls: LinkTable) -> None:
        self._load = load
        self._steps = steps
        self._calls = calls
        self._first_step = int(steps.ids[0]) if len(steps.ids) else 0
        self._always_drawn = load.strings.text_ids("MEMCPY_ASYNC")
        self._replays = load.strings.text_ids("MODEL_EXECUTE")
        count = len(steps.ids)
        self._first_sort, self._last_sort = np.full(count, _LATEST), np.full(count, NONE, np.int64)
        self._first_start, self._last_end = np.full(count, NONE, np.int64), np.full(count, NONE, np.int64)
        self._task_start, self._task_end = np.full(count, _LATEST), np.full(count, NONE, np.int64)
        self._has_links = False
        self._early = self._most_early = 0
        self._replay_calls: list[Numbers] = []
        self.launches = load.links.table("api_call op rule is_flow head count device is_replay")

    def run(self) -> tuple[LinkTable, Windows, Calls]:
        """Links by connection number, the steps' windows, and the calls that launched graph replays."""
        for group in self._groups():
            found = self._calls.find(group["connection_no"])
            api_call, op, rule, sort, step, inside, begin, is_flow, host_step, _ = found
            is_flow = (api_call != NONE) & (
                (is_flow == 1) | (group["class"] == 0) | is_one_of(group["type"], self._always_drawn)
            )
            is_flow &= group["class"] != _COVERED  # what is not drawn is no end of a flow
            is_replay = (group["execution_start"] != _LATEST) & (api_call != NONE)
            self._compare_clocks(begin[api_call != NONE], group["first_start"][api_call != NONE])
            self.launches.add(
                group["connection_no"], api_call, op, rule, is_flow.astype(np.int64), group["class"], group["count"],
                group["device_id"], is_replay.astype(np.int64),
            )  # fmt: skip
            self._widen_text(group, is_flow & np.isin(rule, (1, 3)), sort, step)
            self._widen_task(group, inside)
            if is_replay.any():
                columns = (group["execution_start"], begin, api_call, op, host_step, group["device_id"])
                self._replay_calls.append(np.stack([column[is_replay] for column in columns]))
        note_order(self._load, self._early, self._most_early)
        return self.launches, self._windows(), self._sorted_calls()

    def _compare_clocks(self, call_start: Numbers, first_start: Numbers) -> None:
        early = call_start - first_start
        self._early += int((early > _EARLY_NS).sum())
        self._most_early = max(self._most_early, int(early.max(initial=0)))

    def _groups(self) -> Iterator[dict[str, Numbers]]:
        """One row a connection: its first record (connection_no, class, start_ns, end_ns, type), count, bounds."""
        strings = self._load.strings
        kept = [np.empty(0, np.int64) for _ in _FIELDS]
        for batch in self._load.reader.read("launch"):
            columns = [
                np.concatenate([old, filled(batch.column(name)) if name != "type" else strings.ids(batch.column(name))])
                for old, name in zip(kept, _FIELDS, strict=True)
            ]
            cut = int(np.searchsorted(columns[0], columns[0][-1]))
            kept = [column[cut:] for column in columns]
            if cut:
                yield self._grouped([column[:cut] for column in columns])
        if len(kept[0]):
            yield self._grouped(kept)

    def _grouped(self, columns: list[Numbers]) -> dict[str, Numbers]:
        """Rows sorted by connection, first record first, to one row a connection."""
        connection, class_, start, end, device, type_ = columns
        first = np.flatnonzero(np.r_[True, connection[1:] != connection[:-1]])
        low, high = np.minimum.reduceat(device, first), np.maximum.reduceat(device, first)
        return {
            "connection_no": connection[first],
            "class": class_[first],
            "start_ns": start[first],
            "end_ns": end[first],
            "type": type_[first],
            "count": np.diff(np.r_[first, len(connection)]),
            "first_start": np.minimum.reduceat(start, first),
            "last_end": np.maximum.reduceat(end, first),
            "device_id": np.where(low == high, high, NONE),
            # start of the task that executes a graph, if there is one
            "execution_start": np.minimum.reduceat(np.where(np.isin(type_, self._replays), start, _LATEST), first),
        }

    def _widen_text(self, group: dict[str, Numbers], is_linked: np.ndarray, sort: Numbers, step: Numbers) -> None:
        self._has_links |= bool(is_linked.any())
        mask = is_linked & (step != NONE) & (sort != NONE)
        at, sort = step[mask] - self._first_step, sort[mask]
        # of several launches of one queue task the first to start, and the last to end
        before = self._first_sort.copy()
        np.minimum.at(self._first_sort, at, sort)
        self._first_start[self._first_sort < before] = _LATEST
        is_first = sort == self._first_sort[at]
        np.minimum.at(self._first_start, at[is_first], group["start_ns"][mask][is_first])
        before = self._last_sort.copy()
        np.maximum.at(self._last_sort, at, sort)
        self._last_end[self._last_sort > before] = NONE
        is_last = sort == self._last_sort[at]
        np.maximum.at(self._last_end, at[is_last], group["end_ns"][mask][is_last])

    def _widen_task(self, group: dict[str, Numbers], inside: Numbers) -> None:
        mask = inside != NONE
        at = inside[mask] - self._first_step
        np.minimum.at(self._task_start, at, group["first_start"][mask])
        np.maximum.at(self._task_end, at, group["last_end"][mask])

    def _windows(self) -> Windows:
        starts, ends = self._steps.starts, self._steps.ends
        has_kernels = self._last_sort != NONE
        text_start = np.where(has_kernels, self._first_start, starts)
        text_end = np.where(has_kernels, np.maximum(self._last_end, ends), ends)
        if not self._has_links:  # no kernel of the rank is linked: the text deliverables have no steps
            text_start, text_end = np.full_like(starts, NONE), np.full_like(ends, NONE)
        task_start = np.where(self._task_start == _LATEST, starts, self._task_start)
        return Windows(text_start, text_end, task_start, np.maximum(ends, self._task_end))

    def _sorted_calls(self) -> Calls:
        if not self._replay_calls:
            return Calls(*(np.empty(0, np.int64) for _ in range(6)))
        columns = np.concatenate(self._replay_calls, axis=1)
        return Calls(*columns[:, np.argsort(columns[0], kind="stable")])

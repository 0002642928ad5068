"""Links of the parts of mixed kernels that the host knows nothing of: those of the task they are parts of."""

from __future__ import annotations

import numpy as np

from warehouse.batches.records import DEVICE_TASK
from warehouse.ingest.link import NONE, Numbers
from warehouse.ingest.link_rule import PART

_PLACE = ("device_id", "stream_no", "task_no", "start_ns", "end_ns")
_LINKS = ("op", "api_call", "node", "replay")


class TaskParts:
    """The tasks that are drawn by their parts, while a part of theirs can still start.

    Below level 1 no context numbers of kernels are recorded (cann-files.md 6.3): a part then has the stream and the
    number of its task and nothing that leads to the host, and it starts while its task runs.
    """

    def __init__(self) -> None:
        self._open = {name: np.empty(0, np.int64) for name in _PLACE + _LINKS}

    def link(self, rows: dict[str, Numbers], found: dict[str, Numbers]) -> None:
        """Give the parts without any link in `found` those of their task, which starts no later than they do."""
        is_task = rows["kind"] == DEVICE_TASK
        whole = np.flatnonzero(is_task & (rows["is_covered"] == 1))
        known = {name: np.r_[self._open[name], rows[name][whole]] for name in _PLACE}
        known |= {name: np.r_[self._open[name], found[name][whole]] for name in _LINKS}
        if len(known["start_ns"]):
            alone = is_task & (rows["context_no"] != NONE) & (rows["is_covered"] != 1)
            for name in ("op", "api_call", "replay"):
                alone &= found[name] == NONE
            part = np.flatnonzero(alone)
            at = _places({name: rows[name][part] for name in _PLACE}, known)
            part, at = part[at != NONE], at[at != NONE]
            for name in _LINKS:
                found[name][part] = known[name][at]
            found["rule"][part] = np.where(found["op"][part] == NONE, NONE, PART)
        if len(rows["start_ns"]):
            stays = known["end_ns"] >= rows["start_ns"][-1]
            self._open = {name: column[stays] for name, column in known.items()}


def _places(parts: dict[str, Numbers], whole: dict[str, Numbers]) -> Numbers:
    """For each part the place of the last task of its place that started before it and still ran; NONE if none."""
    count = len(parts["start_ns"])
    device, stream, task, start, _ = (np.r_[parts[name], whole[name]] for name in _PLACE)
    is_whole = np.arange(len(start)) >= count
    order = np.lexsort((~is_whole, start, task, stream, device))
    last = np.maximum.accumulate(np.where(is_whole[order], np.arange(len(order)), NONE))
    before = np.where(last == NONE, NONE, order[last] - count)  # in order of time, whole ones first
    at = np.empty(len(order), np.int64)
    at[order] = before
    at = at[:count]
    same = at != NONE
    for name in ("device_id", "stream_no", "task_no"):
        same &= parts[name] == whole[name][at]
    return np.where(same & (parts["start_ns"] <= whole["end_ns"][at]), at, NONE)

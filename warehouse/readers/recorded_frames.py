"""Calls and returns of a recording, whole again after losses: records tell their depth, the end of a loss its floor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from warehouse.readers.raw_rows import Numbers

CALL, RETURN, C_CALL, C_RETURN, LOSS_END = range(5)


class FrameMender:
    """Puts in what a gap left out, so that calls and returns match again.

    Frames whose return is missing return where their thread was last seen; frames whose call is missing are calls of
    `lost` from where they are first noticed; a return without anything else of its frame is left out.  A loss that ends
    tells which calls stayed open, so that none is taken for another that was as deep.

    >>> mender = FrameMender(lost=99)
    >>> mender.mend({"thread": np.array([1, 1]), "time": np.array([10, 20]), "code": np.array([7, 0]),
    ...              "event": np.array([CALL, RETURN]), "depth": np.array([0, 3])})["event"].tolist()
    [0, 0, 0]
    """

    def __init__(self, lost: int) -> None:
        self._lost = lost
        self._open: dict[int, int] = {}  # thread -> frames that are open
        self._latest: dict[int, int] = {}  # thread -> time of its last record

    def mend(self, columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """`thread`, `time`, `code`, `event` and `depth` (of the frame, 0 the outermost) of the next records, each
        thread's in their order; the same without `depth`, mended."""
        kept = {name: columns[name] for name in ("thread", "time", "code", "event")}
        thread, time, event, depth = (columns[name] for name in ("thread", "time", "event", "depth"))
        if not len(thread):
            return kept
        is_loss_end = event == LOSS_END
        is_return = (event == RETURN) | (event == C_RETURN)
        open_before = depth + is_return
        open_after = np.where(is_loss_end, depth, depth + ~is_return)
        order = np.argsort(thread, kind="stable")
        is_first = np.r_[True, thread[order][1:] != thread[order][:-1]]
        known = np.empty(len(thread), np.int64)  # open frames as the record before left them
        known[order[1:]] = open_after[order[:-1]]
        latest = np.empty(len(thread), np.int64)
        latest[order[1:]] = time[order[:-1]]
        for first in order[is_first].tolist():
            number = int(thread[first])
            known[first] = self._open.get(number, 0)
            latest[first] = self._latest.get(number, int(time[first]))
        last = order[np.r_[is_first[1:], True]]
        self._open.update(zip(thread[last].tolist(), open_after[last].tolist(), strict=True))
        self._latest.update(zip(thread[last].tolist(), time[last].tolist(), strict=True))
        torn = np.flatnonzero((known != open_before) | is_loss_end)
        if not len(torn):
            return kept
        # calls that go on behind the record: a loss can end as deep as it began, and in other calls
        floor = np.minimum(known, np.where(is_loss_end, columns["code"], open_before))[torn]
        # a lone return: what lies around its frame is put in, itself it goes
        is_lone = (open_before[torn] > known[torn]) & is_return[torn]
        gone = np.zeros(len(thread), bool)
        gone[torn] = is_lone | is_loss_end[torn]
        returns, calls = known[torn] - floor, open_before[torn] - floor - is_lone
        place = np.repeat(torn, returns + calls)
        is_call = np.repeat(np.tile([False, True], len(torn)), np.column_stack([returns, calls]).ravel())
        put_in = {
            "thread": thread[place],
            "time": np.where(is_call, time[place], latest[place]),
            "code": np.where(is_call, self._lost, 0),
            "event": np.where(is_call, CALL, RETURN),
        }
        stays = ~np.insert(gone, place, False)
        return {name: np.insert(kept[name], place, values)[stays] for name, values in put_in.items()}

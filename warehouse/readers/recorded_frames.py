"""Calls and returns of a recording, whole again after losses: every record tells its depth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from warehouse.readers.raw_rows import Numbers

CALL, RETURN, C_CALL, C_RETURN = range(4)


class FrameMender:
    """Puts in what a gap left out, so that calls and returns match again.

    Frames whose return is missing return where their thread was last seen; frames whose call is missing are calls of
    `lost` from where they are first noticed; a return without anything else of its frame is left out.

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
        is_return = (event == RETURN) | (event == C_RETURN)
        open_before, open_after = depth + is_return, depth + ~is_return
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
        torn = np.flatnonzero(known != open_before)
        return self._filled(kept, torn, known, open_before, is_return, latest) if len(torn) else kept

    def _filled(
        self,
        columns: dict[str, Numbers],
        torn: Numbers,
        known: Numbers,
        open_before: Numbers,
        is_return: npt.NDArray[np.bool_],
        latest: Numbers,
    ) -> dict[str, Numbers]:
        thread, time = columns["thread"], columns["time"]
        missing = open_before[torn] - known[torn]
        # a lone return: what lies around its frame is put in, itself it goes
        is_lone = (missing > 0) & is_return[torn]
        missing -= is_lone
        count = np.abs(missing)
        place = np.repeat(torn, count)
        is_call = np.repeat(missing > 0, count)
        put_in = {
            "thread": thread[place],
            "time": np.where(is_call, time[place], latest[place]),
            "code": np.where(is_call, self._lost, 0),
            "event": np.where(is_call, CALL, RETURN),
        }
        gone = np.zeros(len(thread), bool)
        gone[torn[is_lone]] = True
        kept = ~np.insert(gone, place, False)
        return {name: np.insert(columns[name], place, values)[kept] for name, values in put_in.items()}

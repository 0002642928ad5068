"""Calls and returns of a recording, whole again after losses: records tell their depth, the end of a loss its floor."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from warehouse.readers.raw_rows import NONE, Numbers
from warehouse.readers.sorted_rows import Mask

CALL, RETURN, C_CALL, C_RETURN, LOSS_END = range(5)


class FrameMender:
    """Puts in what a gap left out, so that calls and returns match again.

    Frames whose return is missing return where their thread was last seen; frames whose call is missing are calls of
    `lost` from where they are first noticed; a return without anything else of its frame is left out.  A loss that ends
    tells which calls stayed open, so that none is taken for another that was as deep.

    A record changes the depth of its thread by one.  So what is put in is never more than what is known to be missing:
    `told` are the records that were lost of each thread, `damaged` those of any thread that could not be read; a record
    that would need more contradicts those before it and is left out itself (`rejected`).  `most` bounds all that is put
    in.

    >>> mender = FrameMender(lost=99, told={1: 3})
    >>> mender.mend({"thread": np.array([1, 1]), "time": np.array([10, 20]), "code": np.array([7, 0]),
    ...              "event": np.array([CALL, RETURN]), "depth": np.array([0, 3])})["event"].tolist()
    [0, 0, 0]
    >>> mender.invented, mender.rejected
    (2, 0)
    """

    def __init__(self, lost: int, told: Mapping[int, int] | None = None, damaged: int = 0, most: int = 1 << 20) -> None:
        self._lost = lost
        self._missing = Counter(told or {})  # thread -> records that may be put in for those that were lost
        self.damaged = damaged
        self._most = most
        self._open: dict[int, int] = {}  # thread -> frames that are open
        self._latest: dict[int, int] = {}  # thread -> time of its last record
        self.invented = 0  # calls
        self.rejected = 0

    def mend(self, columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """`thread`, `time`, `code`, `event` and `depth` (of the frame, 0 the outermost) of the next records, each
        thread's in their order; the same without `depth`, mended."""
        kept = {name: columns[name] for name in ("thread", "time", "code", "event")}
        if not len(kept["thread"]):
            return kept
        seen = _Seen.of(columns)
        last = self._begin(seen)
        torn, gone = self._judged(seen)
        end = np.where(gone[last], seen.known[last], seen.after[last])
        self._open.update(zip(seen.thread[last].tolist(), end.tolist(), strict=True))
        end = np.where(gone[last], seen.latest[last], seen.time[last])
        self._latest.update(zip(seen.thread[last].tolist(), end.tolist(), strict=True))
        if not len(torn) and not gone.any():
            return kept
        known, before = seen.known[torn], seen.before[torn]
        floor = np.minimum(known, seen.floor[torn])
        # a lone return: what lies around its frame is put in, itself it goes
        is_lone = (before > known) & seen.is_return[torn]
        gone[torn] = is_lone | seen.is_loss_end[torn]
        returns, calls = known - floor, before - floor - is_lone
        self.invented += int(calls.sum())
        place = np.repeat(torn, returns + calls)
        is_call = np.repeat(np.tile([False, True], len(torn)), np.column_stack([returns, calls]).ravel())
        put_in = {
            "thread": seen.thread[place],
            "time": np.where(is_call, seen.time[place], seen.latest[place]),
            "code": np.where(is_call, self._lost, 0),
            "event": np.where(is_call, CALL, RETURN),
        }
        stays = ~np.insert(gone, place, False)
        return {name: np.insert(kept[name], place, values)[stays] for name, values in put_in.items()}

    def _begin(self, seen: _Seen) -> Numbers:
        """Fill in how the records before left each thread; the place of the last record of each."""
        order = seen.order
        is_first = np.r_[True, seen.thread[order][1:] != seen.thread[order][:-1]]
        seen.known[order[1:]] = seen.after[order[:-1]]
        seen.latest[order[1:]] = seen.time[order[:-1]]
        seen.next[order[:-1]] = np.where(is_first[1:], NONE, order[1:])
        for first in order[is_first].tolist():
            thread = int(seen.thread[first])
            seen.known[first] = self._open.get(thread, 0)
            seen.latest[first] = self._latest.get(thread, int(seen.time[first]))
        return order[np.r_[is_first[1:], True]]

    def _judged(self, seen: _Seen) -> tuple[Numbers, Mask]:
        """Where something has to be put in, and which records are left out because they contradict those before."""
        bad = np.zeros(len(seen.thread), bool)
        waiting = np.flatnonzero((seen.known != seen.before) | seen.is_loss_end).tolist()
        known_to_wait = set(waiting)
        torn = []
        planned = self.invented
        while waiting:
            place = heapq.heappop(waiting)
            calls = self._calls_at(seen, place, planned)
            if calls is not None:
                planned += calls
                torn.append(place)
                continue
            bad[place] = True
            self.rejected += 1
            self._missing[int(seen.thread[place])] += 1
            following = int(seen.next[place])
            if following != NONE:
                seen.known[following], seen.latest[following] = seen.known[place], seen.latest[place]
                if following not in known_to_wait:
                    heapq.heappush(waiting, following)
                    known_to_wait.add(following)
        return np.array(torn, np.int64), bad

    def _calls_at(self, seen: _Seen, place: int, planned: int) -> int | None:
        """How many calls to put in before a record; None if it cannot be.  What it takes is no longer missing."""
        known, before = int(seen.known[place]), int(seen.before[place])
        floor = min(known, int(seen.floor[place]))
        if floor > before:
            return None
        calls = before - floor
        if calls == 0 and seen.starts_anew[place]:
            return 0
        thread = int(seen.thread[place])
        needed, missing = known - floor + calls, self._missing[thread]
        if needed > missing + self.damaged or planned + calls > self._most:
            return None
        self._missing[thread] = max(missing - needed, 0)
        self.damaged -= max(needed - missing, 0)
        return calls


@dataclass
class _Seen:
    """Records, and of each: frames that are open `before` and `after` it, as it says itself; `known`, as the record
    before left them; `latest`, when that was; `floor`, those that are open before and behind it; `next`, the record
    after it of its thread."""

    thread: Numbers
    time: Numbers
    is_return: Mask
    is_loss_end: Mask
    starts_anew: Mask  # an outermost call: a recording that goes on after a pause begins with one
    before: Numbers
    after: Numbers
    floor: Numbers
    order: Numbers
    known: Numbers
    latest: Numbers
    next: Numbers

    @classmethod
    def of(cls, columns: Mapping[str, Numbers]) -> _Seen:
        thread, event, depth = (columns[name] for name in ("thread", "event", "depth"))
        is_return = (event == RETURN) | (event == C_RETURN)
        is_loss_end = event == LOSS_END
        before = depth + is_return
        starts_anew = ((event == CALL) | (event == C_CALL)) & (depth == 0)
        return cls(
            thread, columns["time"], is_return, is_loss_end, starts_anew, before,
            after=np.where(is_loss_end, depth, depth + ~is_return),
            # a loss can end as deep as it began, and in other calls
            floor=np.where(is_loss_end, columns["code"], before),
            order=np.argsort(thread, kind="stable"), known=np.empty(len(thread), np.int64),
            latest=np.empty(len(thread), np.int64), next=np.full(len(thread), NONE),
        )  # fmt: skip

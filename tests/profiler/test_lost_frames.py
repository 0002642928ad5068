"""Calls and returns after losses: they match again, and what is known of them is kept."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

from warehouse.readers.raw_rows import Numbers
from warehouse.readers.recorded_frames import C_CALL, C_RETURN, CALL, LOSS_END, RETURN, FrameMender

LOST = 999
Record = tuple[int, int, int, int, int]  # thread, time, code, event, depth
NAMES = ("thread", "time", "code", "event", "depth")


def _calls(rng: random.Random, threads: int, count: int) -> Iterator[Record]:
    stacks: dict[int, list[int]] = defaultdict(list)
    for time in range(count):
        thread = rng.randrange(threads)
        stack = stacks[thread]
        if stack and rng.random() < 0.5:
            code = stack.pop()
            yield thread, time, 0, C_RETURN if code % 2 else RETURN, len(stack)
        else:
            code = rng.randrange(1, 50)
            yield thread, time, code, C_CALL if code % 2 else CALL, len(stack)
            stack.append(code)


def _columns(records: list[Record]) -> dict[str, Numbers]:
    return {name: np.array([each[at] for each in records], np.int64) for at, name in enumerate(NAMES)}


def _mended(
    records: list[Record], batch: int, told: dict[int, int] | None = None, damaged: int = 0, rejected: int = 0
) -> list[tuple[int, int, int, int]]:
    """thread, time, code and event; `told` are the records that were lost of each thread."""
    mender = FrameMender(LOST, told, damaged)
    found = []
    for first in range(0, len(records), batch):
        columns = mender.mend(_columns(records[first : first + batch]))
        found += zip(*(columns[name].tolist() for name in NAMES[:4]), strict=True)
    assert mender.invented == sum(code == LOST for _, _, code, _ in found)
    assert mender.rejected == rejected
    return found


def _told(before: list[Record], after: list[Record]) -> dict[int, int]:
    """Records that are missing of each thread: exactly those, for no more may be put in."""
    return {
        thread: sum(each[0] == thread for each in before)
        - sum(each[0] == thread and each[3] != LOSS_END for each in after)
        for thread in (0, 1)
    }


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_whole_records_stay_as_they_are(batch: int) -> None:
    records = list(_calls(random.Random(3), 3, 500))
    assert _mended(records, batch) == [record[:4] for record in records]


@pytest.mark.parametrize("seed", range(30))
def test_after_losses_calls_and_returns_match_again(seed: int) -> None:
    rng = random.Random(seed)
    whole = records = list(_calls(rng, 2, 400))
    for _ in range(4):  # as a full ring loses: some in a row, of one thread
        first, thread = rng.randrange(len(records)), rng.randrange(2)
        lost = [at for at in range(first, len(records)) if records[at][0] == thread][: rng.randrange(1, 40)]
        records = [record for at, record in enumerate(records) if at not in lost]
    mended = _mended(records, rng.choice([1, 13, 1000]), _told(whole, records))
    stacks: dict[int, list[int]] = defaultdict(list)
    times: dict[int, int] = defaultdict(int)
    calls = {(record[0], record[1]): record for record in records if record[3] in (CALL, C_CALL)}
    for thread, time, code, event in mended:
        assert time >= times[thread]  # nothing is put in before what was there already
        times[thread] = time
        if event in (CALL, C_CALL):
            if code != LOST:
                assert len(stacks[thread]) == calls.pop((thread, time))[4]  # every call lies as deep as it lay
            stacks[thread].append(code)
        else:
            assert stacks[thread]
            stacks[thread].pop()
    assert not calls


def test_a_call_is_open_where_its_return_is_missing() -> None:
    records = [(1, 10, 7, CALL, 0), (1, 20, 8, CALL, 1), (1, 90, 9, CALL, 1)]
    assert _mended(records, 10, {1: 1}) == [(1, 10, 7, CALL), (1, 20, 8, CALL), (1, 20, 0, RETURN), (1, 90, 9, CALL)]


def test_calls_that_are_missing_have_a_name_of_their_own() -> None:
    records = [(1, 10, 7, CALL, 0), (1, 90, 9, CALL, 2), (1, 95, 0, RETURN, 2), (1, 96, 0, RETURN, 1)]
    assert _mended(records, 10, {1: 1}) == [
        (1, 10, 7, CALL), (1, 90, LOST, CALL), (1, 90, 9, CALL), (1, 95, 0, RETURN), (1, 96, 0, RETURN),
    ]  # fmt: skip


def _with_losses(rng: random.Random, records: list[Record]) -> list[Record]:
    """As a full ring loses: some in a row, of one thread, and behind them how many calls stayed open meanwhile."""
    for _ in range(4):
        first, thread = rng.randrange(len(records)), rng.randrange(2)
        lost = [at for at in range(first, len(records)) if records[at][0] == thread][: rng.randrange(1, 40)]
        floor = min((records[at][4] if records[at][3] != LOSS_END else records[at][2] for at in lost), default=0)
        behind = (
            next((at for at in range(lost[-1] + 1, len(records)) if records[at][0] == thread), None) if lost else None
        )
        if behind is None:
            continue
        _, time, _, event, depth = records[behind]
        end = (thread, time, floor, LOSS_END, depth + (event in (RETURN, C_RETURN)))
        records = [*(each for at, each in enumerate(records[:behind]) if at not in lost), end, *records[behind:]]
    return records


@pytest.mark.parametrize("seed", range(60))
def test_no_call_is_taken_for_another_that_was_as_deep(seed: int) -> None:
    rng = random.Random(seed)
    records = list(_calls(rng, 2, 400))
    stacks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    around: dict[tuple[int, int], list[tuple[int, int]]] = {}  # each call -> those around it
    for thread, time, code, event, _ in records:
        if event in (CALL, C_CALL):
            around[thread, time] = list(stacks[thread])
            stacks[thread].append((time, code))
        else:
            stacks[thread].pop()
    open_calls: dict[int, list[tuple[int, int]]] = defaultdict(list)
    torn = _with_losses(rng, records)
    for thread, time, code, event in _mended(torn, rng.choice([1, 13, 1000]), _told(records, torn)):
        if event in (CALL, C_CALL):
            if code != LOST:
                truth = around[thread, time]
                assert len(truth) == len(open_calls[thread])
                assert all(
                    known in (told, (known[0], LOST)) for known, told in zip(open_calls[thread], truth, strict=True)
                )
            open_calls[thread].append((time, code))
        else:
            open_calls[thread].pop()


def test_a_call_behind_a_loss_is_not_in_one_that_returned_meanwhile() -> None:
    records = [(1, 10, 7, CALL, 0), (1, 20, 8, CALL, 1), (1, 90, 1, LOSS_END, 2), (1, 90, 9, CALL, 2)]
    assert _mended(records, 10, {1: 2}) == [
        (1, 10, 7, CALL), (1, 20, 8, CALL), (1, 20, 0, RETURN), (1, 90, LOST, CALL), (1, 90, 9, CALL),
    ]  # fmt: skip


@pytest.mark.parametrize("batch", [1, 3, 1000])
@pytest.mark.parametrize("seed", range(20))
def test_a_record_that_contradicts_those_before_costs_itself_alone(seed: int, batch: int) -> None:
    """A depth that cannot be: no call is put in for it, but what hangs on that one record."""
    rng = random.Random(seed)
    records = list(_calls(rng, 2, 300))
    at = rng.randrange(len(records))
    thread, time, code, event, depth = records[at]
    records[at] = (thread, time, code, event, depth ^ 1 << rng.randrange(5, 24))
    whole = [record[:4] for record in records]
    mender = FrameMender(LOST)
    found = []
    for first in range(0, len(records), batch):
        columns = mender.mend(_columns(records[first : first + batch]))
        found += zip(*(columns[name].tolist() for name in NAMES[:4]), strict=True)
    assert mender.rejected == 1
    assert mender.invented <= 1
    missing = [each for each in whole if each not in found]
    assert len(missing) <= 2  # itself, and its return if that comes next
    open_calls = {0: 0, 1: 0}
    deep = {(each[0], each[1]): each[4] for each in records if each[3] in (CALL, C_CALL)}
    for thread, time, code, event in found:
        if event in (CALL, C_CALL) and code != LOST:
            assert open_calls[thread] == deep[thread, time]
        open_calls[thread] += 1 if event in (CALL, C_CALL) else -1
        assert open_calls[thread] >= 0


def test_what_is_put_in_is_never_more_than_was_lost() -> None:
    """A depth of millions that nothing explains, a return of such a frame, an end of a loss that nobody told of."""
    records = [(1, 10, 7, CALL, 0), (1, 20, 8, CALL, 9_000_000), (1, 30, 0, LOSS_END, 8_000_000), (1, 40, 9, CALL, 1)]
    assert _mended(records, 10, rejected=2) == [(1, 10, 7, CALL), (1, 40, 9, CALL)]


def test_more_than_a_recording_can_hold_is_never_put_in() -> None:
    mender = FrameMender(LOST, {1: 1 << 60}, most=100)
    mender.mend(_columns([(1, 10, 0, LOSS_END, 101), (1, 20, 0, LOSS_END, 60), (1, 30, 0, LOSS_END, 60)]))
    assert (mender.invented, mender.rejected) == (60, 2)


def test_a_recording_that_goes_on_after_a_pause_begins_anew() -> None:
    records = [(1, 10, 7, CALL, 0), (1, 20, 8, CALL, 1), (1, 90, 7, CALL, 0), (1, 90, 9, CALL, 1)]
    assert _mended(records, 10) == [
        (1, 10, 7, CALL), (1, 20, 8, CALL), (1, 20, 0, RETURN), (1, 20, 0, RETURN), (1, 90, 7, CALL), (1, 90, 9, CALL),
    ]  # fmt: skip


def test_what_damaged_chunks_held_may_be_put_in_on_any_thread() -> None:
    records = [(1, 10, 7, CALL, 0), (1, 90, 9, CALL, 2)]
    assert _mended(records, 10, damaged=1) == [(1, 10, 7, CALL), (1, 90, LOST, CALL), (1, 90, 9, CALL)]

"""Totals of host memory: the blocks that were allocated since the recording began and are alive."""

import random

import numpy as np
import pytest

from warehouse.readers.host_totals import HostTotals


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_they_are_the_sum_of_the_live_blocks(seed, batch):
    rng = random.Random(seed)
    live, before = {}, {64 * at: 5 for at in range(10)}  # those from before the recording are not told of
    records, expected = [], []
    for _ in range(300):
        free = [at for at in range(0, 64 * 30, 64) if at not in live and at not in before]
        if rng.random() < 0.5 and free:
            address, size = rng.choice(free), rng.randrange(1, 100)
            live[address] = size
        elif live or before:
            address = rng.choice([*live, *before])
            size = -(live.pop(address) if address in live else before.pop(address))
        records.append((address, size))
        expected.append(sum(live.values()))
    totals = HostTotals()
    found = []
    for first in range(0, len(records), batch):
        address, size = np.array(records[first : first + batch], np.int64).T
        found += totals.feed(address, size).tolist()
    assert found == expected


def test_no_records():
    assert HostTotals().feed(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []

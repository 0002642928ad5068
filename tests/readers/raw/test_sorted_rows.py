"""Sorting with little memory gives what sorting at once gives."""

import tempfile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.errors import WriteError
from warehouse.readers import sorted_rows
from warehouse.readers.raw_rows import aligned, numbers, rows
from warehouse.readers.sorted_rows import SortedRows, SpillFolder

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), max_size=300)


def batches(pairs, size):
    for first in range(0, len(pairs), size):
        part = pairs[first : first + size]
        one, two = (np.array(column, dtype=np.int64) for column in zip(*part, strict=True))
        yield rows(len(part), one=one, two=two, place=np.arange(first, first + len(part)))


@given(ROWS, st.integers(1, 40), st.sampled_from([1, 400, 1 << 20]))
def test_as_sorting_at_once(pairs, size, limit):
    with SpillFolder(limit) as folder:
        ordered, other = SortedRows(["one", "-two"], folder), SortedRows(["two"], folder)
        for batch in batches(pairs, size):
            ordered.add(batch)
            other.add(batch)
        expected = sorted(range(len(pairs)), key=lambda place: (pairs[place][0], -pairs[place][1]))
        for _ in range(2):
            assert [place for batch in ordered.batches() for place in batch.column("place").to_pylist()] == expected
        assert ordered.rows == sum(batch.num_rows for batch in other.batches()) == len(pairs)


@given(ROWS, st.integers(1, 7))
def test_groups_are_not_cut(pairs, size):
    with pytest.MonkeyPatch.context() as patch, SpillFolder(1) as folder:
        patch.setattr(sorted_rows, "BATCH_ROWS", size)
        ordered = SortedRows(["one"], folder)
        for batch in batches(pairs, 10):
            ordered.add(batch)
        groups = [set(batch.column("one").to_pylist()) for batch in ordered.batches(["one"], together=["one"])]
    assert sum(map(len, groups)) == len({one for one, _ in pairs})


def test_a_full_disk_is_told_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    ordered = SortedRows(["one"], SpillFolder(1))
    (batch,) = batches([(1, 2)] * 9, 9)
    with pytest.raises(WriteError, match="no room for temporary files"):
        ordered.add(batch)


@given(ROWS, ROWS)
def test_aligned_rows_are_those_up_to_the_last_key(mine, theirs):
    found = []
    with pytest.MonkeyPatch.context() as patch, SpillFolder() as folder:
        patch.setattr(sorted_rows, "BATCH_ROWS", 1)
        ordered = SortedRows(["one"], folder)
        for batch in batches(mine, 10):
            ordered.add(batch)
        others = (pa.record_batch({"one": [one]}) for one, _ in sorted(theirs))
        for batch, (other,) in aligned(ordered.batches(together=["one"]), [others], ("one",)):
            (limit,) = {int(value) for value in numbers(batch, "one")[0]}
            assert other is None or other.column("one")[-1].as_py() <= limit
            found += [] if other is None else other.column("one").to_pylist()
    last = max((one for one, _ in mine), default=-1)
    assert found == sorted(one for one, _ in theirs if one <= last)

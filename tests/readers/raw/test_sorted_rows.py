"""Sorting with little memory gives what sorting at once gives."""

import tempfile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.errors import WriteError
from warehouse.readers.raw_rows import aligned, rows
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
    with SpillFolder(1, size) as folder:
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


@given(ROWS, ROWS, st.sampled_from([1, 1 << 20]))
def test_aligned_rows_are_those_from_the_first_to_the_last_key(mine, theirs, limit):
    with SpillFolder(limit, 3) as folder:
        ordered, other = SortedRows(["one", "two"], folder), SortedRows(["one", "-two"], folder)
        for rows_, pairs in ((ordered, mine), (other, theirs)):
            for batch in batches(pairs, 10):
                rows_.add(batch)
        for columns, (found,) in aligned(ordered.columns(together=["one"]), [other], ("one",)):
            low, high = columns["one"][0], columns["one"][-1]
            expected = sorted((one, -two) for one, two in theirs if low <= one <= high)
            assert (found is None) == (not expected)
            if found is not None:
                assert list(zip(found["one"].tolist(), (-found["two"]).tolist(), strict=True)) == expected


@given(ROWS, st.integers(1, 3000), st.sampled_from([1, 1 << 20]))
def test_columns_of_every_form(pairs, times, limit):
    """Arrays, values for all rows, missing columns, nulls told by a mask or by NONE, and rows left out."""
    schema = pa.schema(
        [(name, pa.int64()) for name in ("key", "same", "gone", "sparse", "masked")] + [("real", pa.float64())]
    )
    count = len(pairs)
    one, two = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
    real = np.where(two > 0, two / 3, np.nan)
    with SpillFolder(limit) as folder:
        ordered = SortedRows(["key"], folder, schema)
        for _ in range(1 + times // 1000):
            ordered.add_columns(
                count, two != 2, ("sparse",), key=one, same=7, sparse=two, masked=pa.array(two, mask=two == 1),
                real=pa.array(real, mask=np.isnan(real)),
            )  # fmt: skip
        found = [row for batch in ordered.batches() for row in batch.to_pylist()]
        again = [
            row
            for batch in ordered.columns()
            for row in zip(*(batch[name].tolist() for name in ("key", "gone", "sparse")), strict=True)
        ]
    kept = [(key, value) for _ in range(1 + times // 1000) for key, value in pairs if value != 2]
    expected = [
        {
            "key": key, "same": 7, "gone": None, "sparse": None if value == -1 else value,
            "masked": None if value == 1 else value, "real": value / 3 if value > 0 else None,
        }
        for key, value in sorted(kept, key=lambda pair: pair[0])
    ]  # fmt: skip
    assert found == expected
    assert again == [(row["key"], -1, -1 if row["sparse"] is None else row["sparse"]) for row in expected]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"key": np.array([1, 2, 3])}, ValueError, "column key has 3 rows, not 2"),
        ({"key": np.array([1.5, 2])}, TypeError, "column key is not of its type"),
        ({"key": np.array([1, 2]), "other": 3}, ValueError, "columns that the sorter does not have"),
        ({"value": 3}, ValueError, "key is sorted by and has a null in row 0"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns, error, message):
    ordered = SortedRows(["key"], SpillFolder(), pa.schema([("key", pa.int64()), ("value", pa.int64())]))
    with pytest.raises(error, match=message):
        ordered.add_columns(2, **columns)
    assert ordered.rows == 0

"""Columns of numbers between readers, sweeps and tables."""

import array

import numpy as np
import pyarrow as pa
import pytest

from warehouse import _native


def test_rows_are_taken_from_columns_of_every_kind():
    columns = [
        pa.array([0, 1, None, 3, 4], pa.int64())[1:],
        np.array([10, 11, 12, 13]),
        array.array("q", [20, 21, 22, 23]),
        pa.nulls(4),
    ]
    taken = _native.take_rows(columns, np.array([3, 0, 1, 1]))
    assert [column.tolist() for column in taken] == [[4, 1, -1, -1], [13, 10, 11, 11], [23, 20, 21, 21], [-1] * 4]
    assert _native.filled(columns[0]).tolist() == [1, -1, 3, 4]
    assert [column.tolist() for column in _native.take_rows(columns, np.array([], dtype=np.int64))] == [[]] * 4


@pytest.mark.parametrize("place", [-1, 4])
def test_places_beyond_the_rows_are_refused(place):
    with pytest.raises(IndexError, match=f"place {place} of 4 rows"):
        _native.take_rows([pa.array([1, 2, 3, 4])], np.array([place]))


@pytest.mark.parametrize("column", [pa.array(["a"]), pa.array([1], pa.int32()), np.zeros(1), 5])
def test_other_columns_are_refused(column):
    with pytest.raises((TypeError, ValueError)):
        _native.take_rows([column], np.array([0]))


def test_strings_by_number():
    known = _native.StringNumbers()
    numbers = [-5, 0, 1, 2, 9, 10, 2**62, 2**63 - 1]
    known.add(np.array(numbers[:3]), np.arange(1, 4), np.arange(11, 14))
    known.add(np.array(numbers[3:]), np.arange(4, 9), np.arange(14, 19))
    found, lost, words = known.ids(pa.array([9, None, 3, 2**63 - 1, -(2**63), 8, -1, 0]), 77, 5)
    assert (found.tolist(), lost, words) == ([-1, 77, 77, 8, 77, 77, 77, 2], 3, 1)
    known.set_words(np.array([40, 41]))
    found, lost, words = known.ids(np.array([-2, -3, -4]))
    assert (found.tolist(), lost, words) == ([40, 41, -1], 1, 1)
    assert known.forms(pa.array([0, None, 2**62, 3])).tolist() == [12, 0, 17, 0]
    with pytest.raises(ValueError, match="comes after"):
        known.add(np.array([4]), np.array([1]), np.array([1]))


def test_nullable():
    column = _native.Nullable(np.array([-1, -2, 0]))
    assert len(column) == 3
    assert column.tolist() == [None, -2, 0]


def test_contents_are_known_again():
    known = _native.ContentIds()
    first, fresh = known.ids([np.array([1, 2, 1]), np.array([5, 5, 5])])
    assert (first.tolist(), fresh.tolist(), known.last) == ([1, 2, 1], [0, 1], 2)
    known.rewind(1)
    known.remember(np.array([9]), [np.array([3]), np.array([3])])
    again, fresh = known.ids([np.array([2, 3, 1]), np.array([5, 3, 5])])
    assert (again.tolist(), fresh.tolist()) == ([10, 9, 1], [0])
    with pytest.raises(ValueError, match="rows"):
        known.ids([np.array([1]), np.array([1, 2])])

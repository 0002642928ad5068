"""Parts of ingest by themselves: links on disk, strings, kernels by content, names of metrics."""

from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest

from warehouse.errors import InputError
from warehouse.ingest.kernels import KERNEL_COLUMNS, KernelCatalogue
from warehouse.ingest.link import LinkStore
from warehouse.ingest.metrics import metric_column
from warehouse.ingest.strings import StringMap, filled, nullable
from warehouse.readers.official import OfficialReader
from warehouse.store import add_to, new_warehouse
from warehouse.store.tables import METRIC_COLUMNS


def test_links_keep_the_first_and_find_in_any_order():
    with LinkStore() as store:
        links = store.table("one two")
        links.add(np.array([5, 5, 2**62, -7]), np.array([1, 2, 3, 4]), np.array([10, 20, 30, 40]))
        one, two = links.find(np.array([2**62, 8, 5, -7, 5]))
        assert one.tolist() == [3, -1, 1, 4, 1]
        assert two.tolist() == [30, -1, 10, 40, 10]
        assert [column.tolist() for column in links.find(np.array([], dtype=np.int64))] == [[], []]


def test_null_and_none():
    column = pa.array([1, None, 3], pa.int64())
    assert filled(column).tolist() == [1, -1, 3]
    assert nullable(filled(column)).tolist() == column.to_pylist()
    assert filled(column.slice(2)).tolist() == [3]


def test_strings_of_a_source(profile, database_of, tmp_path):
    with new_warehouse(tmp_path / "W.db") as loader, OfficialReader(database_of(next(profile.iterdir()))) as reader:
        strings = StringMap(loader, reader)
        texts = {row["id"]: row["value"] for batch in reader.strings() for row in batch.to_pylist()}
        numbers = pa.array([*list(texts)[:50], None, 10**12], pa.int64())
        expected = [*loader.intern(list(texts.values())[:50]), -1, -1]
        assert strings.ids(numbers).tolist() == expected
        assert strings.unresolved == 1
        assert strings.required(numbers)[-1] == loader.intern([""])[0]
        word = reader.database.word("of our own")
        assert strings.ids(pa.array([word, word - 1000])).tolist() == [*loader.intern(["of our own"]), -1]
        missing = [number for number, text in texts.items() if text == "N/A"]
        assert strings.ids_unless_missing(pa.array(missing[:1])).tolist() == [-1]


def test_a_kernel_is_stored_once(tmp_path):
    def contents(*names):
        rows = [(name, *[-1] * (len(KERNEL_COLUMNS) - 2), 0) for name in names]
        return [np.array(column) for column in zip(*rows, strict=True)]

    with new_warehouse(tmp_path / "W.db") as loader:
        loader.intern(["a", "b", "c"])
        catalogue = KernelCatalogue(loader)
        assert catalogue.ids(contents(1, 2, 1)).tolist() == [1, 2, 1]
        with suppress(InputError), loader.undoing():
            assert catalogue.ids(contents(2, 3)).tolist() == [2, 3]
            raise InputError("bad")
        catalogue.forget()
    with add_to(tmp_path / "W.db") as loader:
        assert KernelCatalogue(loader).ids(contents(3, 2, 4)).tolist() == [3, 2, 4]


def test_every_counter_has_a_column_of_its_own():
    names = {column: _vendor(column) for column in METRIC_COLUMNS}
    assert {name: metric_column(name) for name in names.values()} == {name: column for column, name in names.items()}
    assert metric_column("aic_GM_to_L1_datas") == "aic_gm_to_l1_datas"
    assert metric_column("something_else") is None


def _vendor(column):
    """The vendor's name of a column."""
    for ours, theirs in (("_time_ns", "_time"), ("_count", ""), ("icache_miss_ratio", "icache_miss_rate")):
        if column.endswith(ours):
            return column.removesuffix(ours) + theirs
    return column


@pytest.mark.parametrize("rows", [1, 4096, 4097])
def test_lookups_of_many(rows):
    with LinkStore() as store:
        links = store.table("value")
        keys = np.arange(rows, dtype=np.int64) * 3
        links.add(keys, keys + 1)
        assert (links.find(keys[::-1])[0] == keys[::-1] + 1).all()

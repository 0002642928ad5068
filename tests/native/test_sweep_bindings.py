"""The sweeps as Python sees them: inputs, outputs, errors.  What they compute is tested in C++ (run.py)."""

import ast
import doctest
import os
import threading
from array import array
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warehouse
from warehouse._native import DeviceSweep, HostSweep, KeyedSums, LaneSweep, OpTotals


def column(*values: int) -> "array[int]":
    return array("q", values)


NONE = column()


def test_examples_in_the_stubs_are_true() -> None:
    """Each docstring example of the module, run as it stands."""
    stubs = Path(warehouse.__file__).parent / "_native.pyi"
    tree = ast.parse(stubs.read_text(encoding="utf-8"))
    namespace = dict(vars(warehouse._native))
    run = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
            example = doctest.DocTestParser().get_doctest(text, dict(namespace), node.name, str(stubs), node.lineno)
            result = doctest.DocTestRunner(verbose=False).run(example)
            assert result.failed == 0
            run += result.attempted
    assert run >= 10


@pytest.mark.parametrize(
    "wrap",
    [
        lambda values: array("q", values),
        lambda values: memoryview(array("q", values)),
        lambda values: memoryview(array("q", values)).cast("B").cast("q"),
        lambda values: pa.array(values, pa.int64()),
        lambda values: pa.array([99, *values, 99], pa.int64()).slice(1, len(values)),
        lambda values: pa.array(values, pa.int64()).buffers()[1].slice(0, 8 * len(values)),
        lambda values: array("q", values).tobytes(),
    ],
)
def test_every_int64_column_is_taken(wrap: object) -> None:
    assert callable(wrap)
    track, start, end = wrap([1, 1, 1]), wrap([0, 5, 10]), wrap([10, 15, 20])
    assert LaneSweep().feed(track, start, end).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([1], TypeError, "track: expected a buffer or an Arrow array of int64, not list"),
        (array("i", [1]), TypeError, "track: expected one dimension of int64 .format 'q'., not format 'i'"),
        (array("d", [1]), TypeError, "not format 'd'"),
        (b"1234567", TypeError, "not format 'B'"),
        (memoryview(bytes(32)).cast("q", (2, 2)), TypeError, "one dimension"),
        (memoryview(array("q", [1, 2, 3]))[::2], BufferError, "not C-contiguous"),
        (pa.array([1], pa.int32()), TypeError, "track: expected an Arrow array of int64, not of format 'i'"),
        (pa.array([None, 1], pa.int64()), ValueError, "track: the Arrow array has nulls"),
        (column(1, 2), ValueError, "column start has 1 rows, the first column has 2"),
    ],
)
def test_other_columns_are_refused(bad: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LaneSweep().feed(bad, column(1), column(1))  # type: ignore[arg-type]


def test_a_slice_without_its_nulls_is_taken() -> None:
    assert LaneSweep().feed(pa.array([None, 1], pa.int64()).slice(1), column(1), column(1)).tolist() == [0]


def test_columns_leave_without_a_copy() -> None:
    lanes = LaneSweep().feed(column(1, 1), column(0, 5), column(10, 15))
    view = memoryview(lanes)
    assert (view.format, view.readonly, view.tolist()) == ("q", True, [0, 1])
    arrow = pa.Array.from_buffers(pa.int64(), len(lanes), [None, pa.py_buffer(lanes)])
    del lanes, view
    assert arrow.to_pylist() == [0, 1]


def test_a_column_is_a_sequence() -> None:
    lanes = LaneSweep().feed(column(1, 1), column(0, 5), column(10, 15))
    assert (len(lanes), lanes[0], lanes[-1], list(lanes)) == (2, 0, 1, [0, 1])
    for row in (2, -3):
        with pytest.raises(IndexError, match=f"row {row} of a column of 2"):
            lanes[row]


def test_an_empty_column_is_a_buffer() -> None:
    lanes = LaneSweep().feed(NONE, NONE, NONE)
    assert memoryview(lanes).tolist() == []
    assert pa.py_buffer(lanes).size == 0


def test_host_columns_are_complete() -> None:
    sweep = HostSweep(column(7), column(0), column(100), 1, 2, 3, 4, True)
    start, end = column(0, 1, 5), column(9, 2, 8)
    links = sweep.feed(
        column(0, 2, 3), start, end, column(1, 1, 2), column(5, 6, 6), column(0, 8, 8), column(9, -1, -1)
    )
    names = ("id", "parent", "depth", "lane", "op", "rule", "queue", "number", "step", "inside", "python")
    assert [getattr(links, name).tolist() for name in names] == [
        [1, 4, 4], [-1] * 3, [0] * 3, [0] * 3, [-1, 1, 1], [0] * 3, [-1, 4, 4], [-1] * 3, [7] * 3, [7] * 3, [-1] * 3,
    ]  # fmt: skip
    names = ("framework", "framework_name", "frame", "frame_name", "module", "outer_module", "outer_name", "outer_key")
    assert [getattr(links, name)[0] for name in names] == [1, 5, -1, -1, 9, -1, -1, -1]
    tasks = sweep.take_queue_tasks()
    halves = [f"{half}_{part}" for half in ("enqueue", "dequeue") for part in ("start", "end", "thread", "name")]
    row = [getattr(tasks, name)[0] for name in ("id", "correlation", "op", "step", *halves)]
    assert row == [4, 8, 1, 7, 1, 2, 1, 6, 5, 8, 2, 6]
    assert len(sweep.finish().id) == 0
    with pytest.raises(RuntimeError, match="the sweep is finished"):
        sweep.feed(NONE, NONE, NONE, NONE, NONE, NONE, NONE)


def test_sums_by_key_are_complete() -> None:
    sums = KeyedSums(2, 2)
    sums.feed([column(1, 1, 2), column(5, 5, 5)], [column(10, 30, 7), column(-1, 4, -1)])
    groups = sums.take()
    assert [key.tolist() for key in groups.keys] == [[1, 2], [5, 5]]
    found = [[value.tolist() for value in getattr(groups, name)] for name in ("counts", "sums", "least", "most")]
    assert found == [[[2, 1], [1, 0]], [[40, 7], [4, -1]], [[10, 7], [4, -1]], [[30, 7], [4, -1]]]
    with pytest.raises(ValueError, match="column value has 1 rows"):
        sums.feed([column(1, 1), column(1, 1)], [column(1, 1), column(1)])


def test_a_full_disk_is_an_error_of_the_file(tmp_path: Path) -> None:
    with (tmp_path / "spill").open("w") as file:
        handle = os.open(file.name, os.O_RDONLY)  # refuses what is written
    try:
        totals = OpTotals(1, handle, 10)
        host = column(0), column(0), column(9), column(0), column(5), column(0), column(-1)
        links = HostSweep(NONE, NONE, NONE, 1, 1, 1, 1, True).feed(*host)
        totals.add_host(*host[:3], *host[4:], links)
        with pytest.raises(OSError, match=r"[Bb]ad file descriptor"):
            totals.walk()
    finally:
        os.close(handle)


def test_device_columns_are_complete() -> None:
    sweep = DeviceSweep(column(7), column(0), column(12), column(0), column(12))
    links = sweep.feed(column(1, 5), column(0, 15), column(10, 20), column(3, 3), column(0, 0))
    assert [getattr(links, name).tolist() for name in ("wait", "step", "task_step", "lane")] == [
        [0, 5], [7, -1], [7, -1], [0, 0],
    ]  # fmt: skip
    parts = [sweep.take_intervals(), sweep.finish()]
    rows = [row for part in parts for row in zip(part.device, part.kind, part.start, part.end, part.step, strict=True)]
    assert sorted(rows) == [(3, 0, 0, 10, 7), (3, 1, 15, 20, -1), (3, 2, 15, 20, -1), (3, 3, 10, 15, 7)]
    totals = sweep.step_totals()
    names = ("step", "device", "computing", "communication", "not_overlapped", "free", "bubble")
    assert [getattr(totals, name).tolist() for name in names] == [[7], [3], [10], [0], [0], [0], [0]]
    assert (totals.first_start.tolist(), totals.last_end.tolist()) == ([0], [10])


def test_errors_name_the_row() -> None:
    sweep = DeviceSweep(NONE, NONE, NONE, NONE, NONE)
    with pytest.raises(ValueError, match="feed: row 1 starts at 5, before the start 6 of the row before it"):
        sweep.feed(column(1, 1), column(6, 5), column(7, 7), column(0, 0), column(0, 0))
    with pytest.raises(ValueError, match="HostSweep: column step starts has 0 rows"):
        HostSweep(column(1), NONE, NONE, 1, 1, 1, 1, False)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50), st.integers(0, 20)), max_size=30), st.data())
def test_pieces_give_the_same_as_the_whole(slices: list[tuple[int, int, int]], data: st.DataObject) -> None:
    slices.sort(key=lambda item: (item[1], -item[2]))
    columns = [column(*values) for values in zip(*((t, s, s + d) for t, s, d in slices), strict=True)] or [NONE] * 3
    whole = LaneSweep().feed(*columns).tolist()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(slices)))))
    sweep = LaneSweep()
    pieces = [
        lane
        for start, end in zip([0, *cuts], [*cuts, len(slices)], strict=True)
        for lane in sweep.feed(*(values[start:end] for values in columns)).tolist()
    ]
    assert pieces == whole


def test_threads_may_share_a_sweep() -> None:
    """The GIL is released while a sweep runs; a lock keeps the feeds apart."""
    sweep = LaneSweep()
    rows = 20_000
    results: dict[int, list[int]] = {}

    def feed(track: int) -> None:
        results[track] = sweep.feed(column(*[track] * rows), column(*range(rows)), column(*range(1, rows + 1))).tolist()

    threads = [threading.Thread(target=feed, args=(track,)) for track in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {track: [0] * rows for track in range(4)}

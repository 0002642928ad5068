"""The parser of view files, their order, and the SELECT builder."""

from __future__ import annotations

import pytest

from warehouse import store
from warehouse.errors import UsageError
from warehouse.store.registry import read_views
from warehouse.store.view_file import ViewColumn, ViewWindow, read_view

WHOLE = """CREATE VIEW kernel_time AS
-- Device time of each kernel;
-- it's a sum: of durations.
--
-- grain: rank_id,
--        name
-- uses:  device_task,
--        op_named
-- file:  kernel_time.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id       -      [key] rank
--   "Name (us)"   stamp  name as the device
--                        reported it
--   total_ns      ns     [optional] sum: may be missing
SELECT ';' AS x; -- done;
""".replace("; -- done;", ";")


def _write(folder, name, text, room="device"):
    (folder / room).mkdir(exist_ok=True)
    path = folder / room / f"{name}.sql"
    path.write_text(text)
    return path


def _minimal(name, uses="op"):
    header = f"-- A view.\n--\n-- grain: a\n-- uses: {uses}\n-- cols:\n--   a  -  it"
    return f"CREATE VIEW {name} AS\n{header}\nSELECT 1 AS a;\n"


def test_a_whole_header(tmp_path):
    view = read_view(_write(tmp_path, "kernel_time", WHOLE))
    assert (view.name, view.room) == ("kernel_time", "device")
    assert view.purpose == "Device time of each kernel; it's a sum: of durations."
    assert view.grain == ("rank_id", "name")
    assert view.uses == ("device_task", "op_named")
    assert view.file == "kernel_time.csv"
    assert view.window == ViewWindow("kernel_time", "start_ns", "end_ns")
    assert view.columns == (
        ViewColumn("rank_id", "-", "rank", is_key=True),
        ViewColumn("Name (us)", "stamp", "name as the device reported it"),
        ViewColumn("total_ns", "ns", "sum: may be missing", is_optional=True),
    )
    assert view.text == WHOLE.rstrip().removesuffix(";")
    with pytest.raises(UsageError, match="no column b; it has rank_id, Name"):
        view.column("b")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("VIEW v", "VIEW w"), "first line"),
        (("-- grain: a\n", ""), "no 'grain:'"),
        (("-- uses: op\n", ""), "no 'uses:'"),
        (("--   a  -  it\n", ""), "no 'cols:'"),
        (("-- A view.\n", ""), "what the view is for"),
        (("-- uses: op", "-- uses: op\n-- uses: op"), "twice"),
        (("a  -  it", "a"), "is not <name> <unit>"),
        (("AS a;", "AS a"), "one statement"),
        (("AS a;", "AS a; SELECT 2;"), "one statement"),
        (("-- cols", "-- window: self start_ns\n-- cols"), "window"),
    ],
)
def test_faults_of_a_header(tmp_path, change, message):
    text = _minimal("v")
    assert change[0] in text
    with pytest.raises(ValueError, match=message):
        read_view(_write(tmp_path, "v", text.replace(*change)))


def test_views_come_after_what_they_use(tmp_path):
    for name, uses in (("a", "c, op"), ("b", "op"), ("c", "b, string")):
        _write(tmp_path, name, _minimal(name, uses))
    order = list(read_views(tmp_path))
    assert order.index("b") < order.index("c") < order.index("a")


def test_circles_and_names_given_twice(tmp_path):
    _write(tmp_path, "a", _minimal("a", "b"))
    _write(tmp_path, "b", _minimal("b", "a"))
    with pytest.raises(ValueError, match="circle"):
        read_views(tmp_path)
    _write(tmp_path, "a", _minimal("a"), room="host")
    with pytest.raises(ValueError, match="already"):
        read_views(tmp_path)


def test_select_quotes_names_and_binds_values():
    text, values = store.select(
        'odd "view"', ["Name (us)"], [("a", "=", "'x'"), ("b", "in", {1}), ("c", "=", None), ("d", "<>", None)],
        order=["a", "b"], limit=3,
    )  # fmt: skip
    assert text == (
        'SELECT "Name (us)" FROM "odd ""view""" WHERE "a" = ? AND "b" IN (?) AND "c" IS NULL AND "d" IS NOT NULL '
        'ORDER BY "a", "b" LIMIT ?'
    )
    assert values == ["'x'", 1, 3]
    with pytest.raises(UsageError, match="is not one of"):
        store.select("op", where=[("a", "; DROP", 1)])


@pytest.mark.parametrize("look_back_ns", [None, 50])
def test_window_takes_what_overlaps(tmp_path, look_back_ns):
    path = tmp_path / "w.db"
    spans = [(0, 100), (50, 100), (60, 101), (99, 149), (100, 100), (120, 130), (199, 300), (200, 200), (200, 210)]
    with store.new_warehouse(path) as loader:
        loader.write(
            "gc_event",
            {"rank_id": 1, "thread_id": 1, "start_ns": [a for a, _ in spans], "end_ns": [b for _, b in spans]},
        )
    connection = store.open_read(path)
    window = store.Window("start_ns", "end_ns", 100, 200, look_back_ns)
    statement = store.select("gc_event", ["start_ns", "end_ns"], window=window, order=["start_ns"])
    found = connection.execute(*statement).fetchall()
    assert found == [(60, 101), (99, 149), (100, 100), (120, 130), (199, 300)]
    plan = connection.execute(
        "EXPLAIN QUERY PLAN " + store.select("gc_event", where=[("rank_id", "=", 1)], window=window)[0],
        [1, 200, 100, 100, 50][: 4 + (look_back_ns is not None)],
    ).fetchall()
    assert "USING INDEX gc_event__rank_id__start_ns" in plan[0][3]
    connection.close()

"""Rows written natively are those of the cursor to the byte; what cannot be read so is left to it, and told by it."""

import errno
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.views import test_view_cases as view_cases
from warehouse import store
from warehouse._native import LibraryUnavailableError, RowsRefusedError, SqliteLibrary
from warehouse.errors import NpuwhError
from warehouse.export import export, native_rows, section_plan
from warehouse.export.csv_file import write_csv
from warehouse.export.native_rows import SWITCH, open_native_rows
from warehouse.export.row_section import FLOW_COLUMNS, RowSection, events_of, written_columns
from warehouse.export.selection import Selection, choose
from warehouse.export.source import ExportSource, open_source
from warehouse.export.trace_events import EventArray, write_by_cursor
from warehouse.ingest import ingest
from warehouse.sample import write_profile
from warehouse.store.row_plan import parts_of, row_plan
from warehouse.store.unfolding import unfolded
from warehouse.store.view_body import view_body

CASES = Path(view_cases.__file__).parent
EXPORTED = [
    name for name, view in store.views().items()
    if view.room in ("export", "trace") and view.window is not None and view.window.view == name
]  # fmt: skip
# views with a row a record: their texts are remembered and they are read range by range; columns whose texts are not
RECORDS = {
    "trace_op": [], "trace_python": [], "trace_enqueue": [], "trace_dequeue": [], "trace_gc": [], "trace_mark": [],
    "trace_api": [], "trace_task": [], "trace_comm_op": [], "trace_comm_task": [], "trace_memory": [],
    "vendor_op_slice": [], "vendor_python_slice": [], "vendor_enqueue_slice": [], "vendor_dequeue_slice": [],
    "vendor_gc_slice": [], "vendor_mark_slice": ["args:domain"],
    "vendor_api_slice": [],
    # of copies alone
    "vendor_task_slice": ["args:size(B)", "args:bandwidth(GB/s)"],
    "vendor_comm_op_slice": [], "vendor_comm_task_slice": [], "vendor_queue_flow": [], "vendor_torch_flow": [],
    "vendor_launch_flow": [], "export_kernel_details": [], "export_task_time": [],
    "export_operator_memory": ["Duration(us)"],
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch):
    """Many ranges and threads, so that their order is put to the test."""
    monkeypatch.setattr(section_plan, "_ROWS", 5)
    monkeypatch.setattr(native_rows, "_thread_count", lambda: 3)


@pytest.fixture
def both_ways(monkeypatch, tmp_path):
    """A function: exports natively and by the cursor; gives the files of both, by name."""

    def call(warehouse, kinds=("text", "trace"), **wanted):
        made = []
        for way in "native", "cursor":
            monkeypatch.setenv(SWITCH, way)
            export(warehouse, tmp_path / way, kinds, **wanted)
            paths = sorted(path for path in (tmp_path / way).rglob("[!.]*") if path.is_file())
            made.append({path.relative_to(tmp_path / way).as_posix(): path.read_bytes() for path in paths})
            shutil.rmtree(tmp_path / way)
        return made

    return call


def same(pair):
    native, cursor = pair
    assert native.keys() == cursor.keys() != set()
    for name in native:
        assert native[name] == cursor[name], name


SETTINGS = [
    {},
    {"level": "Level0", "graph": "bare"},
    {"level": "Level2", "generation": "1.0.0", "graph": "replay", "queue": False},
    {"graph": "none", "queue": False, "stack": False},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(map(str, settings.values())) or "default")
def test_every_file_is_the_same(both_ways, tmp_path, settings):
    write_profile(tmp_path / "job", steps=2, ops_per_step=10, **settings)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    same(both_ways(tmp_path / "W.db"))


def test_a_selection_is_the_same(both_ways, sample):
    with closing(store.open_read(sample)) as connection:
        query = store.select("event_extent", ["min_start_ns", "max_end_ns"], [("table_name", "=", "device_task")])
        first, last = connection.execute(*query).fetchone()
    middle = (first + last) // 2
    for wanted in (
        {"rank": 1}, {"step": 4}, {"rank": 0, "step": (4, 5)}, {"from_ns": first + 7, "to_ns": middle},
        {"from_ns": middle}, {"to_ns": middle}, {"rank": 0, "step": 4, "to_ns": last},
    ):  # fmt: skip
        same(both_ways(sample, **wanted))


def test_a_packed_trace_is_the_same(both_ways, sample):
    same(both_ways(sample, ["trace"], gzip=True))


def _insert_case(path, case):
    store.create(path)
    with closing(store.open_write(path)) as connection:
        connection.execute("BEGIN")
        for table, rows in case["given"].items():
            for row in view_cases._mappings(rows):
                view_cases._insert(connection, table, row)
        for name in "run", "rank":  # every rank that some row is of, so that it can be chosen
            if not connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]:
                view_cases._insert(connection, name, {"id": 1, "run_id": 1} if name == "rank" else {"id": 1})
        connection.execute("COMMIT")


@pytest.mark.parametrize("name", EXPORTED)
def test_each_case_of_a_view_is_the_same(tmp_path, name):
    content = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    for number, case in enumerate(content.get("cases", [content])):
        _insert_case(tmp_path / f"{number}.db", case)
        with open_source(tmp_path / f"{number}.db") as source:
            assert source.native is not None
            for rank in choose(source.connection, Selection()):
                _same_rows(source, rank, name, tmp_path)


def _same_rows(source, rank, name, folder):
    written = []
    for way in source, ExportSource(source.connection):
        path = folder / "rows"
        path.touch()
        if name.startswith("export_"):
            count = write_csv(way, rank, path, name)
        else:
            count = way.written(partial(_write_events, section=events_of(name, rank), path=path))
        written.append((count, path.read_bytes()))
    assert written[0] == written[1]


def _write_events(source, section, path):
    with path.open("wb") as file, EventArray(file) as events:
        if source.native is None:
            return write_by_cursor(events, source.connection, section)
        return sum(events.write_natively(source.native, [section]).rows)


def test_texts_are_remembered_where_it_pays():
    """An export of a million kernels takes twice as long if one of these is not planned so."""
    looked_up = {}
    for name in RECORDS:
        part, numbers = parts_of(name) or ("", (0,))
        fixed = {"rank_id": None, part: numbers[0]}
        plan = row_plan(name, written_columns(name), fixed=fixed)
        assert plan is not None, name
        assert plan.ranges is not None, name
        arm = unfolded(view_body(name).arms[0])
        read = [arm.column(column.name) for column in plan.arms[0].columns if column.slot is not None]
        looked_up[name] = [column.name for column in read if "string" in column.expression]
    assert looked_up == RECORDS
    flows = [name for name in EXPORTED if name.startswith("trace_") and name.endswith("_flow")]
    for name in flows:
        part, numbers = parts_of(name) or ("", (0,))
        for number in numbers:
            plan = row_plan(name, FLOW_COLUMNS, FLOW_COLUMNS, fixed={"rank_id": None, part: number})
            assert plan is not None, name
            assert plan.ranges is not None, name


# ---- where it cannot be had


def test_another_version_is_refused():
    import _sqlite3

    with pytest.raises(LibraryUnavailableError, match=r"its SQLite is \d.*, not 3\.0\.0"):
        SqliteLibrary(_sqlite3.__file__, "3.0.0")


def test_what_is_not_loaded_is_refused_and_not_loaded(tmp_path):
    import _sqlite3

    copy = Path(shutil.copy(_sqlite3.__file__, tmp_path / "other.so"))
    with pytest.raises(LibraryUnavailableError, match=r"other\.so is not loaded"):
        SqliteLibrary(str(copy), sqlite3.sqlite_version)


def test_without_the_library_the_cursor_writes(sample, tmp_path, monkeypatch):
    export(sample, tmp_path / "native", ["kernel_details", "trace"])
    monkeypatch.setattr(native_rows, "python_sqlite", lambda: None)
    with closing(store.open_read(sample)) as connection, open_native_rows(connection) as native:
        assert native is None
    export(sample, tmp_path / "cursor", ["kernel_details", "trace"])
    for path in (tmp_path / "native").rglob("[!.]*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "cursor" / path.relative_to(tmp_path / "native")).read_bytes()


def test_in_wal_mode_the_cursor_writes(sample, tmp_path, monkeypatch):
    path = Path(shutil.copy(sample, tmp_path / "W.db"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = wal").fetchone() == ("wal",)
    export(path, tmp_path / "out", ["trace"])
    monkeypatch.setenv(SWITCH, "native")
    with pytest.raises(RowsRefusedError, match="cannot be read natively"):
        export(path, tmp_path / "again", ["trace"])


def test_the_whole_export_tells_of_one_state(sample, tmp_path):
    path = Path(shutil.copy(sample, tmp_path / "W.db"))
    with open_source(path) as source, closing(sqlite3.connect(path, timeout=0)) as other:
        assert source.native is not None
        other.execute("DELETE FROM op")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.commit()


# ---- odd rows and failures


@pytest.fixture
def changed(altered, sample, tmp_path):
    """A function: a copy of the sample's warehouse that statements changed."""
    return partial(altered, sample, tmp_path / "changed.db")


ODD = {
    "text that is not UTF-8": "UPDATE string SET value = CAST(x'61ff' AS TEXT) WHERE id = (SELECT name_id FROM op)",
    "times that overflow": "UPDATE op SET start_ns = -9223372036854775807 WHERE id = 3",
    "a slice that ends before it begins": "UPDATE queue_task SET enqueue_end_ns = enqueue_start_ns - 5 WHERE id = 2",
    "a thread that is not there": "UPDATE gc_event SET thread_id = 4611686018427387904",
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_rows_are_left_to_the_cursor(changed, tmp_path, monkeypatch, odd):
    path = changed(ODD[odd])
    outcomes = []
    for way in "", "cursor":
        monkeypatch.setenv(SWITCH, way)
        try:
            export(path, tmp_path / (way or "native"), ["text", "trace"])
            folder = tmp_path / (way or "native")
            files = [each for each in sorted(folder.rglob("[!.]*.*")) if each.is_file()]
            outcomes.append({each.relative_to(folder): each.read_bytes() for each in files})
        except NpuwhError as error:
            outcomes.append(f"{type(error).__name__}: {error}")
            assert not list((tmp_path / (way or "native")).rglob("[!.]*.*"))
    assert outcomes[0] == outcomes[1]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_is_an_error_of_the_system(sample):
    with open_source(sample) as source, Path("/dev/full").open("wb") as file:
        (rank, *_) = choose(source.connection, Selection())
        with pytest.raises(OSError, match="No space") as failure:
            source.native.write([events_of("trace_op", rank)], file.fileno())
    assert failure.value.errno == errno.ENOSPC


def test_what_the_target_raises_comes_back(sample):
    def target(text):
        raise ZeroDivisionError(len(text) > 0)

    with open_source(sample) as source:
        (rank, *_) = choose(source.connection, Selection())
        with pytest.raises(ZeroDivisionError):
            source.native.write([events_of("trace_op", rank), events_of("trace_task", rank)], target)
        assert source.native.write([events_of("trace_op", rank)], lambda text: None).rows[0] > 0  # and it goes on


def test_a_signal_ends_it_while_the_target_waits(sample):
    """A reader of a pipe that reads no more: the signal must come through."""
    reading, writing = os.pipe()
    with open_source(sample) as source:
        (rank, *_) = choose(source.connection, Selection())
        sections = [events_of("trace_op", rank)] * 200  # more than a pipe holds

        def interrupt():
            time.sleep(0.3)
            os.kill(os.getpid(), 2)
            time.sleep(0.3)
            while os.read(reading, 1 << 16):
                pass

        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            source.native.write(sections, writing)
    os.close(writing)


def test_flows_need_their_columns(sample):
    with open_source(sample) as source:
        (rank, *_) = choose(source.connection, Selection())
        section = RowSection("trace_launch_flow", rank, FLOW_COLUMNS[:-1], "flows")
        with pytest.raises(RowsRefusedError, match="other columns"):
            source.native.write([section], lambda text: None)

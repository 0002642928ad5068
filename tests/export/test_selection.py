"""What is exported of a warehouse: runs, ranks, steps and times; and where ranks of one name go."""

import csv
import json
import shutil
from collections import defaultdict
from decimal import Decimal

import pyarrow.parquet as pq
import pytest

from warehouse import store
from warehouse.errors import UsageError
from warehouse.export import Selection, export, rank_folders
from warehouse.export.selection import choose, conditions, rows_of
from warehouse.ingest import ingest
from warehouse.sample import write_profile

RANK = "sim_41000_20251009085320000_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
FROM, TO = 1760000000005190000, 1760000000005700000  # from inside a kernel of step 3 into step 4


def ns(text):
    whole, _, part = text.strip().partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def rows(folder, name, rank=RANK):
    path = folder / rank / OUTPUT / name
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    export(sample, folder, ["text"], rank=0)
    return folder


@pytest.fixture(scope="module")
def step(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("step")
    export(sample, folder, ["text"], rank=0, step=4)
    return folder


@pytest.fixture(scope="module")
def window(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("window")
    export(sample, folder, ["text"], rank=0, from_ns=FROM, to_ns=TO)
    return folder


def statistic(kernels):
    found = defaultdict(list)
    for row in kernels:
        if row["Accelerator Core"] != "COMMUNICATION":
            found[row["Type"], row["Accelerator Core"]].append(Decimal(row["Duration(us)"]))
    return {key: (len(times), sum(times)) for key, times in found.items()}


def test_one_rank(sample, tmp_path):
    export(sample, tmp_path / "out", ["task_time"], rank=1)
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()] == [RANK.replace("41000", "41011")]


@pytest.mark.parametrize("part", ["step", "window"])
def test_sums_are_those_of_the_kernels_chosen(part, request):
    folder = request.getfixturevalue(part)
    kernels = rows(folder, "kernel_details.csv")
    assert 0 < len(kernels) < 75
    found = rows(folder, "op_statistic.csv")
    assert {
        (row["OP Type"], row["Core Type"]): (int(row["Count"]), Decimal(row["Total Time(us)"])) for row in found
    } == statistic(kernels)
    assert sum(Decimal(row["Ratio(%)"]) for row in found).quantize(Decimal("0.01")) == 100


def test_a_step(whole, step):
    chosen = [row for row in rows(whole, "kernel_details.csv") if row["Step Id"] == "4"]
    assert rows(step, "kernel_details.csv") == chosen  # with the waits they have in the whole file
    assert rows(step, "step_trace_time.csv") == [
        row for row in rows(whole, "step_trace_time.csv") if row["Step"] == "4"
    ]
    assert 0 < len(rows(step, "operator_details.csv")) < len(rows(whole, "operator_details.csv"))
    for name in ("communication.json", "communication_matrix.json"):
        content = json.loads((whole / RANK / OUTPUT / name).read_text())
        assert json.loads((step / RANK / OUTPUT / name).read_text()) == {"step4": content["step4"]}


def test_records_without_a_step_are_taken_by_its_time(sample, whole, step):
    with store.open_read(sample) as connection:
        start, end = connection.execute(
            "SELECT start_ns, end_ns FROM step WHERE rank_id = 1 AND step_no = 4"
        ).fetchone()
    for name in ("memory_record.csv", "npu_module_mem.csv"):
        chosen = [row for row in rows(whole, name) if start <= ns(row["Timestamp(us)"]) < end]
        assert rows(step, name) == chosen
        assert chosen


def test_a_window_takes_what_overlaps_it(whole, window):
    def overlapping(name, start, end):
        return [row for row in rows(whole, name) if ns(row[start]) < TO and end(row) > FROM]

    def end_of_kernel(row):
        return ns(row["Start Time(us)"]) + ns(row["Duration(us)"])

    chosen = overlapping("kernel_details.csv", "Start Time(us)", end_of_kernel)
    assert rows(window, "kernel_details.csv") == chosen
    assert ns(chosen[0]["Start Time(us)"]) < FROM
    assert rows(window, "task_time.csv") == overlapping(
        "task_time.csv", "task_start(us)", lambda row: ns(row["task_stop(us)"])
    )
    assert {row["Step"] for row in rows(window, "step_trace_time.csv")} == {"3", "4"}


def test_memory_that_is_still_held_overlaps(whole, window):
    never = [row for row in rows(whole, "operator_memory.csv") if not row["Release Time(us)"]]
    assert never
    assert [row for row in rows(window, "operator_memory.csv") if not row["Release Time(us)"]] == never


def test_memory_that_is_never_released_is_held_until_the_end_of_its_session(sample, tmp_path):
    shutil.copy(sample, tmp_path / "W.db")
    ends = {}
    for is_known in (True, False):
        with store.open_write(tmp_path / "W.db") as connection:
            if not is_known:
                connection.execute("UPDATE rank SET session_end_ns = NULL")
            (ends[is_known],) = connection.execute(
                "SELECT session_end_ns FROM rank WHERE id = 1"
                if is_known
                else "SELECT max(max_end_ns) FROM event_extent WHERE rank_id = 1"
            ).fetchone()
        last = {"rank": 0, "from_ns": ends[is_known] - 1, "to_ns": ends[is_known] + 1}
        export(tmp_path / "W.db", tmp_path / f"{is_known}", ["operator_memory", "parquet"], **last)
        found = rows(tmp_path / f"{is_known}", "operator_memory.csv")
        assert found
        assert {row["Release Time(us)"] for row in found} == {""}
        held = pq.read_table(tmp_path / f"{is_known}" / "parquet" / "allocation_named.parquet")
        assert held.num_rows == len(found)
        later = {"rank": 0, "from_ns": ends[is_known], "to_ns": ends[is_known] + 3_600_000_000_000}
        with pytest.raises(UsageError, match=r"operator_memory\.csv would have no rows in the window"):
            export(tmp_path / "W.db", tmp_path / "later", ["operator_memory"], **later)
    assert ends[False] < ends[True]


def test_an_empty_window_makes_no_files(sample, tmp_path):
    with store.open_read(sample) as connection:
        extents = connection.execute("SELECT min(min_start_ns), max(max_end_ns) FROM event_extent WHERE rank_id = 1")
        first, last = extents.fetchone()
    reason = (
        "nothing was written: none of the 20 files asked for would have rows in the window from 1 to 2; "
        f"the records chosen from lie from {first} to {last}"
    )
    with pytest.raises(UsageError, match=reason):
        export(sample, tmp_path / "out", rank=0, from_ns=1, to_ns=2)
    assert not (tmp_path / "out").exists()


def test_nothing_new_leaves_what_was_there(sample, tmp_path):
    export(sample, tmp_path, ["op_statistic"], rank=0)
    with pytest.raises(UsageError, match=r"op_statistic\.csv would have no rows in step 4 in the window to 2;"):
        export(sample, tmp_path, ["op_statistic"], rank=0, step=4, to_ns=2)
    assert rows(tmp_path, "op_statistic.csv")


def test_ranks_without_events_make_no_files(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8)
    (analysis,) = (tmp_path / "job").rglob("analysis.db")
    (tmp_path / "in").mkdir()
    analysis.rename(tmp_path / "in" / "analysis.db")
    ingest([tmp_path / "in"], tmp_path / "W.db")
    reason = r"W\.db: nothing was written: the chosen rank holds no events \(ingested: analysis database\); ingest"
    with pytest.raises(UsageError, match=reason):
        export(tmp_path / "W.db", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "view",
    [
        view.name
        for view in store.views().values()
        if view.room == "export" and view.window and view.window.view == view.name
    ],
)
def test_a_window_reads_an_index_between_its_ends(sample, view):
    with store.open_read(sample) as connection:
        rank = choose(connection, Selection(rank=0, from_ns=FROM, to_ns=TO))[0]
        terms, window = conditions(connection, rank, view, "start_ns", "end_ns")
        query, values = store.select(view, where=[("rank_id", "=", rank.id), *terms], window=window)
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", values)]
    searches = [line for line in plan if "rank_id=? AND" in line]
    bound = (
        "start_ns<?" if view.endswith("_operator_memory") else "start_ns>? AND start_ns<?"
    )  # may be held until the end
    assert searches
    assert all(bound in line.replace("time_ns", "start_ns") for line in searches), plan


def test_narrowing_leaves_nothing_behind(sample):
    with store.open_read(sample, query_only=False) as connection:
        rank = choose(connection, Selection(rank=0, step=4))[0]
        with rows_of(connection, "export_communication", rank) as cursor:
            assert cursor.fetchone()
            assert connection.execute("SELECT count(*) FROM temp.sqlite_master").fetchone()[0] > 1
        assert connection.execute("SELECT count(*) FROM temp.sqlite_master").fetchone()[0] == 0
        assert connection.execute("SELECT count(*) FROM comm_op WHERE rank_id <> ?", [rank.id]).fetchone()[0] > 0


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"rank": 77}, "no rank 77; it has runs 1 and ranks 0, 1"),
        ({"run": 9, "rank": 0}, "no run 9 with rank 0"),
        ({"step": 99}, "no chosen rank has a step 99; there are 3, 4, 5"),
        ({"from_ns": 5, "to_ns": 5}, "is empty"),
    ],
)
def test_what_is_not_there(sample, tmp_path, wanted, message):
    with pytest.raises(UsageError, match=message):
        export(sample, tmp_path / "out", ["text"], **wanted)
    assert not (tmp_path / "out").exists()


def test_equal_names_keep_the_parent_that_tells_them_apart(tmp_path):
    for day in ("monday", "tuesday"):
        write_profile(tmp_path / "in" / day / "job", ranks=1, steps=1, ops_per_step=8)
    write_profile(tmp_path / "in" / "wednesday" / "job", ranks=1, steps=1, ops_per_step=8)
    job = tmp_path / "in" / "wednesday" / "job"
    (job / RANK).rename(job / "other_1_2_ascend_pt")
    ingest([tmp_path / "in"], tmp_path / "W.db")
    with store.open_read(tmp_path / "W.db") as connection:
        assert sorted(rank_folders(connection).values()) == [
            f"monday/job/{RANK}",
            "other_1_2_ascend_pt",
            f"tuesday/job/{RANK}",
        ]
        (monday,) = (
            run
            for run, path in connection.execute("SELECT run_id, path FROM rank")
            if path.endswith(f"monday/job/{RANK}")
        )
    export(tmp_path / "W.db", tmp_path / "out", ["task_time"], run=monday)
    assert [path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.csv")] == [
        f"monday/job/{RANK}/{OUTPUT}/task_time.csv"
    ]


def test_several_devices_of_a_rank_come_one_after_the_other(tmp_path):
    write_profile(tmp_path / "job", ranks=2, steps=1, ops_per_step=8)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    with store.open_write(tmp_path / "W.db") as connection:
        connection.execute("UPDATE device_task SET device_id = 9 WHERE id % 3 = 0")
        connection.execute("UPDATE device_task SET device_id = 3 WHERE id % 3 = 1")  # not said to be the rank's
        connection.execute("UPDATE comm_op SET device_id = NULL")
        connection.execute("UPDATE rank SET device_id = NULL")
        connection.execute("INSERT INTO device (rank_id, device_id) VALUES (1, 9)")
        calls = connection.execute("SELECT DISTINCT level_id, name_id FROM api_call WHERE rank_id = 1").fetchall()
    export(tmp_path / "W.db", tmp_path / "out", ["kernel_details", "api_statistic"], rank=0)
    found = rows(tmp_path / "out", "kernel_details.csv")
    order = ["0", "9", "3", ""]
    places = [(order.index(row["Device_id"]), ns(row["Start Time(us)"])) for row in found]
    assert places == sorted(places)
    assert {device for device, _ in places} == {0, 1, 2, 3}
    assert len(rows(tmp_path / "out", "api_statistic.csv")) == len(calls)  # the host's have no device

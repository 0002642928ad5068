"""A small raw run directory into a warehouse: what is linked to what, and what is said about what is missing."""

import shutil

import pytest
from raw_run_writer import PROF, RUN, at

from warehouse.errors import InputError
from warehouse.ingest import ingest
from warehouse.sample import write_profile

TASKS = """SELECT k.value, t.start_ns, t.end_ns, o.value FROM device_task t
    LEFT JOIN kernel ON kernel.id = t.kernel_id LEFT JOIN string k ON k.id = kernel.name_id
    LEFT JOIN op ON op.id = t.op_id LEFT JOIN string o ON o.id = op.name_id ORDER BY t.start_ns"""


def test_kernels_have_their_operators_and_descriptions(loaded, run):
    query = loaded(run)
    assert query(TASKS) == [
        ("aclnnAdd_Add_Add", at(8_000), at(12_000), "aclnnAdd"),
        ("aclnnMul_Mul_Mul", at(18_000), at(24_000), "aclnnMul"),
        (None, at(37_000), at(39_000), "acl_memcpy_host_to_device"),
    ]
    assert query("SELECT DISTINCT s.value FROM kernel k JOIN string s ON s.id = k.input_shapes_id") == [('"4,8;8"',)]


def test_operators_nest_and_have_steps(loaded, run):
    query = loaded(run)
    found = query(
        """SELECT n.value, o.depth, s.step_no FROM op o JOIN string n ON n.id = o.name_id
        JOIN step s ON s.id = o.step_id ORDER BY o.start_ns LIMIT 3"""
    )
    assert found == [("ProfilerStep#4", 0, 4), ("aten::add", 1, 4), ("aclnnAdd", 2, 4)]
    assert query("SELECT correlation_no, dequeue_start_ns FROM queue_task ORDER BY 1") == [
        (0, at(6_000)), (1, at(16_000)), (2, at(34_000)),
    ]  # fmt: skip


def test_python_frames_end_where_they_return(loaded, run):
    query = loaded(run)
    assert query(
        "SELECT n.value, start_ns, end_ns FROM python_call p JOIN string n ON n.id = p.name_id ORDER BY start_ns"
    ) == [
        ("train.py(3): main", at(500), at(95_000)),
        ("nn.Module: Linear_0", at(1_900), at(6_500)),
    ]


def test_allocations_are_paired_and_named(loaded, run):
    query = loaded(run)
    assert query(
        """SELECT n.value, a.size_bytes, a.start_ns, a.release_ns FROM allocation a
        JOIN string n ON n.id = a.name_id"""
    ) == [("aten::add", 512, at(2_500), at(40_000))]


def test_copies_have_a_size_and_metrics_are_evaluated(loaded, run):
    query = loaded(run)
    assert query("SELECT size_bytes, s.value FROM memory_copy m JOIN string s ON s.id = m.direction_id") == [
        (4096, "host to device")
    ]
    assert (
        query("SELECT aiv_total_cycles_count, aiv_vec_ratio, aic_total_cycles_count FROM kernel_metric")
        == [(66_000.0, 0.1, 0.0)] * 2
    )


def test_every_file_is_accounted_for(loaded, run):
    query = loaded(run)
    files = query("SELECT count(*) FROM source WHERE kind IN ('framework file', 'PROF stream') AND state = 'used'")
    assert files == [(len(run.files) + 3,)]  # two dictionaries and the log of the device
    assert query("SELECT * FROM check_ledger") == []
    assert query("SELECT text FROM issue") == []
    assert query("SELECT count(*) FROM source WHERE record_count = 0 AND kind <> 'PROF configuration'") == [(0,)]


@pytest.mark.parametrize("name", [RUN, f"{RUN}/FRAMEWORK", f"{RUN}/{PROF}"])
def test_a_run_or_a_part_of_it(tmp_path, loaded, run, name):
    run.write(tmp_path / "in")
    query = loaded(tmp_path / "in" / name)
    ((ops, tasks),) = query("SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM device_task)")
    assert (ops > 0, tasks > 0) == (not name.endswith(PROF), not name.endswith("FRAMEWORK"))


def test_a_cut_file_loses_its_last_record_alone(loaded, run):
    run.files["FRAMEWORK/torch.op_range"] = run.files["FRAMEWORK/torch.op_range"][:-5]
    query = loaded(run)
    assert query("SELECT count(*) FROM op") == [(6,)]
    assert query("SELECT rejected_count FROM source WHERE path LIKE '%torch.op_range'") == [(1,)]
    ((text, offset),) = query("SELECT text, first_offset FROM issue")
    assert "bytes rejected" in text
    assert offset > 0
    assert query("SELECT * FROM check_ledger") == []


def test_what_is_missing_is_said(loaded, run):
    run.log.clear()
    query = loaded(run)
    assert query("SELECT text FROM issue WHERE text LIKE '%stars_soc%'") == [
        ("no kernels: PROF has no stars_soc data",)
    ]


def test_streams_that_nobody_reads_are_named(loaded, run):
    run.device_stream("llc.data", b"\0" * 24)
    run.device_stream("tscpu.data", b"\0" * 304)
    run.add(f"{PROF}/host/data/notes", b"x")
    query = loaded(run)
    assert query("SELECT text FROM issue ORDER BY text") == [
        ("LLC counters cannot be evaluated: sample.json says llc_profiling = ''",),
        ("llc data are not read: llc.data.0.slice_0 is left out",),
        ("notes is not read: it is no stream of the format",),
        ("tscpu data are not read: tscpu.data.0.slice_0 is left out (the form of its records is not known)",),
    ]
    assert query("SELECT decoded_bytes, rejected_bytes FROM source WHERE path LIKE '%llc%'") == [(0, 24)]


def test_the_second_batch_of_task_numbers(loaded, run):
    run.track(60_000, 2, 0, 98)
    run.flip(60_000, 2, 0, 0)
    run.op("aten::div", 70_000, 75_000)
    run.queued("aclnnDiv", 3, (70_500, 74_000), (75_000, 76_000))
    run.launch("aclnnDiv_Div_Div", "Div", 75_000, 0, (78_000, 80_000))
    query = loaded(run)
    found = [(kernel, op) for kernel, _, _, op in query(TASKS)]
    assert found == [
        ("aclnnAdd_Add_Add", "aclnnAdd"),
        ("aclnnMul_Mul_Mul", "aclnnMul"),
        (None, "acl_memcpy_host_to_device"),
        ("aclnnDiv_Div_Div", "aten::div"),
    ]


def test_two_tasks_of_the_host_for_one_of_the_device_are_not_guessed(loaded, run):
    run.launch("aclnnSub_Sub_Sub", "Sub", 44_000, 1, (46_000, 47_000))
    query = loaded(run)
    assert query("SELECT count(*) FROM device_task WHERE task_no = 1 AND op_id IS NOT NULL") == [(0,)]
    assert ("ambiguous-task", 2) in query("SELECT code, count FROM issue")


def test_raw_data_win_over_databases(tmp_path, loaded, run):
    root = run.write(tmp_path / "in")
    (made,) = write_profile(tmp_path / "made", ranks=1, steps=1)
    shutil.copytree(made / "ASCEND_PROFILER_OUTPUT", root / "ASCEND_PROFILER_OUTPUT")
    query = loaded(tmp_path / "in")
    assert query("SELECT input_kind FROM rank") == [("raw profile",)]
    assert query("SELECT kind FROM source WHERE state = 'left'") == [("profiler database",)]


def test_nothing_says_what_a_tick_is(tmp_path, run):
    root = run.write(tmp_path / "in")
    (root / "profiler_info_0.json").write_text('{"start_info": {"syscnt_enable": true}}')
    for path in (root / PROF).rglob("host_start.log"):
        path.unlink()
    with pytest.raises(InputError, match="no times"):
        ingest([root], tmp_path / "W.db")
    assert not (tmp_path / "W.db").exists()


def test_a_raw_run_is_not_taken_for_reference_results(tmp_path, run):
    report = ingest([run.write(tmp_path / "in")], tmp_path / "W.db")
    assert report.faults == []
    assert not [line for line in report.lines() if "only reference" in line]


def test_the_same_run_again_changes_nothing(tmp_path, run):
    root = run.write(tmp_path / "in")
    ingest([root], tmp_path / "W.db")
    assert ingest([root], tmp_path / "W.db").unchanged == [root.resolve()]

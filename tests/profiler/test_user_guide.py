"""The examples of torch_npu's user guide, with the import changed and `.npu()` left out: they run as they are."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import pytest

pytestmark = pytest.mark.torch

MODEL = """
import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
inputs, labels = torch.randn(8, 16), torch.randint(0, 4, (8,))
def train_one_step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
"""


def rows(warehouse, query):
    connection = sqlite3.connect(f"file:{warehouse}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_basic(script):
    """Record all of a `with` block; the handler's default leaves the vendor's text files."""
    done = script(
        MODEL
        + """
import warehouse.profiler as torch_npu_profiler
with torch_npu_profiler.profile(
    on_trace_ready=torch_npu_profiler.tensorboard_trace_handler("./result")
) as prof:
    train_one_step()
"""
    )
    output = done.run("result") / "ASCEND_PROFILER_OUTPUT"
    names = {path.name for path in output.iterdir() if not path.name.startswith(".")}
    assert {"trace_view.json", "operator_details.csv", "analyse.done"} <= names
    assert "npuwh.db" not in names
    trace = json.loads((output / "trace_view.json").read_text())
    assert "aten::addmm" in {event["name"] for event in trace}
    assert "no NPU is recorded" in done.err  # asked for by default, and not there: once
    assert done.err.count("no NPU is recorded") == 1


def test_schedule(script):
    """Two windows of one run: a directory each, steps numbered as the loop counts them."""
    done = script(
        MODEL
        + """
import warehouse.profiler
experimental_config = warehouse.profiler._ExperimentalConfig(
    export_type=[warehouse.profiler.ExportType.Db],
    profiler_level=warehouse.profiler.ProfilerLevel.Level0,
    mstx=False,
    aic_metrics=warehouse.profiler.AiCMetrics.AiCoreNone,
    l2_cache=False,
    op_attr=False,
    data_simplification=False,
    record_op_args=False,
    gc_detect_threshold=None,
)
with warehouse.profiler.profile(
    activities=[warehouse.profiler.ProfilerActivity.CPU],
    schedule=warehouse.profiler.schedule(wait=0, warmup=1, active=2, repeat=2, skip_first=1),
    on_trace_ready=warehouse.profiler.tensorboard_trace_handler("./result"),
    record_shapes=True,
    experimental_config=experimental_config,
) as prof:
    for step in range(8):
        train_one_step()
        prof.step()
"""
    )
    first, second = done.runs("result")
    for run, steps in ((first, [2, 3]), (second, [5, 6])):
        made = run / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
        assert [number for (number,) in rows(made, "SELECT step_no FROM step ORDER BY id")] == steps
        assert rows(made, "SELECT count(*) FROM op_named WHERE name = 'Optimizer.step#SGD.step'") == [(2,)]
        shapes = rows(made, "SELECT DISTINCT shapes FROM op_named WHERE name = 'aten::addmm' ORDER BY shapes")
        assert [text.replace("\r\n", "") for (text,) in shapes] == ["32;8,16;16,32;;", "4;8,32;32,4;;"]
    assert done.err.count("Traceback") == 0


def test_full_training_loop_with_everything(script):
    """All switches on: stacks, modules, memory, marks, collections of garbage; a warehouse and text."""
    done = script(
        MODEL
        + """
import gc
from warehouse.profiler import profile, schedule, tensorboard_trace_handler, ProfilerActivity, _ExperimentalConfig, mstx
config = _ExperimentalConfig(export_type=["text", "db"], mstx=True, gc_detect_threshold=0)
with profile(
    activities=[ProfilerActivity.CPU],
    schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
    on_trace_ready=tensorboard_trace_handler("./result"),
    record_shapes=True, profile_memory=True, with_stack=True, with_modules=True, with_flops=True,
    experimental_config=config,
) as prof:
    for step in range(4):
        with torch.profiler.record_function("## forward and backward ##"):
            train_one_step()
        range_id = mstx.range_start("collect", domain="mine")
        gc.collect()
        mstx.range_end(range_id, domain="mine")
        mstx.mark("collected")
        prof.step()
"""
    )
    made = done.warehouse("result")
    assert rows(made, "SELECT step_no FROM step ORDER BY id") == [(2,), (3,)]
    assert rows(made, "SELECT count(*) FROM op_named WHERE name = '## forward and backward ##'") == [(2,)]
    marks = rows(made, "SELECT message, domain, event_type FROM mark_named WHERE domain IS NOT 'mfu_flops' ORDER BY id")
    assert marks == [("collect", "mine", "start/end"), ("collected", "default", "marker")] * 2
    flops = rows(made, "SELECT message FROM mark_named WHERE domain = 'mfu_flops' AND message LIKE '%aten::addmm'")
    assert sorted({text for (text,) in flops}) == ["2048-aten::addmm", "8192-aten::addmm"]
    assert rows(made, "SELECT count(*) >= 2 FROM gc_event") == [(1,)]
    assert rows(made, "SELECT DISTINCT module FROM op_named WHERE name = 'aten::addmm' ORDER BY 1") == [
        ("Sequential_0;Linear_0",),
        ("Sequential_0;Linear_1",),
    ]
    (line,) = rows(made, "SELECT DISTINCT stack FROM op_stack WHERE op_name = 'aten::relu'")[0]
    assert [call.partition("): ")[2] for call in line.split(";")][:2] == ["<module>", "train_one_step"]
    assert rows(made, "SELECT component, device_id FROM memory_peak") == [("CPU", None)]
    named = "SELECT count(*) > 0 FROM allocation_named WHERE component = 'CPU' AND name LIKE 'aten::%' AND op_id > 0"
    assert rows(made, named) == [(1,)]
    output = made.parent
    assert (output / "operator_details.csv").read_text().startswith("Name,Input Shapes,Call Stack")
    assert not (output / "operator_memory.csv").exists()  # about devices


def test_child_thread(script):
    """A thread that began on its own is recorded from where it asks for it."""
    done = script(
        MODEL
        + """
import threading
import warehouse.profiler as torch_npu_profiler
from warehouse.profiler import profile, ProfilerActivity, tensorboard_trace_handler, _ExperimentalConfig
def child(wanted):
    if wanted:
        torch_npu_profiler.profile.enable_profiler_in_child_thread(record_shapes=True, with_stack=True)
    torch.cumsum(torch.ones(3) if wanted else torch.ones(5), 0)
    if wanted:
        torch_npu_profiler.profile.disable_profiler_in_child_thread()
        torch.cumprod(torch.ones(3), 0)
with profile(
    activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler("./result"),
    experimental_config=_ExperimentalConfig(export_type="db"),
) as prof:
    train_one_step()
    threads = [threading.Thread(target=child, args=(wanted,)) for wanted in (True, False)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""
    )
    made = done.warehouse("result")
    assert rows(made, "SELECT shapes FROM op_named WHERE name = 'aten::cumsum'") == [("3;\r\n;\r\n",)]
    assert rows(made, "SELECT count(*) FROM op_named WHERE name = 'aten::cumprod'") == [(0,)]
    assert rows(made, "SELECT count(DISTINCT thread_id) FROM op") == [(2,)]


def test_mstx_and_record_function(script):
    """Marks, ranges by all four ways, nested domains; only domains that are chosen."""
    text = """
import torch
from warehouse.profiler import mstx, profile, ProfilerActivity, tensorboard_trace_handler, _ExperimentalConfig
config = _ExperimentalConfig(mstx=True, mstx_domain_exclude=["other"], export_type="db")
@mstx.mstx_range("decorated", domain="d1")
def decorated():
    return mstx.range_push("outer"), mstx.range_push("inner"), mstx.range_pop(), mstx.range_pop(), mstx.range_pop()
@mstx.annotate()
def annotated():
    pass
assert mstx.range_start("not recorded") == 0 and mstx.range_push("not recorded") == -1
with profile(
    activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler("./result"), experimental_config=config
):
    assert decorated() == (0, 1, 1, 0, -1)
    annotated()
    with mstx.annotate("context"):
        mstx.mark("left out", domain="other")
        number = mstx.range_start("by number")
        mstx.range_end(number)
        mstx.range_end(0)
    mstx.mark(7)
    with torch.profiler.record_function("## mine ##"):
        torch.ones(2) + 1
mstx.mark("late")
"""
    done = script(text)
    made = done.warehouse("result")
    assert sorted(rows(made, "SELECT message, domain, event_type FROM mark_named")) == [
        ("annotated", "default", "start/end"),
        ("by number", "default", "start/end"),
        ("context", "default", "start/end"),
        ("decorated", "d1", "start/end"),
        ("inner", "default", "start/end"),
        ("outer", "default", "start/end"),
    ]
    assert rows(made, "SELECT count(*) FROM op_named WHERE name = '## mine ##'") == [(1,)]
    assert "mstx.mark is left out: message and domain have to be texts" in done.err


def test_offline_analyse(script):
    """Recordings are made without analysis; `analyse` makes it later, for all below a folder, as often as wanted."""
    done = script(
        MODEL
        + """
import glob, os
from warehouse.profiler import profile, ProfilerActivity, tensorboard_trace_handler, _ExperimentalConfig
from warehouse.profiler.profiler import analyse
for place in ("one", "two"):
    with profile(
        activities=[ProfilerActivity.CPU],
        on_trace_ready=tensorboard_trace_handler(os.path.join("result", place), analyse_flag=False),
        experimental_config=_ExperimentalConfig(export_type="text"),
    ):
        train_one_step()
assert not glob.glob("result/*/*/ASCEND_PROFILER_OUTPUT")
if __name__ == "__main__":
    analyse("./result", max_process_number=2, export_type="db")
    assert len(glob.glob("result/*/*/ASCEND_PROFILER_OUTPUT/npuwh.db")) == 2
    assert not glob.glob("result/*/*/ASCEND_PROFILER_OUTPUT/*.csv")
    analyse("./result/one")  # as it was recorded for: text
    assert glob.glob("result/one/*/ASCEND_PROFILER_OUTPUT/operator_details.csv")
    assert glob.glob("result/one/*/ASCEND_PROFILER_OUTPUT/npuwh.db")  # the other kind stays
    analyse("./nowhere")
    analyse("./result", max_process_number=0, export_type="csv")
"""
    )
    assert (done.run("result/two") / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv").is_file()  # as recorded for
    assert "nowhere: nothing is analysed: there is no such directory" in done.err
    assert "max_process_number=0 is not allowed" in done.err
    assert "export_type='csv' is not allowed" in done.err


def test_dynamic_profile(script):
    """A watched file opens a window in a running job, and another one when it changes again."""
    done = script(
        MODEL
        + """
import json, time
from warehouse.profiler import dynamic_profile as dp
dp.init("./watched")
config = json.load(open("watched/profiler_config.json"))
def change(**settings):
    config.update(settings)
    time.sleep(0.02)
    json.dump(config, open("watched/profiler_config.json", "w"))
config["experimental_config"]["export_type"] = ["db"]
for step in range(1, 13):
    train_one_step()
    if step == 2:
        change(prof_dir="./first", analyse=True, start_step=5, active=2, activities=["CPU"], record_shapes=True)
    if step == 9:
        change(prof_dir="./second", start_step=-1, active=1, metadata={"who": ["me", 1]})
    dp.step()
"""
    )
    first, second = done.warehouse("first"), done.warehouse("second")
    assert [number for (number,) in rows(first, "SELECT step_no FROM step ORDER BY id")] == [5, 6]
    assert [number for (number,) in rows(second, "SELECT step_no FROM step ORDER BY id")] == [9]
    assert rows(first, "SELECT count(*) FROM op_named WHERE name = 'Optimizer.step#SGD.step'") == [(2,)]
    metadata = json.loads((done.run("second") / "profiler_metadata.json").read_text())
    assert metadata["who"] == ["me", 1]


def test_metadata_and_trace_ids(script):
    """What the program says of a run stands with it and in the warehouse."""
    done = script(
        MODEL
        + """
from warehouse.profiler import profile, ProfilerActivity, tensorboard_trace_handler, _ExperimentalConfig
with profile(
    activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler("./result", "node0"),
    experimental_config=_ExperimentalConfig(export_type="db"), custom_trace_id_callback=lambda: "run-42",
) as prof:
    prof.add_metadata("config_name", "small")
    prof.add_metadata_json("sizes", '{"hidden": 32}')
    prof.add_metadata_json("broken", "{")
    prof.add_metadata("number", 3)
    print(prof.get_trace_id())
    train_one_step()
""",
        RANK="3",
    )
    assert done.out == "run-42\n"
    run = done.run("result")
    assert run.name.startswith("node0_")
    metadata = json.loads((run / "profiler_metadata.json").read_text())
    assert (metadata["config_name"], metadata["sizes"], metadata["trace_id"]) == ("small", {"hidden": 32}, "run-42")
    assert "broken" not in metadata
    assert "number" not in metadata
    made = done.warehouse("result")
    assert rows(made, "SELECT rank_no FROM rank") == [(3,)]
    found = dict(rows(made, "SELECT name, value FROM rank_metadata"))
    assert found["config_name"] == "small"


def test_default_activities_on_a_machine_without_a_device(script):
    """One line when it is recorded; then nothing is missing: not at the ingest, not in the warehouse."""
    done = script(
        MODEL
        + """
from warehouse.profiler import profile, tensorboard_trace_handler
with profile(on_trace_ready=tensorboard_trace_handler("./result", analyse_flag=False)):
    train_one_step()
"""
    )
    assert done.err.count("no NPU is recorded: there is none in this process; the CPU goes on") == 1
    facts = json.loads((done.run("result") / "profiler_info.json").read_text())
    assert facts["activities_asked_for"] == ["CPU", "NPU"]

    def npuwh(*arguments):
        command = [sys.executable, "-m", "warehouse.cli", *arguments]
        return subprocess.run(command, cwd=done.folder, capture_output=True, text=True, check=True)

    assert npuwh("ingest", "result", "-o", "W.db").stderr == ""
    assert "\ncomplete: 0 errors, 0 warnings" in npuwh("info", "W.db").stdout
    assert npuwh("check", "W.db").stdout == "W.db: no findings\n"


def test_a_handler_that_ones_own_handler_calls_keeps_its_folder(script):
    done = script(
        MODEL
        + """
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
save = tensorboard_trace_handler("./wrapped")
def on_trace_ready(prof):
    save(prof)
    print("saved")
with profile(activities=[ProfilerActivity.CPU], on_trace_ready=on_trace_ready,
             experimental_config=_ExperimentalConfig(export_type="db")):
    train_one_step()
"""
    )
    assert done.out.splitlines() == ["saved"]
    assert rows(done.warehouse("wrapped"), "SELECT count(*) > 0 FROM op") == [(1,)]


def test_the_peak_counts_batches_of_workers(script):
    """They lie in memory shared between processes, of which torch tells no totals."""
    done = script(
        """
import torch
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 16
    def __getitem__(self, place):
        return torch.zeros(1000, 25)
if __name__ == "__main__":
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True,
                 on_trace_ready=tensorboard_trace_handler("result"),
                 experimental_config=_ExperimentalConfig(export_type="db")):
        kept = [batch for batch in torch.utils.data.DataLoader(Samples(), batch_size=4, num_workers=1)]
"""
    )
    warehouse = done.warehouse("result")
    (peak,) = rows(warehouse, "SELECT peak_bytes FROM memory_peak WHERE component = 'CPU'")[0]
    assert 4 * 4 * 1000 * 25 * 4 <= peak < 5 * 4 * 1000 * 25 * 4  # four batches of four samples of float
    assert rows(warehouse, "SELECT sum(held_bytes) FROM memory_peak_holder WHERE component = 'CPU'") == [(peak,)]

"""The examples of torch_npu's user guide, with the import changed and `.npu()` left out: they run as they are."""

from __future__ import annotations

import json
import sqlite3

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

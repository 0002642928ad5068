"""What a profiler exports itself: trace, stacks, memory timeline, against torch's own where it has the same."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter

import pytest

from warehouse.profiler import exporting

pytestmark = pytest.mark.torch

# the same training under either profiler; it has settled before it is recorded
TRAINING = """
import sys, warnings
import torch
warnings.simplefilter("ignore")
torch.manual_seed(0)
if sys.argv[1] == "ours":
    from warehouse.profiler import profile, ProfilerActivity
else:
    from torch.profiler import profile, ProfilerActivity
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 32), torch.nn.Linear(32, 10)
)
optimizer = torch.optim.Adam(model.parameters())
inputs, labels = torch.randn(16, 3, 8, 8), torch.randint(0, 10, (16,))
def train():
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
train(), train()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as prof:
    train(), train()
prof.export_memory_timeline(sys.argv[1] + ".json", device="cpu")
prof.export_memory_timeline(sys.argv[1] + ".raw.json.gz", device="cpu")
"""


@pytest.fixture
def both(script):
    """The memory timelines of both profilers: events, and curves."""
    script(TRAINING, "theirs")
    folder = script(TRAINING, "ours").folder
    return {
        name: (
            json.loads(gzip.decompress((folder / f"{name}.raw.json.gz").read_bytes())),
            json.loads((folder / f"{name}.json").read_text()),
        )
        for name in ("ours", "theirs")
    }


def held(events, destroy):
    """The most that was held at once."""
    total = peak = 0
    for _, action, size, _ in events:
        total += -abs(size) if action == destroy else size
        peak = max(peak, total)
    return peak


def test_memory_timeline_is_that_of_torch(both):
    (ours, our_curves), (theirs, their_curves) = both["ours"], both["theirs"]
    # what an operator takes and gives back without any tensor in it is temporary; torch calls it unknown
    category_of = {7: 3}
    # torch counts its actions from 1, the format of the vendor from 0 (framework-files.md 5.13)
    assert Counter((action, size, category_of.get(category, category)) for _, action, size, category in ours) == (
        Counter((action - 1, size, category_of.get(category, category)) for _, action, size, category in theirs)
    )
    assert [held(ours, 3), held(ours, 3)] == [held(theirs, 4), max(map(sum, our_curves[1]))]
    assert [*map(max, zip(*our_curves[1], strict=True))][1:3] == [*map(max, zip(*their_curves[1], strict=True))][1:3]
    assert {category for _, _, _, category in ours} >= {0, 1, 2, 4, 5}


def test_all_exports_of_one_recording(script):
    done = script(
        """
        import torch
        from warehouse.profiler import profile, ProfilerActivity
        model = torch.nn.Linear(64, 64)
        switches = dict(record_shapes=True, profile_memory=True, with_stack=True)
        with profile(activities=[ProfilerActivity.CPU], **switches) as prof:
            for _ in range(20):
                model(torch.randn(256, 64)).sum().backward()
        prof.export_chrome_trace("trace.json")
        prof.export_chrome_trace("trace.json.gz")
        prof.export_stacks("below/stacks.log", metric="self_cpu_time_total")
        prof.export_stacks("wrong.log", metric="time")
        prof.export_stacks("device.log", metric="self_npu_time_total")
        prof.export_memory_timeline("memory.html")
        prof.export_memory_timeline("memory.json", device="npu:0")
        prof.export_memory_timeline("none.json", device="here")
        """
    )
    plain = (done.folder / "trace.json").read_bytes()
    assert gzip.decompress((done.folder / "trace.json.gz").read_bytes()) == plain
    names = {event["name"] for event in json.loads(plain)["traceEvents"]}
    assert {"aten::addmm", "AddmmBackward0", "nn.Module: Linear_0"} <= names
    lines = (done.folder / "below" / "stacks.log").read_text().splitlines()
    assert all(re.fullmatch(r"\S.*train\.py\(1\): <module>.* [1-9]\d*", line) for line in lines)
    assert any(line.rpartition(" ")[0].endswith("): forward") for line in lines)
    assert "metric='time' is not allowed" in done.err
    assert (done.folder / "device.log").read_text() == ""  # nothing ran on a device
    page = (done.folder / "memory.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"src=|href=|url\(|import|fetch", page)  # it asks nothing of a network
    shown = json.loads(re.search(r"const data = (.*);\n", page)[1])
    assert len(shown["times"]) == len(shown["sizes"]) > 10
    assert max(map(sum, shown["sizes"])) >= 256 * 64 * 4
    assert "npu:0: nothing was allocated there" in done.err
    assert "here: is no device" in done.err
    assert not (done.folder / "none.json").exists()


def test_exports_that_were_not_recorded_say_what_to_do(script):
    done = script(
        """
        import torch
        from warehouse.profiler import profile, ProfilerActivity
        prof = profile(activities=[ProfilerActivity.CPU])
        prof.export_chrome_trace("early.json")
        with prof:
            torch.randn(3) + 1
        prof.export_stacks("stacks.log")
        prof.export_memory_timeline("memory.html")
        print("went on")
        """
    )
    assert "nothing is exported: nothing was recorded" in done.err
    assert "record with with_stack=True" in done.err
    assert "record with record_shapes, profile_memory, and with_stack or with_modules" in done.err
    assert done.out == "went on\n"
    assert not list(done.folder.glob("*.log")) + list(done.folder.glob("*.html"))


def test_exports_to_a_full_disk_leave_no_part(script):
    """Files may not grow to their size: a line says so, and what stood there before stays."""
    done = script(
        """
        import os, resource, signal, sqlite3
        import torch
        from warehouse.ingest import ingest
        from warehouse.profiler import profile, ProfilerActivity
        switches = dict(record_shapes=True, profile_memory=True, with_stack=True)
        with profile(activities=[ProfilerActivity.CPU], **switches) as prof:
            torch.nn.Linear(8, 8)(torch.randn(4, 8)).sum().backward()
        ingest([prof.path], "W.db")
        print(sqlite3.connect("W.db").execute("SELECT count(*) FROM issue WHERE code = 'not-read'").fetchall())
        names = ["memory.json", "memory.raw.json.gz"]
        os.mkdir("out")
        open("out/memory.json", "w").write("before")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
        for name in names:
            prof.export_memory_timeline("out/" + name, device="cpu")
        print(sorted(os.listdir("out")), open("out/memory.json").read())
        """
    )
    assert done.out == "[(0,)]\n['memory.json'] before\n"
    assert done.err.count("File too large") == 2


def test_a_trace_that_does_not_fit_leaves_no_part(tmp_path, monkeypatch):
    made, output = tmp_path / "made", tmp_path / "trace.json"
    made.write_text("whole")

    def fill(_, part):
        part.write_text("who")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(exporting.shutil, "copyfile", fill)
        with pytest.raises(OSError, match="No space left"):
            exporting._put(made, output)
    assert list(tmp_path.iterdir()) == [made]
    exporting._put(made, output)
    assert output.read_text() == "whole"

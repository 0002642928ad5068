"""Windows in jobs that tell no steps: by $PROF_CONFIG_PATH and by `npuwh record --watch`."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.profiler.test_record_options import NPUWH, STEPS, rows

pytestmark = pytest.mark.torch
JOB = """
import json, pathlib, time, torch
file = pathlib.Path("watched/profiler_config.json")
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(4))], lr=0.1)
rate = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for step in range(1, LAST):
    if step == 3:  # as somebody else would do it while the job runs
        config = json.loads(file.read_text())
        config.update(prof_dir="windows", analyse=True, activities=["CPU"], start_step=6, warmup=1, active=2)
        config["experimental_config"]["export_type"] = ["db"]
        config["selection"]["exclude_ops"] = ["aten::mul*"]
        config.update(SETTINGS)
        time.sleep(0.02)
        file.write_text(json.dumps(config))
    optimizer.param_groups[0]["params"][0].mul(2).sum().backward()
    optimizer.step()
    rate.step()
print("ended")
"""


def job(last=13, **settings):
    return JOB.replace("LAST", str(last)).replace("SETTINGS", repr(settings))


def test_by_environment(script):
    done = script("import warehouse.profiler" + job(), PROF_CONFIG_PATH="watched")
    assert done.out == "ended\n"
    warehouse = done.warehouse("windows")
    assert rows(warehouse, STEPS) == [7, 8]
    names = rows(warehouse, "SELECT DISTINCT name FROM op_named")
    assert "aten::sum" in names
    assert not [name for name in names if name.startswith("aten::mul")]


def test_torch_imported_and_optimizers_made_before(script):
    """Their steps are found, also where a scheduler holds them."""
    late = job().replace("for step in", "import warehouse.profiler\nfor step in")
    done = script(late, PROF_CONFIG_PATH="watched")
    assert rows(done.warehouse("windows"), STEPS) == [7, 8]


def test_a_job_that_ends_within_its_window(script):
    done = script("import warehouse.profiler" + job(last=9, active=50), PROF_CONFIG_PATH="watched")
    assert "the recording ends before its schedule does" in done.err
    assert rows(done.warehouse("windows"), STEPS) == [7, 8]


def test_ranks(script):
    """Those that are not asked for record nothing; those that are keep nobody waiting."""
    text = "import warehouse.profiler" + job(is_rank=True, rank_list=[1])
    done = script(text, PROF_CONFIG_PATH="watched", RANK="0")
    assert not (done.folder / "windows").exists()
    done = script(text.replace('print("ended")', "time.sleep(20)"), PROF_CONFIG_PATH="watched", RANK="1")
    assert rows(done.warehouse("windows"), STEPS) == [7, 8]


def test_without_the_environment_nothing_is_watched(script):
    done = script("import warehouse.profiler, os\nprint(os.listdir())")
    assert done.out == "['train.py']\n"


@pytest.fixture
def watch(tmp_path, observer_cache):
    """A function: options and a script -> how `npuwh record --watch watched` ended in an empty folder."""

    def run(text, *options):
        (tmp_path / "train.py").write_text(text)
        return subprocess.run(
            [str(NPUWH), "record", "--watch", "watched", *options, "train.py"], cwd=tmp_path, capture_output=True,
            text=True, timeout=300, check=False, env={**os.environ, "NPUWH_CACHE": str(observer_cache)},
        )  # fmt: skip

    return run


def test_a_script_that_knows_nothing_of_it(watch, tmp_path):
    done = watch(job())
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
    (warehouse,) = tmp_path.glob("windows/*_ascend_pt/ASCEND_PROFILER_OUTPUT/npuwh.db")
    assert rows(warehouse, STEPS) == [7, 8]


def test_options_that_the_file_has(watch):
    done = watch("print('ran')", "--shapes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--watch goes with --live and --module alone" in done.stderr

"""`npuwh record`: scripts as they are, and how they end; `npuwh build-torch`."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.cli.check import findings

NPUWH = Path(sys.executable).with_name("npuwh")


@pytest.fixture
def record(tmp_path, observer_cache):
    """A function: options, a script's text and its arguments -> how `npuwh record` ended; its folder is tmp_path."""

    def run(text, *arguments, options=(), name="train.py", **environment):
        (tmp_path / name).write_text(text)
        command = [str(NPUWH), "record", *options, name, *arguments]
        import os

        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
            env={**os.environ, "NPUWH_CACHE": str(observer_cache), **environment},
        )  # fmt: skip

    return run


def rows(folder, query):
    (made,) = folder.glob("npuwh-recordings/*_ascend_pt/ASCEND_PROFILER_OUTPUT/npuwh.db")
    assert list(findings(made)) in ([], [f for f in findings(made) if "no operators" in f])
    connection = sqlite3.connect(made)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_script_sees_what_it_sees_under_python(record, tmp_path):
    text = (
        "import sys, __main__, os\n"
        "def f(): pass\n"
        "print(sys.argv, __name__, __file__, __main__.f is f, os.path.samefile(sys.path[0], '.'), __spec__)\n"
    )
    arguments = ("--stack", "-o", "x y", "-m", "--", "last")
    ours = record(text, *arguments)
    plain = subprocess.run(
        [sys.executable, "train.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ours.returncode == 0, ours.stderr
    assert ours.stdout == plain.stdout


@pytest.mark.parametrize(
    ("ending", "code"), [("sys.exit(7)", 7), ("sys.exit('no')", 1), ("raise ValueError('bad')", 1), ("sys.exit()", 0)]
)
def test_the_exit_code_is_the_scripts(record, tmp_path, ending, code):
    done = record(f"import sys\ndef work(): return sum(range(9))\nwork()\n{ending}\n", options=["--stack"])
    assert done.returncode == code
    if "ValueError" in ending:
        assert done.stderr.startswith("Traceback (most recent call last):\n  File ")
        first = done.stderr.splitlines()[1]
        assert first.endswith('train.py", line 4, in <module>')
        assert done.stderr.rstrip().splitlines().count("ValueError: bad") == 1
    # what was recorded until then is whole
    assert (1,) in rows(tmp_path, "SELECT count(*) FROM python_call_named WHERE name LIKE '%train.py(2): work'")


def test_a_module(record, tmp_path):
    done = record("print(__name__, __spec__.name)", "a", options=["-m"], name="job.py")
    assert done.returncode == 1  # job.py is no module's name
    done = subprocess.run(
        [str(NPUWH), "record", "-m", "job", "a"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "__main__ job\n")


def test_wrong_calls(record, tmp_path):
    done = subprocess.run([str(NPUWH), "record", "none.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "none.py" in done.stderr and "Traceback" not in done.stderr  # noqa: PT018 one line
    done = record("print(1)", options=["--export-type", "csv"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "npuwh: --export-type csv: choose db, text or both\n"


@pytest.mark.torch
def test_torch_is_recorded_from_its_import_on(record, tmp_path):
    text = """
import os
os.environ["OMP_NUM_THREADS"] = "1"  # before torch is there: the script's business
import torch
import torch.nn
assert torch.get_num_threads() == 1
model = torch.nn.Linear(4, 4)
model(torch.randn(2, 4)).sum().backward()
"""
    done = record(text, options=["--shapes", "--stack", "--memory"])
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path, "SELECT DISTINCT module FROM op_named WHERE name = 'aten::addmm'")
    assert found == [("Linear_0",)]
    assert rows(tmp_path, "SELECT count(*) > 0 FROM allocation_named WHERE component = 'CPU'") == [(1,)]


@pytest.mark.torch
def test_build_torch(tmp_path):
    """It tells where the observer is; without a compiler one line says what to do, and recording goes on without it."""
    import os

    def run(*command, **environment):
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, **environment}
        )

    none = run(str(NPUWH), "build-torch", NPUWH_CACHE=str(tmp_path / "empty"), CXX=str(tmp_path / "no-compiler"))
    assert none.returncode == 2
    assert "no-compiler" in none.stderr.splitlines()[-1]
    made = run(str(NPUWH), "build-torch", NPUWH_CACHE=str(tmp_path / "cache"))
    assert made.returncode == 0, made.stderr
    assert Path(made.stdout.strip()).is_file()
    again = run(str(NPUWH), "build-torch", NPUWH_CACHE=str(tmp_path / "cache"), CXX=str(tmp_path / "no-compiler"))
    assert again.stdout == made.stdout
    (tmp_path / "train.py").write_text("import torch\ntorch.randn(2) + 1\nprint('went on')\n")
    done = run(
        str(NPUWH), "record", "--stack", "train.py",
        NPUWH_CACHE=str(tmp_path / "empty"), CXX=str(tmp_path / "no-compiler"),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "went on\n")
    assert "operators of torch are not recorded" in done.stderr
    assert done.stderr.count("build-torch") == 1


@pytest.mark.parametrize("given", [["both"], ["text,db"], ["db", "text"]])
def test_both_kinds_of_results(record, tmp_path, given):
    done = record("sum(range(3))", options=[word for kind in given for word in ("--export-type", kind)] + ["--stack"])
    assert done.returncode == 0, done.stderr
    (output,) = tmp_path.glob("npuwh-recordings/*_ascend_pt/ASCEND_PROFILER_OUTPUT")
    assert {"npuwh.db", "trace_view.json"} <= {path.name for path in output.iterdir()}


def _told(done):
    return [line for line in done.stderr.splitlines() if line.startswith("npuwh: recorded ")]


@pytest.mark.parametrize(
    ("ending", "code"), [("raise ValueError('bad')", 1), ("raise SystemExit(7)", 7), ("import sys; sys.exit('no')", 1)]
)
def test_the_recording_is_told_however_the_script_ends(record, tmp_path, ending, code):
    done = record(f"work = sum(range(9))\n{ending}\n")
    assert done.returncode == code
    (told,) = _told(done)
    assert (Path(told.removeprefix("npuwh: recorded ")) / "ASCEND_PROFILER_OUTPUT" / "npuwh.db").is_file()


def test_an_interrupt_shows_the_scripts_lines_alone(record, tmp_path):
    done = record("import os, signal\ndef work():\n    os.kill(os.getpid(), signal.SIGINT)\nwork()\n")
    assert done.returncode in (130, -2)
    assert len(_told(done)) == 1
    places = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert places
    assert all("train.py" in line for line in places)
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize("name", ["no_such", "no.such", "empty_package"])
def test_modules_that_cannot_be_run_take_one_line(record, tmp_path, name):
    (tmp_path / "empty_package").mkdir()
    (tmp_path / "empty_package" / "__init__.py").touch()
    done = record("", options=["-m", name], name="unused.py")
    assert done.returncode == 1
    missing = f"{name}.__main__" if name == "empty_package" else name
    assert done.stderr == f"npuwh: No module named {missing}\n"


def test_child_processes_are_told(record, tmp_path):
    text = """
import multiprocessing, subprocess, sys
def work(): pass
if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        process = multiprocessing.get_context(method).Process(target=work)
        process.start()
        process.join()
    subprocess.run([sys.executable, "-c", ""], check=True)
    subprocess.run(["true"], check=True)
"""
    done = record(text)
    assert done.returncode == 0, done.stderr
    (told,) = (line for line in done.stderr.splitlines() if "child process" in line)
    assert "no operators were recorded in this process; 4 child processes are not recorded" in told
    assert "1 by command, 1 by fork, 1 by forkserver, 1 by spawn" in told
    assert "--no-python npuwh record" in told
    assert "child process" not in record("print(1)").stderr

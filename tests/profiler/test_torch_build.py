"""The observer's build: whatever the cache and the compiler are, the training goes on."""

from __future__ import annotations

import os
import shlex
import sqlite3
import stat
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

TRAIN = """
import os
import torch
import warehouse.profiler.torch_build
warehouse.profiler.torch_build.MOST_SECONDS = float(os.environ.get("SECONDS", 120))
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
handler = tensorboard_trace_handler("result")
with profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler,
             experimental_config=_ExperimentalConfig(export_type="db")):
    x = torch.ones(3) + 1
print("trained", float(x.sum()))
"""


@pytest.fixture
def built(script, observer_cache):
    """An observer that is whole."""
    script("import torch\nfrom warehouse.profiler.torch_module import build\nbuild(torch)\n")
    (found,) = observer_cache.glob("torch-*/observer-*.so")
    return found


@pytest.fixture
def compiler(tmp_path):
    """A function: lines of shell -> what $CXX may be."""

    def make(text):
        file = tmp_path / "compiler"
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return str(file)

    return make


def copying(built):
    """Lines of a compiler that takes no time: what it links was built before."""
    return f"""for last; do test "$before" = -o && out=$last; before=$last; done
case " $* " in *" -shared "*) cp {shlex.quote(str(built))} "$out";; *) : >"$out";; esac"""


def additions(done):
    connection = sqlite3.connect(done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db")
    try:
        query = "SELECT count(*) FROM op JOIN string ON string.id = name_id WHERE value = 'aten::add'"
        return connection.execute(query).fetchone()[0]
    finally:
        connection.close()


DAMAGES = {
    "empty": lambda whole: b"",
    "cut in the middle": lambda whole: whole[: len(whole) // 2],
    "cut after a page": lambda whole: whole[:4096],
    "zeros at its end": lambda whole: whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
    "one bit": lambda whole: whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:],
    "no library": lambda whole: b"hello" * 1000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_observer_is_built_again(script, built, compiler, tmp_path, damage):
    kept = tmp_path / "cache" / built.parent.name
    kept.mkdir(parents=True)
    (kept / built.name).write_bytes(DAMAGES[damage](built.read_bytes()))
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=compiler(copying(built)))
    assert done.out == "trained 6.0\n"
    assert done.err == ""
    assert additions(done) == 1
    assert (kept / built.name).read_bytes() == built.read_bytes()


def test_a_library_of_somebody_else_under_a_right_sum(script, built, compiler, tmp_path):
    """Its bytes are whole, and it is no observer: a line, no traceback."""
    other = tmp_path / "other.so"
    source = tmp_path / "other.c"
    source.write_text("int nothing;\n")
    if os.system(shlex.join(["cc", "-shared", "-o", str(other), str(source)])) != 0:
        pytest.skip("no C compiler is installed")
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=compiler(copying(other)))
    assert done.out == "trained 6.0\n"
    assert "cannot be loaded" in done.err
    assert "Traceback" not in done.err


def test_a_folder_in_its_place(script, built, compiler, tmp_path):
    (tmp_path / "cache" / built.parent.name / built.name).mkdir(parents=True)
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=compiler(copying(built)))
    assert additions(done) == 1


def test_cxx_with_arguments(script, built, compiler, tmp_path):
    lines = f'test "$1" = "-DHERE=a b" || exit 7\n{copying(built)}'
    cxx = f"{shlex.quote(compiler(lines))} '-DHERE=a b'"
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=cxx)
    assert done.err == ""
    assert additions(done) == 1


FAILING = {
    "'unfinished": "is no command",
    "/nonexistent": "cannot be built",
    "/bin/true": "left no file",
    "/bin/false": "does not compile with /bin/false: no output",
}


@pytest.mark.parametrize("cxx", FAILING)
def test_a_compiler_that_is_none(script, tmp_path, cxx):
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=cxx)
    assert done.out == "trained 6.0\n"
    assert FAILING[cxx] in done.err
    assert len(done.err.splitlines()) == 1


def test_words_of_the_compiler_in_another_encoding(script, compiler, tmp_path):
    cxx = compiler("printf 'foo: error: \\351t\\351'; exit 1")
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=cxx)
    assert done.out == "trained 6.0\n"
    assert "foo: error: �t�" in done.err


def test_a_compiler_that_does_not_end_is_ended(script, compiler, tmp_path):
    """With all that it started; the training goes on, and one line tells."""
    cxx = compiler(f"sleep 300 & echo $! >{shlex.quote(str(tmp_path))}/pid.$$; wait")
    began = time.monotonic()
    done = script(TRAIN, NPUWH_CACHE=str(tmp_path / "cache"), CXX=cxx, SECONDS="1")
    assert time.monotonic() - began < 60
    assert done.out == "trained 6.0\n"
    assert "did not compile the observer within 1 s and was ended" in done.err
    for file in tmp_path.glob("pid.*"):
        started = Path("/proc", file.read_text().strip())
        deadline = time.monotonic() + 5
        while started.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not started.exists()


def test_ranks_that_waited_for_a_failing_build_do_not_repeat_it(script, compiler, tmp_path):
    cxx = compiler(f"echo >>{shlex.quote(str(tmp_path))}/calls; sleep 2; exit 1")
    done = script(
        f"""
        import subprocess, sys
        text = {TRAIN!r}
        jobs = [subprocess.Popen([sys.executable, "-c", text]) for _ in range(3)]
        print([job.wait() for job in jobs])
        """,
        NPUWH_CACHE=str(tmp_path / "cache"),
        CXX=cxx,
    )
    assert "[0, 0, 0]" in done.out
    assert done.err.count("does not compile") == 3
    assert len((tmp_path / "calls").read_text()) <= 2 * 3  # three sources, by one or, if one came late, two ranks


def test_the_command_tells_in_a_line(script, tmp_path):
    text = "import sys\nfrom warehouse.cli import main\nsys.argv = ['npuwh', 'build-torch']\nsys.exit(main())\n"
    done = script(text, code=2, NPUWH_CACHE="/proc/nothing")
    assert "cannot be built" in done.err
    assert "Traceback" not in done.err

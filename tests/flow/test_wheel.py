"""The wheel, installed in a fresh virtual environment, works in an empty folder."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCES = ["warehouse", "collector_ext", "migrations", "sql", "pyproject.toml", "README.md"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy, so that nothing that happens to lie in the working tree gets in."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "build"))
        else:
            shutil.copy(path, source / name)
    place = tmp_path_factory.mktemp("dist")
    run("-m", "pip", "wheel", "--no-deps", "-w", place, source)
    (made,) = place.glob("npuwh-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Python of a fresh environment in which nothing but the wheel and its dependencies is."""
    place = tmp_path_factory.mktemp("fresh") / "venv"
    run("-m", "venv", place)
    python = place / "bin" / "python"
    run("-m", "pip", "install", wheel, python=python)
    return python


def run(*arguments, python=sys.executable, cwd=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(python), *map(str, arguments)],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_what_is_needed_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("sql/base/op_named.sql", "migrations/versions/0001_tables.py", "py.typed"):
        assert f"warehouse/{needed}" in names
    tops = {name.split("/")[0] for name in names}
    assert len([top for top in tops if top != "warehouse" and not top.startswith("npuwh-")]) == 0, tops
    assert not [name for name in names if "tests/" in name]
    sources = [name for name in names if name.endswith((".cpp", ".hpp"))]
    assert "warehouse/torch_source/torch/observer.cpp" in sources  # built against the user's own torch
    assert not [name for name in sources if not name.startswith("warehouse/torch_source/")]


def test_the_main_job_in_an_empty_folder(installed, tmp_path):
    npuwh = installed.parent / "npuwh"
    told = run(npuwh, "demo", cwd=tmp_path)
    assert "SimNPU" in told
    assert "no findings" in run(npuwh, "check", "npuwh-demo/demo.db", cwd=tmp_path)
    assert "kernel_time" in run(npuwh, "views", "npuwh-demo/demo.db", cwd=tmp_path)


def test_the_library_in_an_empty_folder(installed, tmp_path):
    run(installed.parent / "npuwh", "demo", cwd=tmp_path)
    program = (
        "import warehouse\n"
        "with warehouse.open('npuwh-demo/demo.db') as w:\n"
        "    print(w.sql('SELECT count(*) AS n FROM step')['n'][0], w.view('op_named').select('name').collect().height)"
    )
    steps, operators = run("-c", program, cwd=tmp_path, python=installed).split()
    assert (steps, int(operators) > 100) == ("6", True)

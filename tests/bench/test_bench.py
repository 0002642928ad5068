"""The benchmark runs, whatever it finds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.frame import Figure
from tests.bench.printing import as_json, short

ROOT = Path(__file__).parents[2]


def bench(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


STAGES = ("disk", "load", "decode", "ingest", "export", "query", "row_bytes", "growth", "recorder")


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_gives_figures(tmp_path, stage):
    out = tmp_path / "out.json"
    done = bench(stage, "--rows", "2000", "--repeat", "1", "--folder", str(tmp_path), "--json", str(out))
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())["figures"]
    assert figures
    assert {each["stage"] for each in figures} == {stage}
    assert all(each["value"] >= 0 and each["unit"] for each in figures)
    assert [each.name for each in tmp_path.iterdir()] == ["out.json"]


def test_an_unknown_stage_is_told():
    done = bench("lod")
    assert done.returncode == 2
    assert "there is no stage lod; stages are disk, load" in done.stderr


@pytest.mark.parametrize(
    ("value", "unit", "verdict"),
    [
        (12, "x", "aim"),
        (5, "x", "must"),
        (4.9, "x", "missed"),
        (4.9, "s", "aim"),
        (8, "s", "must"),
        (11, "s", "missed"),
    ],
)
def test_verdicts(value, unit, verdict):
    higher = unit == "x"
    assert Figure("load", "", value, unit, *((5, 10) if higher else (10, 5))).verdict == verdict


def test_a_figure_without_demand_has_no_verdict():
    figure = Figure("load", "rows", 3.0, "M rows/s")
    assert figure.verdict == ""
    assert json.loads(as_json([figure]))["figures"][0]["must"] is None


def test_numbers_are_short():
    assert [short(value, "s") for value in (0.00012, 0.5, 1.234, 12.34, 1234.5, 60)] == [
        "0.0001 s", "0.5 s", "1.23 s", "12.3 s", "1,234 s", "60 s",
    ]  # fmt: skip

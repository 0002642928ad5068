"""Lists of declared differences, and the arithmetic of the reference that explains what they declare.

A list has one `FILE[::COLUMN]  # reason` a line, as compare_gold.py reads it.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

TESTS = Path(__file__).parents[1]
OF_DATABASES = TESTS / "declared_differences.txt"
OF_RAW_PROFILES = TESTS / "declared_differences_raw.txt"
_UNUSED = "note declared difference that excused nothing: "


def entries(path):
    """Entry -> reason."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {entry.strip(): reason.strip() for entry, _, reason in (line.partition("#") for line in lines)}


def compare(path, actual, expected, *options, only="*.[cj]s*"):
    """What compare_gold.py prints with that list."""
    command = [
        sys.executable, TESTS / "compare_gold.py", actual, expected, "--only", only, "--allow-from", path, *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.rstrip() + done.stderr


def unused(printed):
    """Entries that excused nothing."""
    return {line.removeprefix(_UNUSED) for line in printed.splitlines() if line.startswith(_UNUSED)}


def rows(folder, name):
    """Rows of all files of that name."""
    for path in sorted(folder.rglob(name)):
        yield from _rows_of(path)


def check_waits(actual, expected):
    """Ours are exact; the reference's are what doubles of us make of the same times, to the last of its six digits."""
    for theirs in sorted([*expected.rglob("kernel_details.csv"), *expected.rglob("op_summary_*.csv")]):
        prefix = "Task " if theirs.name.startswith("op_summary") else ""
        start_, duration_, wait = (f"{prefix}{name}(us)" for name in ("Start Time", "Duration", "Wait Time"))
        before = None
        for row, reference in zip(_ours(actual, expected, theirs), _rows_of(theirs), strict=True):
            start, duration = row[start_].strip(), row[duration_]
            exact, in_doubles = Decimal(0), "0"
            if before is not None:
                exact = max(exact, Decimal(start) - Decimal(before[0]) - Decimal(before[1]))
                in_doubles = f"{max(0.0, float(start) - float(before[0]) - float(before[1])):f}"
            assert (Decimal(row[wait]), reference[wait]) == (exact, in_doubles), row
            before = start, duration


def _ours(actual, expected, theirs):
    """Rows of our file for one of the reference's: msprof's lie a folder deeper, and have stamps."""
    folder = theirs.parent.relative_to(expected)
    stem = theirs.stem.rstrip("0123456789")
    (path,) = [each for each in (actual / folder.parent).rglob(f"{stem}*.csv") if each.parent.name == folder.name]
    return _rows_of(path)


def _rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def clock_shift(prof):
    """us by which the reference's Python is late: it holds the offset of its clock as a double of us since 1970."""
    (path,) = (prof / "host").glob("start_info*")
    info = json.loads(path.read_text(encoding="utf-8"))
    wall, monotonic = info["collectionTimeBegin"], info["clockMonotonicRaw"]
    return Decimal(str(float(wall) - float(monotonic) / 1000)) - (Decimal(wall) - Decimal(monotonic) / 1000)

"""Figures for people and for programs."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.frame import Figure

_COLOURS = {"aim": "green", "must": "yellow", "missed": "bold red", "": ""}


def as_table(figures: list[Figure], console: Console) -> None:
    """A row a figure, with what was asked of it beside it."""
    table = Table(box=None, pad_edge=False)
    for name, justify in (("stage", "left"), ("quantity", "left"), ("value", "right"), ("must", "right"),
                          ("aim", "right"), ("reached", "left"), ("note", "left")):  # fmt: skip
        table.add_column(name, justify=justify, overflow="fold")
    before = ""
    for each in figures:
        asked = ["" if asked is None else short(asked, each.unit) for asked in (each.must, each.aim)]
        stage = "" if each.stage == before else each.stage
        table.add_row(stage, each.quantity, short(each.value, each.unit), *asked, each.verdict, each.note,
                      style=_COLOURS[each.verdict])  # fmt: skip
        before = each.stage
    console.print(table)


def as_json(figures: list[Figure]) -> str:
    """All figures and where they were measured.

    >>> json.loads(as_json([Figure("disk", "written", 900.0, "MB/s")]))["figures"][0]["value"]
    900.0
    """
    machine = {
        "processor": _processor(), "cpus": os.cpu_count(), "system": platform.platform(),
        "python": platform.python_version(), "sqlite": sqlite3.sqlite_version,
    }  # fmt: skip
    rows = [asdict(each) | {"verdict": each.verdict} for each in figures]
    return json.dumps({"machine": machine, "figures": rows}, indent=1)


def short(value: float, unit: str) -> str:
    """Three digits that matter.

    >>> short(12.345, "s"), short(1234.5, "MB/s"), short(8.6, "x")
    ('12.3 s', '1,234 MB/s', '8.6 x')
    """
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()

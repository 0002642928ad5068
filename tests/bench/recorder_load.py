"""What the recorder's core takes when two threads record as fast as they are asked to (tests/bench/producers.cpp)."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.cost import Figure

_ROOT = Path(__file__).parents[2]
_STOP_EVENTS = 10_000_000
_MOST_STOP_MS = 500.0


def load_figures(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """Lost records under the load, of Python frames and of operators."""
    for kind in ("frame", "op"):
        found = _run(folder, kind, options.rate, options.seconds)
        what = f"{kind}s, two threads, {options.rate / 1e6:g} M/s for {options.seconds} s"
        yield Figure(f"{what}: events", found["events"], "events")
        yield Figure(f"{what}: lost", found["lost"], "records", 0)
        yield Figure(f"{what}: fullest ring", found["ring_peak_bytes"] / 1e6, "MB")
        yield Figure(f"{what}: the dumper's CPU", found["dumper_ns"], "ns/event")


def stop_figures(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """ms from stop to the complete recording, after 10 M events (or as many as the load has)."""
    for kind in ("frame", "op"):
        events = min(_STOP_EVENTS, options.rate * options.seconds)
        found = _run(folder, kind, options.rate, max(1, events // options.rate))
        what = f"end of a recording of {found['events'] / 1e6:g} M {kind}s"
        yield Figure(what, found["stop_ms"], "ms", _MOST_STOP_MS)


def _run(folder: Path, kind: str, rate: int, seconds: int) -> dict[str, Any]:
    program = _program(folder)
    chunks = folder / "chunks"
    chunks.mkdir()
    try:
        done = subprocess.run(
            [str(program), str(chunks), kind, str(rate), str(seconds)], capture_output=True, text=True, check=True
        )
    finally:
        shutil.rmtree(chunks)
    return dict(json.loads(done.stdout))


def _program(folder: Path) -> Path:
    program = folder / "producers"
    if not program.exists():
        command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-pthread", f"-I{_ROOT / 'collector_ext'}"]
        command += map(str, sorted((_ROOT / "collector_ext/core").glob("*.cpp")))
        subprocess.run([*command, str(Path(__file__).with_name("producers.cpp")), "-o", str(program)], check=True)
    return program

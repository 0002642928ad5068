"""Exports of a recording: each made by a process of its own, as every analysis is."""

from __future__ import annotations

from pathlib import Path

from warehouse.profiler.boundary import let_signals_through
from warehouse.profiler.child import run_child
from warehouse.profiler.settings import logger, report

METRICS = ("self_cpu_time_total", "self_npu_time_total")
_MODULE = "warehouse.profiler.exporting"


def export_chrome_trace(run: Path | None, output: str) -> None:
    """Write a Chrome trace, packed if the name ends in .gz.  Trouble is logged, never raised."""
    _export(run, "trace", output)


def export_stacks(run: Path | None, output: str, metric: str) -> None:
    """Write a line an operator with a stack: its calls, outermost first, and its own time in us."""
    if metric not in METRICS:
        report("metric", metric, f"one of {list(METRICS)}", METRICS[0])
        metric = METRICS[0]
    _export(run, "stacks", output, f"--metric={metric}")


def export_memory_timeline(run: Path | None, output: str, device: str) -> None:
    """Write the memory of each category over time."""
    _export(run, "memory", output, f"--device={device}")


def _export(run: Path | None, kind: str, output: object, *options: str) -> None:
    if run is None:
        logger.warning("nothing is exported: nothing was recorded")
        return
    try:
        place = Path(output).absolute()  # type: ignore[arg-type]  # whatever it is, it is told
        place.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    except (TypeError, OSError) as error:
        let_signals_through(error)
        logger.error("nothing is exported to %r: %s", output, error)
        return
    run_child([_MODULE, kind, *options, "--", str(run), str(place)], f"nothing is exported to {place}")

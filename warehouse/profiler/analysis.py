"""The process that makes of a recording what was asked for: `python -m warehouse.profiler.analysis [options] PATH...`.

A warehouse (`npuwh.db`), the vendor's text files, or both, in ASCEND_PROFILER_OUTPUT of the run directory; at its end
there is an empty file `analyse.done`.  Exit code 0, or 1 if a run could not be analysed.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from warehouse.errors import NpuwhError
from warehouse.profiler.output_folder import OutputFolder
from warehouse.profiler.run_directory import CHUNK_FOLDER, OUTPUT_FOLDER
from warehouse.profiler.settings import ExportType, logger, words_of

WAREHOUSE = "npuwh.db"
DONE = "analyse.done"


def runs_below(root: Path) -> list[Path]:
    """Run directories with a recording, `root` itself or anywhere below it."""
    found = []
    for folder, below, _ in os.walk(root):
        if CHUNK_FOLDER in below:
            found.append(Path(folder))
            below.clear()
    return sorted(found)


def export_types_of(run: Path) -> list[str]:
    """What the recording was made for; text if it does not say."""
    for path in sorted(run.glob("profiler_info*.json")):
        try:
            given = json.loads(path.read_text(encoding="utf-8"))["config"]["experimental_config"]["_export_type"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        wanted = [given] if isinstance(given, str) else given
        if isinstance(wanted, list) and wanted and all(each in words_of(ExportType) for each in wanted):
            return wanted
    return [ExportType.Text]


@dataclass(frozen=True)
class Outcome:
    """What analysing a run came to: one line if it could not be done; files that were in the way and stay as they are,
    with the reason."""

    fault: str | None = None
    kept: dict[str, str] = field(default_factory=dict)


def analyse_run(run: Path, kinds: list[str]) -> Outcome:
    """Analyse one run.  Results of the other kind, and what npuwh did not make or somebody changed since, stay."""
    from warehouse.export import export
    from warehouse.ingest import ingest

    try:
        output = OutputFolder(run / OUTPUT_FOLDER)
        # beside the run: nothing is ever made inside what is being read
        with tempfile.TemporaryDirectory(dir=run.parent, prefix=".npuwh-") as scratch:
            made = {WAREHOUSE: Path(scratch) / WAREHOUSE, DONE: Path(scratch) / DONE}
            ingest([run], made[WAREHOUSE], jobs=1)
            made[DONE].touch()
            if ExportType.Text in kinds:
                export(made[WAREHOUSE], Path(scratch) / "text", ("text",))
                texts = (Path(scratch) / "text").rglob("*")
                made |= {file.name: file for file in texts if file.is_file() and not file.name.startswith(".")}
            if ExportType.Db not in kinds:
                del made[WAREHOUSE]
            return Outcome(kept=output.put(made, lambda name: _kind_of(name) in kinds))
    except (NpuwhError, OSError) as error:
        text = str(error)
        return Outcome(text if text.startswith(str(run)) else f"{run}: {text}")


def _kind_of(name: str) -> str:
    return ExportType.Db if name == WAREHOUSE else ExportType.Text


def main(arguments: list[str] | None = None) -> int:
    """Analyse the runs; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m warehouse.profiler.analysis", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--export-type", action="append", choices=words_of(ExportType), default=[])
    given = parser.parse_args(arguments)
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    runs = [run for path in given.paths for run in runs_below(path)]
    if not runs:
        logger.error("%s: there is no recording at or below it", ", ".join(map(str, given.paths)))
        return 1
    wanted = [given.export_type or export_types_of(run) for run in runs]
    processes = max(1, min(given.processes, len(runs)))
    if processes == 1:
        outcomes = [analyse_run(run, kinds) for run, kinds in zip(runs, wanted, strict=True)]
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            outcomes = list(pool.map(analyse_run, runs, wanted))
    for run, outcome in zip(runs, outcomes, strict=True):
        if outcome.fault is not None:
            logger.error("%s", outcome.fault)
        if outcome.kept:
            kept = ", ".join(f"{name} ({why})" for name, why in sorted(outcome.kept.items()))
            logger.warning("%s: kept: %s; move it away to have the new one", run / OUTPUT_FOLDER, kept)
    return 1 if any(outcome.fault for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The process that makes one export of a recording: `python -m warehouse.profiler.exporting KIND [options] RUN OUTPUT`.

KIND is trace, stacks or memory.  Exit code 0, or 1 with one line if it cannot be made.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from warehouse.errors import NpuwhError
from warehouse.profiler.exports import METRICS
from warehouse.profiler.settings import logger


def export_trace(run: Path, output: Path) -> None:
    """Write the recording as a Chrome trace, packed if the name ends in .gz."""
    from warehouse.export import export

    def write(made: Path, scratch: Path) -> None:
        report = export(made, scratch / "trace", ("trace",), gzip=output.suffix == ".gz")
        _put(report.files[0].path, output)

    _with_warehouse(run, write)


def export_stacks(run: Path, output: Path, metric: str) -> None:
    """Write a line an operator with a stack: its calls, outermost first, a space, its own time in whole us; what took
    less than one us is left out."""
    from warehouse import store
    from warehouse.plain_rows import iterate

    column = "host_self_ns" if metric == METRICS[0] else "device_self_ns"

    def write(made: Path, scratch: Path) -> None:
        query = store.select("op_stack", ["stack", column], order=["op_id"])
        part = scratch / "stacks"
        with closing(store.open_read(made)) as connection, part.open("w", encoding="utf-8") as file:
            for rows in iterate(connection, *query, path=made):
                file.writelines(f"{stack} {ns // 1000}\n" for stack, ns in rows if stack and ns >= 1000)
        _put(part, output)

    _with_warehouse(run, write)


def _put(made: Path, output: Path) -> None:
    """Under its name there is the whole file or none of it."""
    if output.exists() and not output.is_file():  # a pipe or a device; OSError for a folder
        shutil.copyfile(made, output)
        return
    with tempfile.NamedTemporaryFile("wb", dir=output.parent, prefix=".npuwh-", delete=False) as file:
        part = Path(file.name)
    try:
        shutil.copyfile(made, part)
        part.chmod(0o640)
        part.replace(output)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def export_memory(run: Path, output: Path, device: str) -> None:
    """Write the memory of each category over time: a page for .html, events for .raw.json.gz, else curves."""
    from warehouse.profiler.memory_timeline import write_memory_timeline

    write_memory_timeline(run, output, device)


def _with_warehouse(run: Path, write: Callable[[Path, Path], None]) -> None:
    from warehouse.ingest import ingest

    with tempfile.TemporaryDirectory(prefix="npuwh-") as scratch:
        made = Path(scratch) / "npuwh.db"
        ingest([run], made, jobs=1)
        write(made, Path(scratch))


def main(arguments: list[str] | None = None) -> int:
    """Make one export; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m warehouse.profiler.exporting", description=__doc__)
    parser.add_argument("kind", choices=("trace", "stacks", "memory"))
    parser.add_argument("run", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--metric", choices=METRICS, default=METRICS[0])
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args(arguments)
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    try:
        if given.kind == "trace":
            export_trace(given.run, given.output)
        elif given.kind == "stacks":
            export_stacks(given.run, given.output, given.metric)
        else:
            export_memory(given.run, given.output, given.device)
        if given.output.is_file() and not given.output.is_symlink():
            given.output.chmod(0o640)  # as all exported files
    except (NpuwhError, OSError) as error:
        logger.error("%s: %s", given.output, error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

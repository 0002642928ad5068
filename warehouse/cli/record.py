"""`npuwh record`: run a script as `python SCRIPT args` does, and record it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from warehouse.errors import UsageError


def record(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The script, or with --module the name of a module.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="Its arguments, as they are.", show_default=False)
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the run directory goes.")
    ] = Path("npuwh-recordings"),
    export_type: Annotated[
        list[str] | None,
        typer.Option("--export-type", metavar="KIND", help="db (a warehouse), text, or both.", show_default=False),
    ] = None,
    shapes: Annotated[bool, typer.Option("--shapes", help="Types and sizes of what operators take.")] = False,
    memory: Annotated[bool, typer.Option("--memory", help="Every allocation.")] = False,
    stack: Annotated[bool, typer.Option("--stack", help="Python calls, and the stack of each operator.")] = False,
    modules: Annotated[bool, typer.Option("--modules", help="The modules that each operator lies in.")] = False,
    flops: Annotated[bool, typer.Option("--flops", help="Floating-point operations of the large operators.")] = False,
    gc: Annotated[
        float | None, typer.Option("--gc", metavar="MS", help="Garbage collections from that long on.")
    ] = None,
    live: Annotated[
        int | None, typer.Option("--live", metavar="PORT", help="Counters for Prometheus on this port of 127.0.0.1.")
    ] = None,
    module: Annotated[bool, typer.Option("-m", "--module", help="SCRIPT is a module, as with python -m.")] = False,
) -> None:
    """Record a script without changing it.

    It runs as `python SCRIPT ARGS` would, and ends with its exit code.  What it did, also until it failed, is in
    DIR/<host>_<pid>_<time>_ascend_pt, with a warehouse in ASCEND_PROFILER_OUTPUT/npuwh.db of it.

    Example: npuwh record --shapes train.py --epochs 1
    """
    kinds = export_type or ["db"]
    for kind in kinds:
        if kind not in ("db", "text"):
            raise UsageError(f"--export-type {kind}: db and text are there")
    command = [sys.executable, "-m", "warehouse.profiler.run_script", f"--output={output}"]
    command += [f"--export-type={kind}" for kind in kinds]
    wanted = {
        "--record-shapes": shapes, "--profile-memory": memory, "--with-stack": stack, "--with-modules": modules,
        "--with-flops": flops, "--module": module,
    }  # fmt: skip
    command += [name for name, is_wanted in wanted.items() if is_wanted]
    if gc is not None:
        command.append(f"--gc={gc}")
    if live is not None:
        os.environ["NPUWH_LIVE"] = str(live)
    sys.stdout.flush()
    sys.stderr.flush()
    # a process of its own: nothing of the command is left in what is recorded
    os.execv(sys.executable, [*command, "--", script, *(arguments or ())])

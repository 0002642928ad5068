"""`npuwh record`: run a script as `python SCRIPT args` does, and record it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from warehouse.cli.byte_count import byte_count
from warehouse.errors import UsageError


def record(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The script, or with --module the name of a module.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="Its arguments, as they are.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where the run directory goes.", show_default="npuwh-recordings"
        ),
    ] = None,
    export_type: Annotated[
        list[str] | None,
        typer.Option(
            "--export-type", metavar="KIND", help="db (a warehouse), text (the vendor's files), or both.",
            show_default="db",
        ),
    ] = None,
    shapes: Annotated[bool, typer.Option("--shapes", help="Types and sizes of what operators take.")] = False,
    memory: Annotated[bool, typer.Option("--memory", help="Every allocation.")] = False,
    stack: Annotated[bool, typer.Option("--stack", help="Python calls, and the stack of each operator.")] = False,
    modules: Annotated[bool, typer.Option("--modules", help="The modules that each operator lies in.")] = False,
    flops: Annotated[bool, typer.Option("--flops", help="Floating-point operations of the large operators.")] = False,
    gc: Annotated[
        float | None, typer.Option("--gc", metavar="MS", help="Garbage collections from that long on.")
    ] = None,
    host_sys: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="The host, too: cpu, mem, disk or network.")
    ] = None,
    mstx_domain_include: Annotated[
        list[str] | None, typer.Option(metavar="DOMAIN", help="Marks of this domain only (again for more).")
    ] = None,
    mstx_domain_exclude: Annotated[
        list[str] | None, typer.Option(metavar="DOMAIN", help="All marks but those of this domain (again for more).")
    ] = None,
    include_ops: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Operators of such names only (*, ?, [...]).")
    ] = None,
    exclude_ops: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="No operators of such names.")
    ] = None,
    only_modules: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Operators of modules of such classes only.")
    ] = None,
    shortest_us: Annotated[float | None, typer.Option(metavar="US", help="No operators that are shorter.")] = None,
    steps: Annotated[bool, typer.Option("--steps", help="A step ends with each step of the optimizer.")] = False,
    every_step: Annotated[int | None, typer.Option(metavar="N", help="What each N-th of these steps did only.")] = None,
    skip_first: Annotated[int | None, typer.Option(metavar="N", help="Nothing of the first N steps.")] = None,
    wait: Annotated[int | None, typer.Option(metavar="N", help="Of each cycle, N steps without recording,")] = None,
    warmup: Annotated[
        int | None, typer.Option(metavar="N", help="N with what recording takes, but no records,")
    ] = None,
    active: Annotated[int | None, typer.Option(metavar="N", help="and N recorded, to a run directory a cycle.")] = None,
    repeat: Annotated[int | None, typer.Option(metavar="N", help="So many cycles; 0: to the end.")] = None,
    after: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Nothing until so long after the start.")
    ] = None,
    for_seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", help="Nothing after so long a time of recording.")
    ] = None,
    disk_bytes: Annotated[
        int | None, typer.Option(parser=byte_count, metavar="BYTES", help="End the recording at this size (20G).")
    ] = None,
    chunk_bytes: Annotated[
        int | None, typer.Option(parser=byte_count, metavar="BYTES", help="Begin another file at this size.")
    ] = None,
    chunk_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Begin another file after so long.")
    ] = None,
    flush_seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="What a killed process may lose.")
    ] = None,
    ring_bytes: Annotated[
        int | None, typer.Option(parser=byte_count, metavar="BYTES", help="Memory between a thread and the disk.")
    ] = None,
    worker: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the run directory, instead of the host's.")
    ] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="NAME=TEXT", help="A text to keep with the recording.")
    ] = None,
    no_analyse: Annotated[bool, typer.Option("--no-analyse", help="Leave the recording as it is.")] = False,
    watch: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Windows as DIR/profiler_config.json says, once it changes.")
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
    kinds = _export_types(export_type or [])
    planned = {"skip_first": skip_first, "wait": wait, "warmup": warmup, "active": active, "repeat": repeat}
    if active is None and any(number is not None for number in planned.values()):
        raise UsageError("--skip-first, --wait, --warmup and --repeat go with --active")
    settings = {
        "output": None if output is None else str(output),
        "worker_name": worker,
        "is_left_raw": no_analyse,
        "has_steps": steps,
        "profile": {
            "record_shapes": shapes, "profile_memory": memory, "with_stack": stack, "with_modules": modules,
            "with_flops": flops,
        },
        "experimental_config": {
            "export_type": kinds, "gc_detect_threshold": gc, "host_sys": host_sys,
            "mstx_domain_include": mstx_domain_include,
            "mstx_domain_exclude": mstx_domain_exclude,
        },
        "selection": {
            "include_ops": include_ops, "exclude_ops": exclude_ops, "modules": only_modules,
            "shortest_us": shortest_us, "every_step": every_step,
        },
        "schedule": planned,
        "window": {"after_s": after, "for_s": for_seconds},
        "disk_limits": {
            "disk_bytes": disk_bytes, "chunk_bytes": chunk_bytes, "chunk_seconds": chunk_seconds,
            "flush_seconds": flush_seconds, "ring_bytes": ring_bytes,
        },
        "metadata": _metadata(metadata or []),
    }  # fmt: skip
    told = _given(settings)
    if watch is not None:
        if told:
            raise UsageError("--watch goes with --live and --module alone: the rest stands in the watched file")
        told = {"watch": str(watch)}
    if live is not None:
        os.environ["NPUWH_LIVE"] = str(live)
    sys.stdout.flush()
    sys.stderr.flush()
    # a process of its own: nothing of the command is left in what is recorded
    command = [sys.executable, "-m", "warehouse.profiler.run_script", json.dumps({**told, "is_module": module}), script]
    os.execv(sys.executable, [*command, *(arguments or ())])


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """Without what was not given: None, False, and what is empty."""
    found = {name: _given(value) if isinstance(value, dict) else value for name, value in settings.items()}
    return {name: value for name, value in found.items() if value is not False and value not in (None, {}, [])}


def _export_types(given: list[str]) -> list[str]:
    """`db`, `text`, or `both`; the option may be given again, and a comma is as good."""
    found = []
    for kind in (part.strip() for each in given for part in each.split(",")):
        if kind not in ("db", "text", "both"):
            raise UsageError(f"--export-type {kind}: choose db, text or both")
        found += ["text", "db"] if kind == "both" else [kind]
    return list(dict.fromkeys(found))


def _metadata(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not (name and equals):
            raise UsageError(f"--metadata {pair}: has to be NAME=TEXT")
        found[name] = text
    return found

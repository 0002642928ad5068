"""`npuwh export`: deliverables out of a warehouse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from warehouse.cli.numbers import numbers
from warehouse.cli.outcome import say, telling
from warehouse.cli.progress import shown
from warehouse.cli.show import show_rows
from warehouse.wording import counted


def export(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Write below this directory.")],
    kinds: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND]...",
            help="text (all text deliverables), msprof (those of msprof itself), one of them by name (kernel_details, "
            "communication, trace_view, op_summary, ...), "
            "trace (our Chrome trace, all chosen ranks in one), parquet (a file a view of the rooms "
            "base, cluster, comm, device, graph, host and step, also without rows).  Default: text trace.",
        ),
    ] = None,
    run: Annotated[
        list[str] | None, typer.Option(metavar="N,...", help="Only these runs (column run of npuwh info).")
    ] = None,
    rank: Annotated[
        list[str] | None, typer.Option(metavar="R,...", help="Only these ranks of the job (column rank).")
    ] = None,
    step: Annotated[
        list[str] | None, typer.Option(metavar="S,...", help="Only these steps, one after the other.")
    ] = None,
    from_ns: Annotated[int | None, typer.Option(metavar="A", help="Only what ends after: ns since the epoch.")] = None,
    to_ns: Annotated[int | None, typer.Option(metavar="B", help="Only what starts before: ns since the epoch.")] = None,
    gzip: Annotated[bool, typer.Option(help="Pack the trace: trace.json.gz.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier export that were changed since.")
    ] = False,
) -> None:
    """Write deliverables: the text files of the vendor, our trace for viewers, parquet.

    Text lies at DIR/<run directory of the rank>/ASCEND_PROFILER_OUTPUT/<the vendor's file name>, msprof's files beside
    it at <PROF directory>/mindstudio_profiler_output, the trace at DIR/trace.json, views at DIR/parquet.

    Example: npuwh export W.db --to out --rank 0 --step 12 kernel_details trace
    """
    from warehouse.export import export as write

    with shown("export") as report:
        done = write(
            warehouse, to, kinds or ("text", "trace"),
            run=numbers("--run", run), rank=numbers("--rank", rank), step=numbers("--step", step),
            from_ns=from_ns, to_ns=to_ns, gzip=gzip, force=force, progress=report,
        )  # fmt: skip
    with telling(f"{counted(len(done.files), 'file')} below {to} {'is' if len(done.files) == 1 else 'are'} made"):
        show_rows(["rows", "file"], [(file.rows, file.path) for file in done.files])
    for name, kind in done.absent.items():
        if {Path(name).name, kind} & set(kinds or ()):  # asked for by name
            say(f"{to / name}: has no rows and was not made")
    if done.left_out:
        named = "; ".join(f"{reason}: {', '.join(names)}" for reason, names in _by_reason(done.left_out).items())
        say(f"{counted(len(done.left_out), 'view')} cannot be narrowed to what was chosen: not written ({named})")


def _by_reason(left_out: dict[str, str]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        reasons.setdefault(reason, []).append(Path(name).stem)
    return reasons

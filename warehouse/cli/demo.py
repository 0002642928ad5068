"""`npuwh demo`: the main job on a small profile of our own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from warehouse import store
from warehouse.cli.outcome import telling
from warehouse.cli.progress import shown, shown_bytes
from warehouse.cli.show import show_rows
from warehouse.errors import UsageError, WriteError
from warehouse.plain_rows import PlainWarehouse
from warehouse.profile_folder import run_around
from warehouse.write_faults import write_fault

_TOP = 8
_KERNELS = ["rank_no", "kernel_name", "core", "calls", "total_ns", "average_ns", "share_ratio"]
_STEPS = [
    "rank_no", "step_no", "device_ns", "lead_in_ns", "computing_ns", "communication_exposed_ns", "free_ns", "tail_ns",
]  # fmt: skip


def demo(
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where the profile and the results go.")] = Path(
        "npuwh-demo"
    ),
) -> None:
    """Make a small simulated profile, ingest it, show its top kernels and step breakdown, export its trace.

    The simulated device is called SimNPU.  Doing it again in the same place changes nothing.

    Example: npuwh demo --to demo
    """
    from warehouse.export import export as write
    from warehouse.ingest import ingest as load
    from warehouse.sample import run_directory

    if around := run_around(to):
        raise UsageError(f"{to}: lies in the profile {around}, and profiles are never written to; give another --to")
    profile, made, results = to / "profile", to / "demo.db", to / "results"
    try:
        to.mkdir(mode=0o750, parents=True, exist_ok=True)
        if not profile.exists():
            _make(profile)
    except OSError as error:
        raise WriteError(f"{error.filename or to}: cannot be made {write_fault(error, '--to')}") from error
    if not run_directory(profile, 0).is_dir():
        raise UsageError(f"{profile}: is there and is not the demo's profile; give another --to")
    with shown_bytes("ingest") as report:
        load([profile], made, progress=report)
    with shown("export") as report:
        done = write(made, results, ["text", "trace"], progress=report)
    with telling(f"the demo in {to} is made"):
        print("A simulated training job: 2 ranks, 3 steps, on a device called SimNPU.\n")
        with PlainWarehouse(made) as opened:
            print("Top kernels of rank 0 (view kernel_time):")
            _show(opened, "kernel_time", _KERNELS, [("rank_id", "=", 1)], _TOP, "total_ns")
            print("\nWhere the time of each step went; the parts add up to device_ns (view step_breakdown):")
            _show(opened, "step_breakdown", _STEPS, [("step_no", "<>", None)])
        trace = [file.path for file in done.files if file.kind == "trace"]
        print(f"\nprofile    {profile}")
        print(f"warehouse  {made}   (npuwh views {made} tells what can be asked)")
        for path in trace:
            print(f"trace      {path}   (open it in https://ui.perfetto.dev)")
        print(f"text files {results}")


def _make(profile: Path) -> None:
    """The profile appears whole or not at all."""
    from warehouse.sample import write_profile

    growing = profile.with_name(f"{profile.name}.{os.getpid()}.tmp")
    try:
        write_profile(growing)
        growing.rename(profile)
    except BaseException:
        shutil.rmtree(growing, ignore_errors=True)
        raise


def _show(
    opened: PlainWarehouse,
    view: str,
    columns: list[str],
    where: list[tuple[str, str, object]],
    limit: int | None = None,
    largest: str | None = None,
) -> None:
    """Rows of a view, those with the most of column `largest` first."""
    batches = opened.rows(*store.select(view, columns, where, order=columns[:2]))
    rows = [row for batch in batches for row in batch]
    if largest:
        rows.sort(key=lambda row: -row[columns.index(largest)])
    show_rows(columns, rows[:limit], indent="  ")

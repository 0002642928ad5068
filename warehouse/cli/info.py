"""`npuwh info`: what is in a warehouse."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from warehouse import store
from warehouse.cli.show import show_rows
from warehouse.query import Warehouse

# what is shown of rank_overview; --json has all of it
_SHOWN = [
    "rank_id", "run_name", "rank_no", "directory", "device_id", "chip_name", "level", "schema_version", "step_count",
    "record_count", "rejected_count", "error_count", "warning_count", "left_count",
]  # fmt: skip
_VERSIONS = ["framework_version", "cann_version", "schema_version", "input_kind", "rank_origin"]


def info(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Tell what a warehouse holds: runs, ranks, versions, time range, rows a table, and how complete it is.

    Example: npuwh info W.db --json
    """
    with Warehouse(warehouse) as opened:
        ranks = _all(opened, "rank_overview", "rank_id")
        told: dict[str, Any] = {
            "path": str(warehouse),
            "size_bytes": warehouse.stat().st_size,
            "file_version": store.latest_version(),
            "runs": len({rank["run_id"] for rank in ranks}),
            "ranks": ranks,
            "start_ns": min((rank["session_start_ns"] for rank in ranks if rank["session_start_ns"]), default=None),
            "end_ns": max((rank["session_end_ns"] for rank in ranks if rank["session_end_ns"]), default=None),
            "tables": {row["table_name"]: row["row_count"] for row in _all(opened, "table_rows") if row["row_count"]},
            "sources": _all(opened, "source_named", "id"),
            "issues": _all(opened, "issue_named", "id"),
        }
    if as_json:
        print(json.dumps(told, indent=1))
    else:
        _tell(told)


def _all(opened: Warehouse, view: str, *order: str) -> list[dict[str, Any]]:
    columns = [column.name for column in store.view(view).columns]
    batches = opened.rows(*store.select(view, columns, order=order))
    return [dict(zip(columns, row, strict=True)) for rows in batches for row in rows]


def _tell(told: dict[str, Any]) -> None:
    ranks: list[dict[str, Any]] = told["ranks"]
    print(f"{told['path']}: {told['size_bytes']} bytes, file version {told['file_version']}")
    print(f"runs: {told['runs']}, ranks: {len(ranks)}, {_range(told['start_ns'], told['end_ns'])}")
    if any(rank["is_simulated"] for rank in ranks):
        print("some of it was recorded on a simulated device (SimNPU)")
    _section("ranks", _SHOWN, ranks)
    _section("versions", ["rank_id", *_VERSIONS], ranks)
    print("\nrows a table")
    show_rows(["table", "rows"], sorted(told["tables"].items()), indent="  ")
    left = [source for source in told["sources"] if source["state"] != "used"]
    _section("input files left out", ["path", "kind", "state", "note"], left)
    _section("issues", ["severity", "code", "text", "path", "table_name", "count"], told["issues"])
    lost = sum(rank["rejected_count"] for rank in ranks)
    found = sum(issue["severity"] != "info" for issue in told["issues"])
    complete = "complete" if not lost and not found else f"not complete: {lost} records rejected, {found} issues"
    print(f"\n{complete}; `npuwh check {told['path']}` looks closer")


def _section(title: str, columns: list[str], rows: list[dict[str, Any]]) -> None:
    if rows:
        print(f"\n{title}")
        show_rows(columns, [[row[column] for column in columns] for row in rows], indent="  ")


def _range(start_ns: int | None, end_ns: int | None) -> str:
    if start_ns is None or end_ns is None:
        return "time range unknown"
    begin = datetime.fromtimestamp(start_ns // 10**9, timezone.utc)
    return f"{begin:%Y-%m-%d %H:%M:%S} UTC, {(end_ns - start_ns) / 1e9:.3f} s ({start_ns} to {end_ns} ns)"

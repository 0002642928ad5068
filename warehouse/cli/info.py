"""`npuwh info`: what is in a warehouse."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from warehouse import store
from warehouse.cli.completeness import count_findings, count_losses, in_words, measure
from warehouse.cli.show import show_rows
from warehouse.plain_rows import PlainWarehouse
from warehouse.wording import counted

# what is shown of rank_overview, a column under its heading; --json has all of it
_RANKS = {
    "run": "run_id", "rank": "rank_no", "rank_id": "rank_id", "run_name": "run_name", "directory": "directory",
    "device": "device_id", "chip": "chip_name", "level": "level", "start (UTC)": "start", "seconds": "seconds",
    "steps": "step_count", "records": "record_count", "lost": "lost_count", "ignored": "ignored_count",
    "errors": "error_count", "warnings": "warning_count", "files left out": "left_count",
}  # fmt: skip
_VERSIONS = {
    "run": "run_id", "rank": "rank_no", "torch, torch_npu": "framework_version", "CANN": "cann_version",
    "schema": "schema_version", "read from": "input_kind", "rank told by": "rank_origin",
}  # fmt: skip


def info(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Tell what a warehouse holds: runs, ranks, versions, time ranges, rows a table, and how complete it is.

    The columns run and rank are what `npuwh export` takes as --run and --rank; views call them run_id and rank_no.

    Example: npuwh info W.db --json
    """
    with PlainWarehouse(warehouse) as opened:
        opened.require_views(["issue_named", "rank_overview", "source_named", "table_rows"])
        issues = _all(opened, "issue_named", "id")
        ranks = _all(opened, "rank_overview", "run_id", "rank_no", "rank_id")
        count_losses(ranks, issues)
        sources = _all(opened, "source_named", "id")
        tables = {row["table_name"]: row["row_count"] for row in _all(opened, "table_rows") if row["row_count"]}
        told: dict[str, Any] = {
            "path": str(warehouse),
            "size_bytes": warehouse.stat().st_size,
            "file_version": store.latest_version(),
            "runs": len({rank["run_id"] for rank in ranks}),
            **measure(ranks, sources, issues, *count_findings(opened, tables)),
            "ranks": ranks,
            "tables": tables,
            "sources": sources,
            "issues": issues,
        }
    if as_json:
        print(json.dumps(told, indent=1))
    else:
        _tell(told)


def _all(opened: PlainWarehouse, view: str, *order: str) -> list[dict[str, Any]]:
    columns = [column.name for column in store.view(view).columns]
    batches = opened.rows(*store.select(view, columns, order=order))
    return [dict(zip(columns, row, strict=True)) for rows in batches for row in rows]


def _tell(told: dict[str, Any]) -> None:
    ranks: list[dict[str, Any]] = [rank | _times(rank) for rank in told["ranks"]]
    print(f"{told['path']}: {counted(told['size_bytes'], 'byte')}, file version {told['file_version']}")
    print(f"runs: {told['runs']}, ranks: {len(ranks)}")
    if unfinished := store.left_beside(Path(told["path"])):
        print(unfinished)
    if any(rank["is_simulated"] for rank in ranks):
        print("some of it was recorded on a simulated device (SimNPU)")
    _section("ranks", _RANKS, ranks)
    _section("versions", _VERSIONS, ranks)
    print("\nrows a table")
    show_rows(["table", "rows"], sorted(told["tables"].items()), indent="  ")
    texts = {issue["text"] for issue in told["issues"]}
    left = [
        source | ({"note": "see the issue"} if source["note"] in texts else {})  # a fault is told once
        for source in told["sources"]
        if source["state"] != "used"
    ]
    _section("input files left out", ["files", "path", "kind", "state", "note"], _by_folder(left))
    issues = [issue | {"path": issue["path"] or issue["directory"]} for issue in told["issues"]]
    _section("issues", ["severity", "code", "text", "path", "table_name", "count"], issues)
    print(f"\n{in_words(told)}; `npuwh check {told['path']}` looks closer")


def _by_folder(sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for files of a folder that were left for the same reason."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for source in sources:
        key = (str(Path(source["path"]).parent), source["kind"], source["state"], source["note"] or "")
        groups.setdefault(key, []).append(source)
    return [
        group[0] | {"files": len(group)} | ({"path": folder} if len(group) > 1 else {})
        for (folder, *_), group in groups.items()
    ]


def _section(title: str, columns: dict[str, str] | list[str], rows: list[dict[str, Any]]) -> None:
    if rows:
        keys = list(columns.values()) if isinstance(columns, dict) else columns
        print(f"\n{title}")
        show_rows(list(columns), [[row[key] for key in keys] for row in rows], indent="  ")


def _times(rank: dict[str, Any]) -> dict[str, Any]:
    """When the rank was recorded, for people."""
    start_ns, end_ns = rank["session_start_ns"], rank["session_end_ns"]
    if start_ns is None:
        return {"start": None, "seconds": None}
    begin = datetime.fromtimestamp(start_ns // 10**9, timezone.utc)
    seconds = None if end_ns is None else f"{(end_ns - start_ns) / 1e9:.3f}"
    return {"start": f"{begin:%Y-%m-%d %H:%M:%S}", "seconds": seconds}

"""How complete a warehouse is: what was lost in reading, and what checks find in what was read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from warehouse import store
from warehouse.plain_rows import PlainWarehouse
from warehouse.wording import counted

IGNORED = "tables that another tool added"
# as errors and warnings, losses, failed files, a warning
_TOLD_ELSEWHERE = ("check_issue", "check_rejected", "check_source", "check_reference_only")
_MOST_ROWS = 2_000_000  # that a check may read here: about a second


def count_losses(ranks: list[dict[str, Any]], issues: list[dict[str, Any]]) -> None:
    """Give each rank `lost_count` and `ignored_count`: records of tables that another tool added are not lost."""
    ignored: Counter[int | None] = Counter()
    for issue in issues:
        if issue["severity"] == "info":
            ignored[issue["rank_id"]] += issue["rejected_count"]
    for rank in ranks:
        rank["ignored_count"] = ignored[rank["rank_id"]]
        rank["lost_count"] = rank["rejected_count"] - rank["ignored_count"]


def count_findings(opened: PlainWarehouse, table_rows: dict[str, int]) -> tuple[dict[str, int], list[str]]:
    """Findings of each check that has some, without `check_`, and the checks that would read too much for a glance."""
    findings, unchecked = {}, []
    for view in store.rooms(["check"])["check"]:
        if view.name in _TOLD_ELSEWHERE:
            continue
        name = view.name.removeprefix("check_")
        read = {table for each in store.with_those_they_use([view.name]) for table in store.view(each).uses}
        if sum(table_rows.get(table, 0) for table in read) > _MOST_ROWS:
            unchecked.append(name)
            continue
        opened.require_views([view.name])
        if count := sum(map(len, opened.rows(*store.select(view.name, [view.columns[0].name])))):
            findings[name] = count
    return findings, unchecked


def measure(
    ranks: list[dict[str, Any]],
    sources: list[dict[str, Any]],
    issues: list[dict[str, Any]],
    findings: dict[str, int],
    unchecked: list[str],
) -> dict[str, Any]:
    """The numbers that `in_words` tells; complete is what lost nothing and has no findings."""
    found = Counter(issue["severity"] for issue in issues)
    lost = sum(rank["lost_count"] for rank in ranks)
    failed = sum(source["state"] == "failed" for source in sources)
    return {
        "is_complete": not (found["error"] or found["warning"] or lost or failed or findings),
        "error_count": found["error"],
        "warning_count": found["warning"],
        "lost_count": lost,
        "failed_count": failed,
        "ignored_count": sum(rank["ignored_count"] for rank in ranks),
        "findings": findings,
        "unchecked": unchecked,
    }


def in_words(told: dict[str, Any]) -> str:
    """How complete a warehouse is, in one line.

    >>> numbers = {"error_count": 0, "warning_count": 0, "lost_count": 0, "failed_count": 0, "unchecked": []}
    >>> in_words({**numbers, "is_complete": True, "findings": {}, "ignored_count": 953})
    'complete: 0 errors, 0 warnings; 953 records ignored (tables that another tool added)'
    >>> in_words({**numbers, "is_complete": False, "findings": {"session_time": 3}, "ignored_count": 0})
    'nothing is lost, but not all is well: 0 errors, 0 warnings, 3 findings (session_time 3)'
    """
    parts = [counted(told["error_count"], "error"), counted(told["warning_count"], "warning")]
    if told["lost_count"]:
        parts.append(f"{counted(told['lost_count'], 'record')} lost")
    if told["failed_count"]:
        parts.append(f"{counted(told['failed_count'], 'file')} not read")
    is_whole = not any(told[name] for name in ("error_count", "warning_count", "lost_count", "failed_count"))
    if findings := told["findings"]:
        each = ", ".join(f"{name} {count:,}" for name, count in findings.items())
        parts.append(f"{counted(sum(findings.values()), 'finding')} ({each})")
    head = "complete" if told["is_complete"] else "nothing is lost, but not all is well" if is_whole else "not complete"
    text = f"{head}: {', '.join(parts)}"
    if told["ignored_count"]:
        text += f"; {counted(told['ignored_count'], 'record')} ignored ({IGNORED})"
    if unchecked := told["unchecked"]:
        text += f"; not checked here, as there is much to read: {', '.join(unchecked)}"
    return text

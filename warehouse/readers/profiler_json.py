"""`profiler_info[_N].json` and `profiler_metadata.json` beside a profile (deliverables.md 0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from warehouse.errors import InputError
from warehouse.readers.facts import Group, RankFacts
from warehouse.readers.issues import Ledger
from warehouse.readers.official_open import check_regular_file

_LARGEST_FILE = 64 << 20


def read_json(path: Path) -> dict[str, Any]:
    """The object in the file; InputError if it is none, or too large to be what its name says."""
    check_regular_file(path)
    if path.stat().st_size > _LARGEST_FILE:
        raise InputError(
            f"{path}: is larger than {_LARGEST_FILE >> 20} MiB, too large for a profiler's own description"
        )
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid JSON ({error})") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not a JSON object")
    return found


def read_profiler_info(path: Path, ledger: Ledger) -> RankFacts:
    """Level, versions, rank and settings; every top-level entry counts as one record."""
    found = read_json(path)
    ledger.found(path.name, len(found))
    ledger.load(path.name, len(found))
    facts = RankFacts(
        framework_version=_text(found.get("torch_npu_version")), cann_version=_text(found.get("cann_version"))
    )
    rank = found.get("rank_id")
    if isinstance(rank, int | str) and str(rank).isdigit():
        facts.ranks.append(("profiler_info", int(rank)))
    experimental = _object(_object(found.get("config")).get("experimental_config"))
    level = experimental.get("_profiler_level")
    if isinstance(level, str):
        facts.level = level.rpartition(".")[2]
    facts.metadata = [(f"profiler_info.{name}", _text(value)) for name, value in found.items()]
    return facts


def read_profiler_metadata(path: Path, ledger: Ledger) -> RankFacts:
    """The user's metadata and communication groups; every top-level entry counts as one record."""
    found = read_json(path)
    ledger.found(path.name, len(found))
    ledger.load(path.name, len(found))
    facts = RankFacts(metadata=[(name, _text(value)) for name, value in found.items()])
    if "parallel_group_info" in found:
        read_groups(found["parallel_group_info"], facts)
    return facts


def read_groups(value: object, facts: RankFacts) -> None:
    """Fill `facts.groups` from parallel_group_info, an object or its text; ValueError if it is neither.

    >>> facts = RankFacts()
    >>> read_groups('{"g": {"group_name": "tp", "global_ranks": [0, 1]}}', facts)
    >>> facts.groups["g"].alias, facts.groups["g"].ranks
    ('tp', [0, 1])
    """
    found = json.loads(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise ValueError("not an object")
    for name, described in found.items():
        group = _object(described)
        ranks = group.get("global_ranks")
        facts.groups[name] = Group(
            alias=_text(group.get("group_name")),
            ranks=[rank for rank in ranks if isinstance(rank, int)] if isinstance(ranks, list) else [],
        )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False)

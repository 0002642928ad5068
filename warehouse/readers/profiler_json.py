"""`profiler_info[_N].json` and `profiler_metadata.json` beside a profile (deliverables.md 0)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warehouse.errors import InputError
from warehouse.readers.facts import Group, RankFacts
from warehouse.readers.input_file import open_regular, shown
from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.json_text import parse_json, rank_number, written

CPU, NPU = "CPU", "NPU"
_LARGEST_FILE = 64 << 20


def read_json(path: Path, ledger: Ledger | None = None) -> dict[str, Any]:
    """The object in the file, what was repaired in it being noted; InputError if it is none, or too large to be what
    its name says."""
    try:
        with open_regular(path) as file:
            content = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read ({error.strerror or error})") from error
    if len(content) > _LARGEST_FILE:
        raise InputError(
            f"{shown(path)}: is larger than {_LARGEST_FILE >> 20} MiB, too large for a profiler's own description"
        )
    try:
        found, damaged = parse_json(content)
    except ValueError as error:
        raise InputError(f"{shown(path)}: is not valid JSON ({error})") from error
    if not isinstance(found, dict):
        raise InputError(f"{shown(path)}: is not a JSON object")
    if ledger is not None:
        note_damage(ledger, damaged, None)
    return found


def note_damage(ledger: Ledger, damaged: int, table: str | None) -> None:
    """An issue for texts and numbers of JSON that were damaged, if any were."""
    if damaged:
        text = "is no valid text (repaired), or a number of absurd length (left out)"
        ledger.note(WARNING, "bad-text", text, table=table, count=damaged)


def read_profiler_info(path: Path, ledger: Ledger) -> RankFacts:
    """Level, versions, rank and settings; every top-level entry counts as one record."""
    found = read_json(path, ledger)
    ledger.found(path.name, len(found))
    ledger.load(path.name, len(found))
    facts = RankFacts(
        framework_version=written(found.get("torch_npu_version")), cann_version=written(found.get("cann_version"))
    )
    rank = rank_number(found.get("rank_id"))
    if rank is not None:
        facts.ranks.append(("profiler_info", rank))
    elif found.get("rank_id") not in (None, -1):  # -1: the job was not distributed
        ledger.note(WARNING, "rank-number", "rank_id is not the number of a rank and is not believed")
    experimental = _object(_object(found.get("config")).get("experimental_config"))
    level = experimental.get("_profiler_level")
    if isinstance(level, str):
        facts.level = level.rpartition(".")[2]
    facts.metadata = [(f"profiler_info.{name}", written(value)) for name, value in found.items()]
    return facts


def recorded_activities(profiler: dict[str, Any]) -> set[str]:
    """CPU and NPU, as far as the settings in profiler_info say that they were recorded (framework-files.md 1.3): then
    there are FRAMEWORK and PROF directories, and operators and tasks of the device.

    >>> recorded_activities({"config": {"common_config": {"activities": ["ProfilerActivity.CPU"]}}})
    {'CPU'}
    """
    activities = _object(_object(profiler.get("config")).get("common_config")).get("activities")
    words = activities if isinstance(activities, list) else []
    return {str(word).rpartition(".")[2] for word in words} & {CPU, NPU}


def read_profiler_metadata(path: Path, ledger: Ledger) -> RankFacts:
    """The user's metadata and communication groups; every top-level entry counts as one record."""
    found = read_json(path, ledger)
    ledger.found(path.name, len(found))
    ledger.load(path.name, len(found))
    facts = RankFacts(metadata=[(name, written(value)) for name, value in found.items()])
    if "parallel_group_info" in found:
        read_groups(found["parallel_group_info"], facts, ledger)
    return facts


def read_groups(value: object, facts: RankFacts, ledger: Ledger, table: str | None = None) -> None:
    """Fill `facts.groups` from parallel_group_info, an object or its text; what cannot be read is noted.

    >>> facts = RankFacts()
    >>> read_groups('{"g": {"group_name": "tp", "global_ranks": [0, 1]}}', facts, Ledger())
    >>> facts.groups["g"].alias, facts.groups["g"].ranks
    ('tp', [0, 1])
    """
    try:
        found, damaged = parse_json(value) if isinstance(value, str) else (value, 0)
        if not isinstance(found, dict):
            raise ValueError("not an object")
    except ValueError as error:
        ledger.note(WARNING, "bad-json", f"parallel_group_info is not readable ({error})", table=table)
        return
    note_damage(ledger, damaged, table)
    for name, described in found.items():
        group = _object(described)
        ranks = group.get("global_ranks")
        numbers = [rank_number(rank) for rank in ranks] if isinstance(ranks, list) else []
        if lost := numbers.count(None):
            text = "a member of a communication group is not the number of a rank"
            ledger.note(WARNING, "rank-number", text, table=table, count=lost)
        facts.groups[name] = Group(
            alias=written(group.get("group_name")), ranks=[number for number in numbers if number is not None]
        )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

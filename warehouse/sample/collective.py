"""Collectives of the simulated program: one operation, its tasks on two planes, on every rank of a group."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from warehouse.sample.official_file import CANN
from warehouse.sample.rank import ACL, COMMUNICATION, NODE, NONE, START_NS, Rank

_FP32 = 4
_ON_CHIP, _HCCS = 0, 1
_SDMA, _NO_TYPE = 0, 65535
ALGORITHM = "MESH-RING"


@dataclass(frozen=True)
class Group:
    """A communication group as one rank sees it: its members, the number analysis.db uses, and its plane streams."""

    alias: str
    members: tuple[int, ...]
    port: int
    streams: tuple[int, int]

    @property
    def name(self) -> str:
        return f"127.0.0.1%sim0_{self.port}_0_{START_NS // 1000}"

    @property
    def hash(self) -> str:
        return str(4_238_000_000_000_000_000 + self.port * 1_000_003 + len(self.members))


@dataclass(frozen=True)
class Transfer:
    """One task that moved data, as CommAnalyzer* reads it."""

    source: int
    target: int
    link: str
    size: int
    duration: int
    plane: int


@dataclass(frozen=True)
class Collective:
    """One collective as one rank ran it; times in ns."""

    name: str
    group: Group
    start: int
    end: int
    wait: int
    transfers: tuple[Transfer, ...]


@dataclass(frozen=True)
class Meeting:
    """A rank is ready for a collective at `ready` and waits for the other members."""

    members: tuple[int, ...]
    ready: int


def run(
    rank: Rank, group: Group, kind: str, index: int, count: int, begin: int, work: int, thread: int, after: int
) -> Generator[Meeting, int, Collective]:
    """Launch a collective from `begin` on (host, ns) and run its tasks, not before device time `after`.

    `kind` is `allReduce`, `allGather`, `send` or `receive`; `count` elements of 4 bytes; the generator yields once and
    is sent the time at which all members are ready.
    """
    connection = _calls(rank, kind, begin, work, thread)
    ready = max(begin + 3_000, after, *map(rank.stream_free, group.streams)) // 20 * 20
    go = yield Meeting(group.members, ready)
    size = count * 4
    name = f"hcom_{kind}__{group.hash[-3:]}_{index}_1"
    name_id = rank.file.unique_string(name, CANN)
    own = group.members.index(rank.number)
    transfers: list[Transfer] = []
    end = go
    for plane, stream in enumerate(group.streams):
        peer = 1 - own if len(group.members) == 2 else (own + 1 + plane) % len(group.members)
        steps = [("Notify_Wait", "NOTIFY_WAIT", ready, go, own, peer, 0, _ON_CHIP)]
        at = go + 300
        if plane == 1 and kind == "allReduce":
            steps.append(("Memcpy", "SDMA", at, at + 400, own, NONE, size // 2, _ON_CHIP))
            at += 700
        moved = "Reduce_Inline" if plane == 0 and kind == "allReduce" else "Memcpy"
        done = at + max(400, size // 16 // 20 * 20)
        steps.append((moved, "SDMA", at, done, own, peer, size, _HCCS))
        steps.append(("Notify_Record", "NOTIFY_RECORD", done + 300, done + 500, own, peer, 0, _ON_CHIP))
        for step in steps:
            _task(rank, group, name_id, index, plane, stream, connection, step)
            if step[0] in ("Memcpy", "Reduce_Inline"):
                target, link = (own, "LOCAL") if step[5] == NONE else (step[5], "HCCS")
                transfers.append(Transfer(own, target, link, step[6], step[3] - step[2], plane))
        if plane == 0 or rank.options.old:  # HEAD measures the operation over its master plane
            end = max(end, done + 500)
    row = (
        name_id, ready, end, connection, rank.file.string(group.name), _operation(group, index), 0, 0, _FP32,
        rank.file.string(ALGORITHM), count, rank.file.string(f"hcom_{kind}_"),
    )  # fmt: skip
    rank.file.add("COMMUNICATION_OP", row if rank.options.old else (*row, rank.device, len(group.members)))
    return Collective(name, group, ready, end, go - ready, tuple(transfers))


def _operation(group: Group, index: int) -> int:
    return index * 8 + group.port % 8


def _calls(rank: Rank, kind: str, begin: int, work: int, thread: int) -> int:
    rank.api(f"hcom_{kind}_", begin + 900, begin + work - 300, ACL, thread)
    connection = rank.api("launch", begin + 900, begin + work - 300, NODE, thread)
    at = begin + 1_500
    for name in ("Notify_Wait", "Memcpy", "Notify_Record"):
        rank.api(name, at, at + 1_200, COMMUNICATION, thread)
        at += 1_500
    return connection


def _task(
    rank: Rank, group: Group, name_id: int, index: int, plane: int, stream: int, connection: int,
    step: tuple[str, str, int, int, int, int, int, int],
) -> None:  # fmt: skip
    label, kind, start, end, source, target, size, link = step
    descriptor = rank.task(kind, start, end, stream, connection)
    rank.node_tasks.append((start, end))
    no_notify = 9223372036854775807 if rank.options.old else -1
    row: tuple[float, ...] = (
        name_id, descriptor, rank.file.string(label), plane, rank.file.string(group.name),
        12 + plane if label.startswith("Notify") else no_notify, _NO_TYPE, source, target, _SDMA, size, _FP32, link,
        _operation(group, index),
    )  # fmt: skip
    if not rank.options.old:
        row = (*row, int(plane == 0), size * 1e9 / (end - start) if size else 0)
    rank.file.add("COMMUNICATION_TASK_INFO", row)

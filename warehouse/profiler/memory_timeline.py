"""How much memory each category held over time, as a page, as curves, or event by event (framework-files.md 5.13)."""

from __future__ import annotations

import enum
import gzip
import json
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from warehouse.errors import UsageError
from warehouse.profiler.memory_page import Curves, Numbers, page
from warehouse.profiler.run_directory import CHUNK_FOLDER
from warehouse.profiler.settings import logger
from warehouse.profiler.timeline_categories import Categories, Category
from warehouse.profiler.timeline_events import Device, Events, Key, read_events
from warehouse.profiler.timeline_graph import Graph, build_graph

HOST, NPU = 0, 20  # types of devices
BEFORE = -1  # time of what was there when the recording began
_ROWS_AT_ONCE = 1 << 14


class Action(enum.Enum):
    """What happens to a storage."""

    PREEXISTING = 0
    CREATE = 1
    INCREMENT_VERSION = 2
    DESTROY = 3


@dataclass(frozen=True)
class Change:
    """One action: time in ns, or BEFORE."""

    time: int
    action: Action
    key: Key
    version: int
    size: int


def write_memory_timeline(run: Path, output: Path, device: str) -> None:
    """Write the timeline of a run directory's recording for a device (`cpu`, `npu:0`).

    `output` .html: a page with the curves; .raw.json.gz: [time in ns, action, bytes, category] in order; else
    [times in us, for each the bytes of the categories], packed if the name ends in .gz.

    UsageError for a device that is none; InputError if the recording does not hold what it takes.

    >>> write_memory_timeline(Path("run_ascend_pt"), Path("memory.html"), "cpu")  # doctest: +SKIP
    """
    wanted = device_of(device)
    events = read_events(run / CHUNK_FOLDER)
    if events.left_out:
        logger.warning("%s: inputs of %d operators cannot be read; they are left out", run, events.left_out)
    graph = build_graph(events)
    categories = Categories(graph)
    changes = [change for change in timeline(graph) if change.key.device == wanted]
    if not changes:
        raise UsageError(f"{device}: nothing was allocated there while it was recorded")
    with tempfile.NamedTemporaryFile("wb", dir=output.parent, prefix=".npuwh-", delete=False) as part:
        place = Path(part.name)
        try:
            _write(part, output.name, device, deltas(changes, categories), events.reserved.get(wanted, 0))
            place.chmod(0o640)
            place.replace(output)
        except BaseException:
            place.unlink(missing_ok=True)
            raise


def device_of(name: str) -> Device:
    """(type, index) of a device.

    >>> device_of("cpu"), device_of("npu:3")
    ((0, -1), (20, 3))
    """
    if name == "cpu":
        return HOST, -1
    kind, _, number = name.partition(":")
    if kind == "npu" and (number or "0").isdigit():
        return NPU, int(number or 0)
    raise UsageError(f"{name}: is no device; cpu and npu:<number> are")


def timeline(graph: Graph) -> list[Change]:
    """What happened to all storages, in order; what was there before comes first."""
    changes = [*_of_plain_memory(graph), *_of_tensors(graph)]
    return sorted(changes, key=lambda change: (change.time, change.action.value))


def _of_plain_memory(graph: Graph) -> Iterator[Change]:
    """Allocations that no tensor was seen to use."""
    live: dict[Key, int] = {}
    for each in graph.events.allocations:
        key = graph.events.key(each.storage)
        if key.is_tensor:
            continue
        if each.size > 0:
            live[key] = each.size
            yield Change(each.time, Action.CREATE, key, 0, each.size)
        else:
            if live.pop(key, None) is None:
                yield Change(BEFORE, Action.PREEXISTING, key, 0, -each.size)
            yield Change(each.time, Action.DESTROY, key, 0, -each.size)


def _of_tensors(graph: Graph) -> Iterator[Change]:
    created: dict[int, tuple[int, int]] = {}
    released: dict[int, int] = {}
    for each in graph.events.allocations:
        if each.size > 0:
            created.setdefault(each.storage, (each.time, each.size))
        else:
            released[each.storage] = each.time
    seen: dict[Key, int] = {}  # last version
    for node in graph.nodes:
        for key, edge in node.edges.items():
            if not key.is_tensor:
                continue
            size = _bytes(graph.events, key, created)
            if key not in seen:
                seen[key] = 0
                time = created[key.storage][0] if key.storage in created else None
                action = Action.PREEXISTING if time is None else Action.CREATE
                yield Change(BEFORE if time is None else time, action, key, 0, size)
            if edge.is_written and not edge.is_allocation and edge.version is not None:
                yield Change(node.start, Action.INCREMENT_VERSION, key, edge.version, size)
                seen[key] = edge.version + 1
            elif edge.is_deletion and key.storage in released:
                yield Change(released[key.storage], Action.DESTROY, key, seen[key], size)
    for storage in sorted(graph.events.tensor_storages - {key.storage for key in seen}):
        key = graph.events.key(storage)  # of parameters that nothing used
        size = _bytes(graph.events, key, created)
        if storage in created:
            yield Change(created[storage][0], Action.CREATE, key, 0, size)
        else:
            yield Change(BEFORE, Action.PREEXISTING, key, 0, size)


def _bytes(events: Events, key: Key, created: dict[int, tuple[int, int]]) -> int:
    return created[key.storage][1] if key.storage in created else events.bytes_of.get(key.storage, 0)


@dataclass(frozen=True)
class Deltas:
    """Changes of what categories hold, in order: time in ns or BEFORE, number of the action, bytes with a sign, number
    of the category."""

    time: Numbers
    action: Numbers
    size: Numbers
    category: Numbers

    def rows(self) -> Iterator[list[int]]:
        """[time, action, bytes, category] of each."""
        columns = (self.time, self.action, self.size, self.category)
        for start in range(0, len(self.time), _ROWS_AT_ONCE):
            yield from map(list, zip(*(each[start : start + _ROWS_AT_ONCE].tolist() for each in columns), strict=True))


def deltas(changes: list[Change], categories: Categories) -> Deltas:
    """What the changes add and take away: a new version leaves one category and enters another."""
    time, action, size, category = (array("q") for _ in range(4))

    def add(change: Change, bytes_: int, of: Category | None) -> None:
        time.append(change.time)
        action.append(change.action.value)
        size.append(bytes_)
        category.append((of or Category.UNKNOWN).value)

    for change in changes:
        before = categories.of(change.key, change.version)
        if change.action is Action.INCREMENT_VERSION:
            add(change, -change.size, before)
            add(change, change.size, categories.of(change.key, change.version + 1))
        else:
            add(change, -change.size if change.action is Action.DESTROY else change.size, before)
    return Deltas(*(np.frombuffer(column, np.int64) for column in (time, action, size, category)))


def curves(found: Deltas, unit_ns: int = 1) -> Curves:
    """Bytes of each category after each time, in units of `unit_ns`; what was there before comes first, with the time
    of what happened first."""
    time = np.where(found.time == BEFORE, BEFORE, found.time // unit_ns)
    last = np.append(np.flatnonzero(np.diff(time)), len(time) - 1)  # of each time
    sizes = np.empty((len(last), len(Category)), np.int64)
    for category in range(len(Category)):
        sizes[:, category] = np.cumsum(np.where(found.category == category, found.size, 0))[last]
    times = time[last]
    if times[0] == BEFORE:
        times[0] = times[1] if len(times) > 1 else 0
    return Curves(times, sizes)


def _write(file: IO[bytes], name: str, device: str, found: Deltas, reserved: int) -> None:
    if name.endswith(".html"):
        file.write(page(device, curves(found), reserved).encode())
    elif name.endswith(".raw.json.gz"):
        _write_json(file, ["[", "]"], [found.rows()], is_packed=True)
    else:
        shown = curves(found, unit_ns=1000)
        # the vendor's rows begin with a sum that is never filled
        sizes = ([0, *row.tolist()] for row in shown.sizes)
        _write_json(file, ["[[", "],[", "]]"], [iter(shown.times.tolist()), sizes], is_packed=name.endswith(".gz"))


def _write_json(file: IO[bytes], between: list[str], lists: list[Iterator[Any]], is_packed: bool) -> None:
    """Lists between texts, an item at a time."""
    with gzip.GzipFile("", "wb", 6, file, mtime=0) if is_packed else nullcontext(file) as target:
        target.write(between[0].encode())
        for items, behind in zip(lists, between[1:], strict=True):
            comma = ""
            while part := list(islice(items, _ROWS_AT_ONCE)):
                target.write((comma + json.dumps(part, separators=(",", ":"))[1:-1]).encode())
                comma = ","
            target.write(behind.encode())

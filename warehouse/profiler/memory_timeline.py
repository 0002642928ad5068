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
from warehouse.profiler.timeline_events import Device, read_events
from warehouse.profiler.timeline_graph import GIVEN_BACK, NEW, WRITTEN, Graph, build_graph

HOST, NPU = 0, 20  # types of devices
BEFORE = -1  # time of what was there when the recording began
_ROWS_AT_ONCE = 1 << 14


class Action(enum.Enum):
    """What happens to a storage."""

    PREEXISTING = 0
    CREATE = 1
    INCREMENT_VERSION = 2
    DESTROY = 3


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
    reserved = events.reserved.get(wanted, 0)
    del events  # what lies in it is the largest of all
    categories = Categories(graph)
    changes = timeline(graph, wanted)
    del graph
    found = deltas(changes, categories)
    del changes, categories
    if not len(found.time):
        raise UsageError(f"{device}: nothing was allocated there while it was recorded")
    with tempfile.NamedTemporaryFile("wb", dir=output.parent, prefix=".npuwh-", delete=False) as part:
        place = Path(part.name)
        try:
            _write(part, output.name, device, found, reserved)
            part.close()  # what a full disk does not take is told before it has its name
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


class Changes:
    """What happened to storages: time in ns or BEFORE, number of the action, storage, its version, bytes."""

    def __init__(self) -> None:
        self.columns = [array(kind) for kind in "qbiiq"]

    def add(self, time: int, action: Action, storage: int, version: int, size: int) -> None:
        """One more."""
        for column, value in zip(self.columns, (time, action.value, storage, version, size), strict=True):
            column.append(value)

    def sorted(self) -> tuple[Numbers, ...]:
        """The columns in order; what was there before comes first."""
        empty = np.zeros(0, np.int64)
        columns = [np.frombuffer(column, column.typecode) if column else empty for column in self.columns]
        order = np.lexsort((columns[1], columns[0]))
        return tuple(column[order] for column in columns)


def timeline(graph: Graph, device: Device) -> Changes:
    """What happened to all storages of a device."""
    changes = Changes()
    is_there = bytearray(each == device for each in graph.storages.device)
    _add_plain_memory(graph, is_there, changes)
    _add_tensors(graph, is_there, changes)
    return changes


def _allocations(graph: Graph) -> Iterator[tuple[int, int, int]]:
    return zip(graph.allocation_time, graph.allocation_size, graph.allocation_storage, strict=True)


def _add_plain_memory(graph: Graph, is_there: bytearray, changes: Changes) -> None:
    """Allocations that no tensor was seen to use."""
    live: set[int] = set()
    for time, size, storage in _allocations(graph):
        if graph.storages.is_tensor[storage] or not is_there[storage]:
            continue
        if size > 0:
            live.add(storage)
            changes.add(time, Action.CREATE, storage, 0, size)
        else:
            if storage not in live:
                changes.add(BEFORE, Action.PREEXISTING, storage, 0, -size)
            live.discard(storage)
            changes.add(time, Action.DESTROY, storage, 0, -size)


def _add_tensors(graph: Graph, is_there: bytearray, changes: Changes) -> None:
    count = len(graph.storages.device)
    created, released = array("q", [BEFORE]) * count, array("q", [BEFORE]) * count
    size = array("q", graph.storages.span)  # of those that were there before: what was seen of them
    for time, bytes_, storage in _allocations(graph):
        if bytes_ < 0:
            released[storage] = time
        elif created[storage] == BEFORE:
            created[storage], size[storage] = time, bytes_
    last = array("q", [-1]) * count  # version that was seen

    def begin(storage: int) -> None:
        last[storage] = 0
        action = Action.PREEXISTING if created[storage] == BEFORE else Action.CREATE
        changes.add(created[storage], action, storage, 0, size[storage])

    for node, start in enumerate(graph.start):
        for edge in range(graph.first_edge[node], graph.first_edge[node + 1]):
            storage, version, use = graph.edge_storage[edge], graph.edge_version[edge], graph.edge_use[edge]
            if not (graph.storages.is_tensor[storage] and is_there[storage]):
                continue
            if last[storage] < 0:
                begin(storage)
            if use == WRITTEN and version != NEW:
                changes.add(start, Action.INCREMENT_VERSION, storage, version, size[storage])
                last[storage] = version + 1
            elif use == GIVEN_BACK and released[storage] != BEFORE:
                changes.add(released[storage], Action.DESTROY, storage, last[storage], size[storage])
    for storage in range(count):  # of parameters that nothing used
        if graph.storages.is_tensor[storage] and is_there[storage] and last[storage] < 0:
            begin(storage)


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


def deltas(changes: Changes, categories: Categories) -> Deltas:
    """What the changes add and take away: a new version leaves one category and enters another."""
    time, action, storage, version, size = changes.sorted()
    is_new_version = action == Action.INCREMENT_VERSION.value
    row = np.repeat(np.arange(len(time)), 1 + is_new_version)
    is_second = np.concatenate([[False], row[1:] == row[:-1]]) if len(row) else np.zeros(0, bool)
    category = categories.of_all()[categories.flow.first[storage][row] + version[row] + is_second]
    is_less = (action[row] == Action.DESTROY.value) | (is_new_version[row] & ~is_second)
    return Deltas(time[row], action[row], np.where(is_less, -size[row], size[row]), category)


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

"""How tasks used the caches: L2 cache and address translation (cann-files.md 5.7 l2_cache, socpmu).

Records count up to eight events that sample.json names.  Which of them are requests, hits and misses is a table of the
vendor's public parser (github.com/Ascend/msprof; facts of analysis/msconfig and analysis/mscalculate/l2_cache): read,
not proven, as no device that was at hand recorded them.

A record tells stream and task but no time, and numbers of tasks come again.  So the n-th record of a number belongs to
its n-th execution, where there are as many records as executions, or as operators among them; else to none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_config import FolderConfig
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_rows import (
    NONE,
    Numbers,
    aligned_whole,
    numbers,
    or_null,
    pair_codes,
    record,
    rows,
    with_columns,
)
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import by_value
from warehouse.readers.raw_tasks import COMPUTE, KEYS
from warehouse.readers.sorted_rows import SortedRows

Events = tuple[tuple[int, ...], ...]
_UNKNOWN, _L2, _TLB = range(3)  # kinds of records
FAMILIES = {_L2: "l2", _TLB: "tlb"}
_SETTINGS = {_L2: "l2CacheTaskProfilingEvents", _TLB: "npuEvents"}
# events of requests, hits, and victims of L2 or misses of the translation
_TLB_EVENTS: Events = ((0x8A,), (0x8C, 0x8D), (0x02,))
_L2_EVENTS: dict[str, Events] = {  # by platform_version
    "1": ((0x59,), (0x5B,), (0x5C,)),
    **dict.fromkeys(("2", "3", "4"), ((0x78, 0x79), (0x6A,), (0x71,))),
    **dict.fromkeys(("5", "7", "8", "11"), ((0xFB, 0xFC), (0x90, 0x91), (0x9C,))),
}
_SUMS = ("requests", "hits", "others")
_MOST = 1 << 52  # of a count
_MOST_EVENTS = 8
_GROUP = ("stream_key", "task")
_TIMED = ("task_row", "start", "end")
_OF_TASK = (*_TIMED, "class_")


class CachePart:
    """`cache_rate` rows."""

    def __init__(self, run: RawRun, device: DevicePart) -> None:
        self._run = run
        self._device = device
        self._found = SortedRows([*_GROUP, "family", "row"], run.spill)
        self._linked = SortedRows(["device", "family", "row"], run.spill)
        self._row = 0

    def load(self) -> None:
        """Decode the records of all devices and find their tasks."""
        for device in self._run.files.devices:
            self._load(device, "l2_cache")
            self._load(device, "socpmu")
        if self._found.rows:
            self._link()

    def _load(self, device: DeviceFiles, stream: str) -> None:
        folder = self._run.config.devices[device.device_id]
        places = {kind: _places(folder, kind) for kind in FAMILIES}
        lost: Counter[int] = Counter()
        for _, batch in self._run.device_stream(device, stream):
            kinds = numbers(batch, "kind")[0] if stream == "socpmu" else np.full(batch.num_rows, _L2)
            row = np.arange(self._row, self._row + batch.num_rows)
            self._row += batch.num_rows
            for kind, mine in by_value(kinds):
                found = places.get(kind)
                if found is None:
                    lost[kind if kind in FAMILIES else _UNKNOWN] += int(mine.sum())
                else:
                    self._add(device, stream, kind, found, batch.filter(pa.array(mine)), row[mine])
        for kind, count in sorted(lost.items()):
            if kind == _UNKNOWN:
                text = "records of a kind that is not known; they were left out"
                self._run.ledger.note(WARNING, "unknown-type", text, table=stream, count=count)
                continue
            events = folder.sample.get(_SETTINGS[kind], "")
            text = (
                f"{FAMILIES[kind]} counts are left out: what the events {events!r} of {_SETTINGS[kind]} in "
                f"sample.json mean on chip {folder.chip!r} is not known, or some are missing"
            )
            self._run.ledger.note(WARNING, "no-formula", text, table=stream, count=count)

    def _add(
        self, device: DeviceFiles, stream: str, kind: int, places: Events, batch: pa.RecordBatch, row: Numbers
    ) -> None:
        sums = {name: _sum(batch, group) for name, group in zip(_SUMS, places, strict=True)}
        good = np.all([value >= 0 for value in sums.values()], axis=0)
        if not good.all():
            text = "counts beyond all measure; the records were left out"
            self._run.ledger.note(WARNING, "no-measurement", text, table=stream, count=int((~good).sum()))
        stream_no, task = numbers(batch, "stream", "task")
        found = rows(
            len(task), stream_key=(device.device_id << 20) | stream_no, task=task, family=kind, row=row,
            device=device.device_id, stream=stream_no, **sums,
        )  # fmt: skip
        self._found.add(found.filter(pa.array(good)))

    def _link(self) -> None:
        executed = SortedRows([*_GROUP, "start"], self._run.spill)
        for batch in self._device.joined.batches():
            where, what = numbers(batch, *KEYS)
            columns = dict(zip(_OF_TASK, numbers(batch, *_OF_TASK), strict=True))
            executed.add(rows(len(where), stream_key=where >> 32, task=what >> 33, **columns))
        unlinked = 0
        tasks = executed.batches(together=list(_GROUP))
        for of_tasks, records in aligned_whole(tasks, self._found, _GROUP):
            place = np.full(records.num_rows, NONE) if of_tasks is None else _executions(of_tasks, records)
            unlinked += int((place == NONE).sum())
            found = {name: np.full(records.num_rows, NONE) for name in _TIMED}
            if of_tasks is not None:
                for name in _TIMED:
                    found[name][place != NONE] = numbers(of_tasks, name)[0][place[place != NONE]]
            self._linked.add(with_columns(records, found))
        if unlinked:
            text = "cache rates of tasks that did not run as often as they were counted; they are linked to none"
            self._run.ledger.note(INFO, "no-task", text, table="l2_cache", count=unlinked)

    def rates(self) -> Iterator[pa.RecordBatch]:
        """`cache_rate` batches by device and family, in the order of the files."""
        for batch in self._linked.batches():
            device, family, row, stream, task = numbers(batch, "device", "family", "row", "stream", "task")
            requests, hits, others = numbers(batch, *_SUMS)
            task_row, start, end = numbers(batch, *_TIMED)
            other = _ratio(others, requests)
            is_l2 = family == _L2
            yield record(
                "cache_rate", len(row), device_id=device, family=[FAMILIES[kind] for kind in family.tolist()],
                row_no=row, stream_no=stream, task_no=task, task_row=or_null(task_row), start_ns=or_null(start),
                end_ns=or_null(end),
                hit_ratio=pa.array(_ratio(hits, requests), from_pandas=True),
                victim_ratio=pa.array(np.where(is_l2, other, np.nan), from_pandas=True),
                miss_ratio=pa.array(np.where(is_l2, np.nan, other), from_pandas=True),
            )  # fmt: skip


def _places(folder: FolderConfig, kind: int) -> Events | None:
    """Which counters are requests, hits and others; None where that cannot be told."""
    wanted = _TLB_EVENTS if kind == _TLB else _L2_EVENTS.get(folder.chip)
    events = _events(str(folder.sample.get(_SETTINGS[kind], "")), kind)
    if wanted is None or not {event for group in wanted for event in group} <= set(events):
        return None
    return tuple(tuple(events.index(event) for event in group) for group in wanted)


def _events(text: str, kind: int) -> list[int]:
    """Numbers of the counted events; none where the text is not understood.

    >>> _events("0xfb,0xFC", 1), _events("SMMU:0x2,0x8a;HHA:0x1", 2), _events("all", 1)
    ([251, 252], [2, 138], [])
    """
    if kind == _TLB:
        text = next((part[5:] for part in text.split(";") if part.strip().upper().startswith("SMMU:")), "")
    try:
        found = [int(event, 16) for event in text.split(",")]
    except ValueError:
        return []
    return found if len(found) <= _MOST_EVENTS else []


def _sum(batch: pa.RecordBatch, places: tuple[int, ...]) -> Numbers:
    """Sum of some counters, -1 where one of them is beyond all measure."""
    counters = numbers(batch, *(f"counter_{place}" for place in places))
    good = np.all([(counter >= 0) & (counter <= _MOST) for counter in counters], axis=0)
    return np.where(good, np.sum(counters, axis=0), NONE)


def _ratio(part: Numbers, whole: Numbers) -> npt.NDArray[np.float64]:
    """nan where nothing was asked for."""
    found = np.full(len(whole), np.nan)
    good = whole > 0
    found[good] = part[good] / whole[good]
    return found


def _executions(tasks: pa.RecordBatch, records: pa.RecordBatch) -> Numbers:
    """Place of the execution that each record counts, NONE where that cannot be told."""
    task, group = pair_codes([(numbers(tasks, key)[0], numbers(records, key)[0]) for key in _GROUP])
    (class_,) = numbers(tasks, "class_")
    (family,) = numbers(records, "family")
    first = np.r_[True, (group[1:] != group[:-1]) | (family[1:] != family[:-1])]
    begins = np.flatnonzero(first)
    series = np.cumsum(first) - 1
    count = np.diff(np.r_[begins, len(group)])[series]
    number = np.arange(len(group)) - begins[series]
    found = np.full(len(group), NONE)
    for chosen in (np.flatnonzero(class_ == COMPUTE), np.arange(len(task))):  # the second wins
        left = np.searchsorted(task[chosen], group)
        same = np.searchsorted(task[chosen], group, side="right") - left == count
        found[same] = chosen[left[same] + number[same]]
    return found

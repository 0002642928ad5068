"""Python frames of the tracer: calls and returns as ranges, modules by name (framework-files.md 5.9)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warehouse.batches.records import HOST_PYTHON
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_framework import FrameworkPart
from warehouse.readers.raw_rows import Dictionary, Numbers, adjacent_columns, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import Columns, SortedRows

_MODULE = "######"
_CALL_FIELDS = ("tid", "pid", "time", "key", "is_return", "tag")
_U64 = 1 << 64


class PythonPart:
    """Fills `host_events` with the frames of torch.python_tracer_func; their names are in torch.python_tracer_hash."""

    def __init__(self, run: RawRun, framework: FrameworkPart, host_events: SortedRows) -> None:
        self._run = run
        self._framework = framework
        self._events = host_events
        self._names = Dictionary()
        self._modules: dict[int, dict[str, dict[int, int]]] = {}  # thread -> class -> address -> number
        self._module_names: dict[tuple[int, int], int] = {}
        self._unknown: dict[int, int] = {}
        self._latest: dict[int, int] = {}
        self._open: dict[int, dict[int, int]] = {}  # thread -> level -> number of the latest call there
        self._ignored = 0
        run.strings.watch("module", lambda text: _MODULE in text)

    def load(self) -> None:
        """Decode calls and names, and make frames of them."""
        has_both = self._run.has_framework("python_tracer_func") and self._run.has_framework("python_tracer_hash")
        for _, batch in self._run.framework("python_tracer_hash"):
            key, name = numbers(batch, "key", "name")
            self._names.add(key, name)
        if not has_both:
            if self._run.has_framework("python_tracer_func"):
                text = "no Python frames: torch.python_tracer_hash is missing, so that they have no names"
                self._run.ledger.note(WARNING, "no-frame-names", text)
            return
        calls = SortedRows(["tid", "time", "row"], self._run.spill)
        row = 0
        for _, batch in self._run.framework("python_tracer_func"):
            time = self._framework.ns(batch.column("tick"))
            number = np.arange(row, row + batch.num_rows)
            row += batch.num_rows
            tid, pid, key, action = numbers(batch, "tid", "pid", "key", "action")
            calls.add_columns(
                len(time), tid=tid, pid=pid, time=time, key=key, is_return=action & 1, tag=action, row=number
            )
        levels = SortedRows(["tid", "level", "place"], self._run.spill)
        for leveled in self._leveled(calls.columns(_CALL_FIELDS)):
            levels.add_columns(len(leveled["tid"]), **leveled)
        self._add_frames(levels)
        if self._ignored:
            ledger = self._run.ledgers[self._run.framework_file("python_tracer_func")]
            text = "returns of frames that were entered before the recording"
            ledger.note(INFO, "lone-return", text, table="python_tracer_func", count=self._ignored)

    def _leveled(self, calls: Iterator[Columns]) -> Iterator[Columns]:
        """Each call and return with the depth of its frame: a return ends whatever frame is innermost, or nothing."""
        depths: dict[int, int] = {}
        seen: dict[int, int] = {}
        place = 0
        for columns in calls:
            tid, pid, time, key, is_return, tag = columns.values()
            starts = np.flatnonzero(np.r_[True, tid[1:] != tid[:-1]])
            for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(tid)], strict=True):
                part = slice(first, last)
                thread = int(tid[first])
                total = depths.get(thread, 0) + np.cumsum(1 - 2 * is_return[part])
                after = total - np.minimum(np.minimum.accumulate(total), 0)
                before = np.r_[depths.get(thread, 0), after[:-1]]
                depths[thread] = int(after[-1])
                self._latest[thread] = int(time[last - 1])
                kept = (is_return[part] == 0) | (before > 0)
                self._ignored += int((~kept).sum())
                name = self._frame_names(thread, key[part], is_return[part], tag[part])
                order = np.arange(place, place + last - first)
                place += last - first
                level = np.where(is_return[part] == 1, before, after)
                number = np.arange(last - first) + seen.get(thread, 0)
                seen[thread] = int(number[-1]) + 1
                outer = self._outer_frames(thread, number, level, is_return[part])
                yield {
                    "tid": tid[part][kept], "pid": pid[part][kept], "level": level[kept], "place": order[kept],
                    "time": time[part][kept], "name": name[kept], "is_return": is_return[part][kept],
                    "number": number[kept], "outer": outer[kept],
                }  # fmt: skip

    def _outer_frames(self, thread: int, number: Numbers, level: Numbers, is_return: Numbers) -> Numbers:
        """Number of the frame around each call, 0 for none: the latest call one level further out."""
        latest = self._open.setdefault(thread, {})
        call = np.flatnonzero(is_return == 0)
        width = int(number[-1]) + 1
        known = np.array(list(latest.items()), dtype=np.int64).reshape(-1, 2)
        key = np.sort(np.concatenate([known[:, 0] * width + known[:, 1], level[call] * width + number[call]]))
        outer = np.zeros(len(level), np.int64)
        wanted = (level[call] - 1) * width + number[call]
        place = np.searchsorted(key, wanted) - 1
        has = (place >= 0) & (key[place] // width == level[call] - 1)
        outer[call[has]] = key[place[has]] % width
        last = np.r_[key[1:] // width != key[:-1] // width, True] if len(key) else np.empty(0, bool)
        latest.update(zip((key[last] // width).tolist(), (key[last] % width).tolist(), strict=True))
        return outer

    def _frame_names(self, thread: int, key: np.ndarray, is_return: np.ndarray, tag: np.ndarray) -> np.ndarray:
        """String numbers: the dictionary's text, `nn.Module: Class_n` for a module call, the key's digits if it has
        none."""
        strings = self._run.strings
        name = self._names.find(key)
        name[is_return == 1] = 0
        modules = strings.having("module")
        for place in np.flatnonzero(np.isin(name, list(modules)) & (tag == 0)).tolist():
            found = self._module_names.get((thread, int(key[place])))
            if found is None:
                class_name, _, address = modules[int(name[place])].partition(_MODULE)
                numbered = self._modules.setdefault(thread, {}).setdefault(class_name, {})
                number = numbered.setdefault(hash(address), len(numbered))
                found = strings.own(f"nn.Module: {class_name}_{number}")
                self._module_names[thread, int(key[place])] = found
            name[place] = found
        for place in np.flatnonzero(name < 0).tolist():
            number = int(key[place]) % _U64
            if number not in self._unknown:
                self._unknown[number] = strings.own(str(number))
            name[place] = self._unknown[number]
        return name

    def _add_frames(self, levels: SortedRows) -> None:
        """Ranges from a call and the next return of the same thread and depth; the last row of each batch comes
        again."""
        position = 0
        for columns in adjacent_columns(_closed(levels.columns())):
            tid, pid, level, _, time, name, is_return, number, outer = columns.values()
            is_call = is_return[:-1] == 0
            follows = (tid[1:] == tid[:-1]) & (level[1:] == level[:-1]) & (is_return[1:] == 1)
            call = np.flatnonzero(is_call)
            end = np.where(follows, time[1:], 0)[call]
            still_open = ~follows[call]
            if still_open.any():
                end[still_open] = [self._latest[each] for each in tid[call][still_open].tolist()]
            self._events.add_columns(
                len(call), kind=HOST_PYTHON, start_ns=time[call], end_ns=end, pid=pid[call], tid=tid[call],
                name=name[call], frame_no=number[call], outer_frame_no=outer[call],
                row=np.arange(position, position + len(call)),
            )  # fmt: skip
            position += len(call)


def _closed(levels: Iterator[Columns]) -> Iterator[Columns]:
    """The rows, and after them one of no thread, so that the last one has a neighbour."""
    names: list[str] = []
    for columns in levels:
        names = list(columns)
        yield columns
    if names:
        yield {name: np.array([0 if name in ("time", "name", "number", "outer") else -1]) for name in names}

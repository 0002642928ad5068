"""FRAMEWORK files: operators, queue events, Python frames, garbage collections, steps (framework-files.md 2, 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_DEQUEUE, HOST_ENQUEUE, HOST_OP
from warehouse.readers.issues import WARNING
from warehouse.readers.raw_config import framework_clock
from warehouse.readers.raw_rows import NONE, Numbers, numbers, record
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows

HOST_ORDER = ("start_ns", "-end_ns", "kind", "row")
_STEP = "ProfilerStep#"
_OP_FIELDS = ("sequence_no", "forward_thread_no", "stack", "modules")
_OP_COLUMNS = ("dtypes", "shapes", "sequence_no", "forward_thread_no", "stack", "module")  # NONE in them is a null
_MARK_FIELDS = ("half", "is_end", "tid", "pid", "name", "time", "key", "row")
_RANGE_FIELDS = ("half", "tid", "pid", "name", "start", "end", "key", "row")
# categories of a mark
_ENQUEUE_START, _ENQUEUE_END, _DEQUEUE_START, _DEQUEUE_END = range(4)


class FrameworkPart:
    """What the framework's files say.  `load` decodes them and fills `host_events`; the streams can be read after it.

    `ops` and `queue` are what the naming of allocations needs (raw_names).
    """

    def __init__(self, run: RawRun, host_events: SortedRows) -> None:
        self.run = run
        # a recording tells times itself
        self.clock = _native.FrameworkClock(0) if run.recording else framework_clock(run.config, run.ledger)
        self.has_queue = run.has_framework("op_mark")
        self.pid: int | None = None
        self.queue = SortedRows(["time", "kind", "row"], run.spill)
        self._names_allocations = run.has_framework("memory_usage")
        self._events = host_events
        self.ops = SortedRows(["start", "row"], run.spill)
        self._stack_frames = SortedRows(["stack", "depth"], run.spill)
        self._gc = SortedRows(["start_ns", "-end_ns"], run.spill)
        self._steps: list[tuple[int, int, int]] = []
        run.strings.watch("step", lambda text: _STEP in text)

    def load(self) -> None:
        """Decode all files but those of memory and Python frames."""
        self._load_ops()
        self._load_queue()
        self._load_gc()
        self._find_steps()

    def ns(self, ticks: pa.Array) -> Numbers:
        """Ticks as ns of the wall clock."""
        return np.asarray(self.clock.column_ns(ticks))

    def _load_ops(self) -> None:
        strings = self.run.strings
        unnamed = strings.own("N/A")  # as the vendor writes a text that cannot be read
        row = 0
        for kind, batch in self.run.framework("op_range"):
            if kind != "op_range":
                self._stack_frames.add(batch)
                continue
            count = batch.num_rows
            start, end = self.ns(batch.column("start_tick")), self.ns(batch.column("end_tick"))
            number = np.arange(row, row + count)
            row += count
            name, pid, tid, *others = numbers(batch, "name", "pid", "tid", *_OP_FIELDS)
            name = np.where(name == NONE, unnamed, name)
            dtypes, shapes = (strings.lists(column) for column in numbers(batch, "dtypes", "shapes"))
            good = end >= start
            lost = count - int(good.sum())
            self._events.add_columns(
                count, good if lost else None, _OP_COLUMNS, kind=HOST_OP, start_ns=start, end_ns=end, pid=pid, tid=tid,
                name=name, dtypes=dtypes, shapes=shapes, row=number,
                **dict(zip(_OP_COLUMNS[2:], others, strict=True)),
            )  # fmt: skip
            self._reject("op_range", lost, "time-order", "ends before it starts")
            self.ops.add_columns(count, start=start, end=end, name=name, tid=tid, row=number)
            if self.pid is None:
                self.pid = int(pid[0])

    def _load_queue(self) -> None:
        marks = SortedRows(["time", "row"], self.run.spill)
        row = 0
        dequeued: set[int] = set()
        for _, batch in self.run.framework("op_mark"):
            count = batch.num_rows
            category, key, tid, pid, name = numbers(batch, "category", "correlation_no", "tid", "pid", "name")
            time = self.ns(batch.column("tick"))
            number = np.arange(row, row + count)
            row += count
            dequeued.update(np.unique(name[category >> 1 == 1]).tolist())
            marks.add_columns(
                count, half=category >> 1, is_end=category & 1, tid=tid, pid=pid, name=name, time=time, key=key,
                row=number,
            )  # fmt: skip
        ranges, lost = self._matched(marks)
        self._reject("op_mark", lost, "no-partner", "is a start without an end, or the reverse")
        self._name_queue(ranges, sorted(dequeued))

    def _matched(self, marks: SortedRows) -> tuple[SortedRows, int]:
        """Ranges of the queue sorted by their number, dequeues first; and how many marks make none."""
        ranges = SortedRows(["key", "-half", "row"], self.run.spill)
        sweep, paired = _native.MarkSweep(), 0
        for columns in marks.columns(_MARK_FIELDS):
            found = sweep.feed(*columns.values())
            count = len(found.row)
            ranges.add_columns(count, **{name: getattr(found, name) for name in _RANGE_FIELDS})
            paired += 2 * count
        return ranges, marks.rows - paired

    def _name_queue(self, ranges: SortedRows, dequeued: list[int]) -> None:
        """Host events of the queue: named after the dequeue where there is one (5.1)."""
        plain = self.run.strings.own("Enqueue") if ranges.rows else NONE
        dequeue, enqueue = (_QueueNames(self.run, half, dequeued) for half in ("Dequeue", "Enqueue"))
        for columns in ranges.columns(_RANGE_FIELDS, together=["key"]):
            half, tid, pid, name, start, end, key, row = columns.values()
            is_dequeue = half == 1
            named = np.where(is_dequeue, name, NONE)
            # the last dequeue of the number, which stands before its enqueues
            place = np.maximum.accumulate(np.where(is_dequeue, np.arange(len(key)), -1))
            same = (place >= 0) & (key[place] == key)
            named = np.where(is_dequeue, name, np.where(same, name[place], NONE))
            text = np.where(is_dequeue, dequeue.numbers(named), enqueue.numbers(named))
            text[~is_dequeue & ~same] = plain
            kind = np.where(is_dequeue, HOST_DEQUEUE, HOST_ENQUEUE)
            self._events.add_columns(
                len(key), kind=kind, start_ns=start, end_ns=end, pid=pid, tid=tid, name=text, key=key, row=row
            )
            # those of a number stand together, dequeues first: whether the last is an enqueue
            last = np.searchsorted(key, key, side="right") - 1
            has_both = np.where(is_dequeue, half[last] == 0, same)
            moment, met = np.where(is_dequeue, start, end), np.where(has_both, key, NONE)
            if self._names_allocations:
                self.queue.add_columns(
                    len(key), time=moment, kind=1 + half, row=row, end=end, pid=pid, tid=tid, key=met
                )

    def _load_gc(self) -> None:
        for _, batch in self.run.framework("gc_record"):
            start, end = self.ns(batch.column("start_tick")), self.ns(batch.column("end_tick"))
            pid = batch.column("pid")
            good = record("gc_event", batch.num_rows, start_ns=start, end_ns=end, pid=pid, tid=pid)
            self._gc.add(good.filter(pa.array(end >= start)))
            self._reject("gc_record", int((end < start).sum()), "time-order", "ends before it starts")

    def _find_steps(self) -> None:
        """Operators named ProfilerStep#N, whatever is around them, but for those that start in another of them.

        The vendor knows only those that start while no operator of any thread is running (5.2, 5.7).
        """
        texts = self.run.strings.having("step")
        until, nested = np.iinfo(np.int64).min, 0
        for columns in self.ops.columns(["start", "end", "name"]) if texts else ():
            for place in np.flatnonzero(np.isin(columns["name"], list(texts))).tolist():
                start, end, name = (int(column[place]) for column in columns.values())
                number = texts[name].rpartition("#")[2]
                if not (number.isascii() and number.isdigit() and len(number) < 19 and end >= start):
                    self.run.ledger.note(WARNING, "bad-step", "a step without a number, or that ends before it starts")
                elif start < until:
                    nested += 1
                else:
                    self._steps.append((int(number), start, end))
                    until = end
        if nested:
            text = "steps that lie inside another step are no steps"
            self.run.ledger.note(WARNING, "nested-step", text, count=nested)

    def _reject(self, stream: str, count: int, code: str, text: str) -> None:
        if count:
            self.run.lose(self.run.framework_file(stream), stream, count, code, text)

    def steps(self) -> Iterator[pa.RecordBatch]:
        """`step` batches in time order."""
        if self._steps:
            number, start, end = map(list, zip(*sorted(self._steps, key=lambda step: step[1:]), strict=True))
            yield record("step", len(number), step_no=number, start_ns=start, end_ns=end)

    def stack_frames(self) -> Iterator[pa.RecordBatch]:
        """`stack_frame` batches."""
        yield from self._stack_frames.batches()

    def gc_events(self) -> Iterator[pa.RecordBatch]:
        """`gc_event` batches in time order."""
        yield from self._gc.batches()


class _QueueNames:
    """`Enqueue@<name>` for numbers of names, of which there are few; of other numbers it does not matter what."""

    def __init__(self, run: RawRun, half: str, names: list[int]) -> None:
        texts = run.strings.texts_of(set(names))
        self._names = np.array(names, dtype=np.int64)
        self._numbers = np.array([run.strings.own(f"{half}@{texts.get(name, '')}") for name in names], dtype=np.int64)

    def numbers(self, name: Numbers) -> Numbers:
        if not len(self._names):
            return name
        return self._numbers[np.searchsorted(self._names, name)]

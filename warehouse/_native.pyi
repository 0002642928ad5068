"""npuwh's native core: decoders of raw profiles, clocks, linear sweeps over sorted events, rows as text, and
files of SQLite.

Columns go in as contiguous int64: `array('q')`, numpy, `memoryview(...).cast('q')`, a `pyarrow.Buffer` of whole int64
values, or a `pyarrow` int64 array without nulls (slices keep their offset).  Columns come out as `Int64Column`.
-1 means "none".  Times are ns.  A row number in an error message counts from 0 within that call.

Sweeps release the GIL and may be fed in pieces of any size with the same result.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias, TypedDict, final, overload

import numpy
from numpy.typing import NDArray
from typing_extensions import Buffer

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

_Int64: TypeAlias = Buffer | _ArrowArray | NDArray[numpy.int64]  # numpy calls its arrays buffers from Python 3.12 on
_Cell: TypeAlias = str | float | int | None
_Values: TypeAlias = _Int64 | NDArray[numpy.float64] | _Cell | bytes

@final
class Int64Column:
    """Read-only int64 values.  A buffer, so nothing is copied by `memoryview(column)`, `numpy.asarray(column)` or
    `pyarrow.Array.from_buffers(pyarrow.int64(), len(column), [None, pyarrow.py_buffer(column)])`."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def tolist(self) -> list[int]: ...

@final
class HostLinks:
    """What `HostSweep.feed` found, one value a fed row."""

    @property
    def id(self) -> Int64Column:
        """OP, PYTHON, API: its own id, counted from first_*_id.  ENQUEUE, DEQUEUE: id of the queue task.  Else -1."""
    @property
    def parent(self) -> Int64Column:
        """OP, PYTHON, API: id of the nearest open slice of the kind on the thread that holds this one wholly."""
    @property
    def depth(self) -> Int64Column:
        """Number of ancestors; 0 at the root and for kinds without parent."""
    @property
    def lane(self) -> Int64Column:
        """0 if it nests in its track (thread, kind), else the first extra lane where it does."""
    @property
    def op(self) -> Int64Column:
        """Id of the op behind an ENQUEUE, DEQUEUE, API or ALLOCATION."""
    @property
    def rule(self) -> Int64Column:
        """API: link_rule.id of how `op` was found: 1 queue, 3 host, 5 host_beside, 0 no op.  Other kinds: 0."""
    @property
    def queue(self) -> Int64Column:
        """ENQUEUE, DEQUEUE, API: id of the queue task it belongs to or runs in."""
    @property
    def number(self) -> Int64Column:
        """API: the correlation number (key) of the queue task it runs in."""
    @property
    def step(self) -> Int64Column:
        """Id of the step whose host range holds the start (from <= start < to)."""
    @property
    def inside(self) -> Int64Column:
        """As `step`, but -1 if the slice ends after the step."""
    @property
    def python(self) -> Int64Column:
        """API: id of the innermost Python frame around the enqueue of its task; outside of tasks around itself."""
    @property
    def framework(self) -> Int64Column:
        """OP: id of the nearest op around it, itself included, whose key is 1; its own id if there is none."""
    @property
    def framework_name(self) -> Int64Column:
        """OP: name of that op."""
    @property
    def frame(self) -> Int64Column:
        """OP, PYTHON: number, counted from 0, of the nearest Python frame around it whose key is 1."""
    @property
    def frame_name(self) -> Int64Column:
        """OP, PYTHON: name of that frame."""
    @property
    def module(self) -> Int64Column:
        """OP: its module; that of `framework` if it has none."""
    @property
    def outer_module(self) -> Int64Column:
        """OP: module of its parent."""
    @property
    def outer_name(self) -> Int64Column:
        """API: name of its parent."""
    @property
    def outer_key(self) -> Int64Column:
        """API: key of its parent."""

@final
class QueueTasks:
    """Tasks that went through the host task queue; the columns of a missing half are -1."""

    @property
    def id(self) -> Int64Column: ...
    @property
    def correlation(self) -> Int64Column: ...
    @property
    def op(self) -> Int64Column:
        """Innermost op around the enqueue."""
    @property
    def step(self) -> Int64Column:
        """Step that holds the start of the enqueue; of the dequeue if there is no enqueue."""
    @property
    def enqueue_start(self) -> Int64Column: ...
    @property
    def enqueue_end(self) -> Int64Column: ...
    @property
    def enqueue_thread(self) -> Int64Column: ...
    @property
    def enqueue_name(self) -> Int64Column: ...
    @property
    def dequeue_start(self) -> Int64Column: ...
    @property
    def dequeue_end(self) -> Int64Column: ...
    @property
    def dequeue_thread(self) -> Int64Column: ...
    @property
    def dequeue_name(self) -> Int64Column: ...

@final
class HostSweep:
    """Parents, depths, lanes, steps and ops of one rank's host events (deliverables.md 1.2, 1.7, 2).

    Parents: the nearest open slice of the same kind and thread that holds the slice wholly.  A slice that starts
    exactly when another ends is not its child, unless it has no length; in lanes it comes after it.

    Ops: an event at the very end of an op is still inside (the vendor pops while start > end).  An API that starts
    inside a dequeue belongs to that dequeue's task; where two touch, to the one that ends first.

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> sweep = HostSweep(column(7), column(0), column(100), 1, 1, 1, 1, True)
    >>> links = sweep.feed(column(0, 0), column(0, 5), column(50, 20), column(9, 9), column(1, 2), column(0, 0),
    ...     column(-1, -1))
    >>> links.id.tolist(), links.parent.tolist(), links.step.tolist()
    ([1, 2], [-1, 1], [7, 7])
    """

    def __init__(
        self,
        step_ids: _Int64,
        step_starts: _Int64,
        step_ends: _Int64,
        first_op_id: int,
        first_python_id: int,
        first_api_id: int,
        first_queue_id: int,
        has_queue: bool,
    ) -> None:
        """step_*: host ranges of the rank's steps.  has_queue: the rank has a task queue (decides API rule 3 or 5).

        first_*_id: 0 or more.

        Raises ValueError if the step columns differ in length or an id is negative, TypeError if a column is no int64.
        """
    def feed(
        self, kind: _Int64, start: _Int64, end: _Int64, thread: _Int64, name: _Int64, key: _Int64, module: _Int64
    ) -> HostLinks:
        """Take the next events, sorted by start over all calls, of equal starts the longer first.

        kind: 0 OP, 1 PYTHON, 2 ENQUEUE, 3 DEQUEUE, 4 API, 5 ALLOCATION (end = start).  thread: any number for the
        thread.  name: string id.  key: correlation number of ENQUEUE and DEQUEUE; 1 for an OP whose name has a
        namespace and for a PYTHON frame that is a module of the model; any number for an API; else ignored.  module:
        string id of an OP's module, -1 if it has none.

        Raises ValueError that names the first bad row (order, end < start, kind, lengths); the sweep is then unchanged.
        Raises RuntimeError after `finish`.
        """
    def take_queue_tasks(self) -> QueueTasks:
        """Queue tasks completed since the last call, in order of completion.  Call it after each `feed`."""
    def finish(self) -> QueueTasks:
        """The rest: enqueues that never met a dequeue, in order of id.  Ends the sweep."""

@final
class AllocationNames:
    """What `AllocationSweep.feed` found: the allocations that have a name."""

    @property
    def row(self) -> Int64Column: ...
    @property
    def name(self) -> Int64Column: ...

@final
class AllocationSweep:
    """After which operator an allocation is called (framework-files.md 5.11, step 3; 5.2 for the tree of operators).

    The tree is the vendor's: one over all threads, an operator being a child of the innermost one that has not ended
    when it starts.  An allocation in a dequeue is named after the operator of the framework's own around the end of the
    enqueue with the same number, any other after the innermost operator of its thread that is running.

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> folder = SpillFolder(b"/tmp", 1 << 20)
    >>> ops, queue = RowSorter([("start", False)], folder), RowSorter([("time", False)], folder)
    >>> ops.add_columns(1, {"start": 10, "end": 90, "name": 8, "tid": 1})
    >>> names = AllocationSweep(ops, queue, column(), column(8)).feed(column(20), column(5), column(1), column(1))
    >>> names.row.tolist(), names.name.tolist()
    ([5], [8])
    """

    def __init__(self, operators: RowSorter, queue: RowSorter, skipped: _Int64, framework: _Int64) -> None:
        """operators: start, end, name, tid, by start.  queue: time, kind, end, pid, tid, key, by time and kind; kind 1
        is the end of an enqueue, 2 a dequeue, key their number, -1 if nothing is on the other side of the queue.

        skipped: names of operators that are no starting point of a search; framework: names of the framework's.
        """
    def feed(self, time: _Int64, row: _Int64, pid: _Int64, tid: _Int64) -> AllocationNames:
        """Allocations, numbered by `row`, sorted by time over all calls.  Those that wait for an enqueue are found by a
        later call.  Raises ValueError that names the first bad row; the sweep is then unchanged."""
    def finish(self) -> AllocationNames:
        """What is found in the rest of the queue."""

@final
class BlockSweep:
    """Blocks of memory from the records of an allocator (framework-files.md 5.11, step 2).

    A block is a malloc (action 0) and up to two records after it of the same process and address, a free (1) and a
    block free (2) in either order; the next malloc there begins another, and what else comes belongs to none.

    >>> import numpy
    >>> names = ("time", "row", "pid", "address", "action", "tid", "device", "size", "stream", "allocated", "reserved",
    ...          "active")
    >>> records = {name: numpy.zeros(2, numpy.int64) for name in names}
    >>> records["time"], records["action"] = numpy.array([5, 9]), numpy.array([0, 1])
    >>> sweep = BlockSweep()
    >>> len(sweep.feed(records)["time"])
    0
    >>> {name: column.tolist() for name, column in sweep.finish().items() if "time" in name or "free" in name}
    {'time': [5], 'free': [9], 'block_free': [-1]}
    """

    def __init__(self) -> None: ...
    def feed(self, columns: Mapping[str, _Int64]) -> dict[str, Int64Column]:
        """Records by time: time, row, pid, address, action, tid, device, size, stream, allocated, reserved, active.

        Gives blocks that cannot go on: time, row, pid, address, tid, device, size, stream, allocated, reserved and
        active of the malloc, the times free and block_free, and end_allocated, end_reserved and end_active, the totals
        of the free, without one of the block free; -1 for what there is not.
        """
    def finish(self) -> dict[str, Int64Column]:
        """The blocks that went on until the end."""

@final
class MarkRanges:
    """Ranges by their ends; key and row are those of the end."""

    @property
    def half(self) -> Int64Column: ...
    @property
    def tid(self) -> Int64Column: ...
    @property
    def pid(self) -> Int64Column: ...
    @property
    def name(self) -> Int64Column: ...
    @property
    def start(self) -> Int64Column: ...
    @property
    def end(self) -> Int64Column: ...
    @property
    def key(self) -> Int64Column: ...
    @property
    def row(self) -> Int64Column: ...

@final
class MarkSweep:
    """Ranges of the host's task queue from the marks of their starts and ends (framework-files.md 5.1).

    An end belongs to the last mark before it of its half of the queue, thread and name if that is a start; other marks
    make no range.

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> same = column(1, 1)
    >>> ranges = MarkSweep().feed(same, column(0, 1), same, same, same, column(10, 20), same, column(0, 1))
    >>> ranges.start.tolist(), ranges.end.tolist()
    ([10], [20])
    """

    def __init__(self) -> None: ...
    def feed(
        self,
        half: _Int64,
        is_end: _Int64,
        tid: _Int64,
        pid: _Int64,
        name: _Int64,
        time: _Int64,
        key: _Int64,
        row: _Int64,
    ) -> MarkRanges:
        """Marks sorted by time over all calls.  Raises ValueError that names the first bad row."""

@final
class StackedOps:
    """Operators in the order they came; -1 where no call and no module is open."""

    @property
    def row(self) -> Int64Column: ...
    @property
    def stack(self) -> Int64Column: ...
    @property
    def module(self) -> Int64Column: ...

@final
class StackLevels:
    """Calls of stacks; depth 0 is the innermost call, or the outermost module."""

    @property
    def stack(self) -> Int64Column: ...
    @property
    def depth(self) -> Int64Column: ...
    @property
    def code(self) -> Int64Column: ...

@final
class StackSweep:
    """The Python calls that are open where an operator starts, and the modules among them.

    Calls nest by thread; a return ends the innermost open call, or nothing.  Calls of C functions and of modules are
    no part of the stacks; modules are a stack of their own.  Stacks are numbered from 0 over all threads, equal ones
    alike.

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> sweep = StackSweep()  # a call of 7, within it one of 8, within that an operator
    >>> sweep.feed(column(1, 1, 1), column(0, 0, 5), column(7, 8, 0), column(0, 0, 3)).stack.tolist()
    [0]
    >>> sweep.take_stacks().code.tolist()
    [8, 7]
    """

    def __init__(self) -> None: ...
    def feed(self, thread: _Int64, event: _Int64, code: _Int64, row: _Int64) -> StackedOps:
        """Rows in time order within each thread, over all calls.  Event: 0 call, 1 return, 2 C call, 3 C return, 4 call
        of a module, 5 operator; code of calls, row of operators.  Raises ValueError that names the first bad row."""
    def take_stacks(self) -> StackLevels:
        """Stacks that an operator met for the first time since the last call."""
    def take_modules(self) -> StackLevels:
        """The same of stacks of modules."""

@final
class CallLocator:
    """Which CANN calls of one process the records of the host lie in (cann-files.md 6.1).

    A call holds a point with start < point <= end on its thread.  It is part of the tree unless it has no length, is of
    a level that makes no tree (runtime), or overlaps the one before it of its level and thread (nodes may).

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> calls = RowSorter([("start", False)], SpillFolder(b"/tmp", 1 << 20))
    >>> calls.add_columns(2, {"start": 10, "end": column(90, 20), "thread": 1, "level": column(20000, 10000),
    ...                       "item": column(0, 7), "type": 0})
    >>> memoryview(CallLocator(calls).locate(column(15, 30), column(1, 1), ["acl", "node", "node_item"])).tolist()
    [[0, 0], [1, -1], [7, -1]]
    """

    def __init__(self, calls: RowSorter) -> None:
        """calls: rows of start, end, thread, level, item, type, sorted by start, at equal starts those of higher level
        first, then longer ones; a call's id is its number in that order."""
    def locate(self, time: _Int64, thread: _Int64, links: Sequence[str]) -> Int64Block:
        """A column a link: the ids of the calls that hold each point, -1 for none, and what they handle.

        links: acl, model, node (the innermost one: nodes may nest), outer (the outermost node), comm, parent (the
        innermost call of any of these levels); model_item, node_item, outer_item, comm_item; node_type, outer_type,
        comm_type.  Times ascend over all calls.  Raises ValueError that names the first bad point, or an unknown link.
        """

@final
class DeviceLinks:
    """What `DeviceSweep.feed` found, one value a fed row."""

    @property
    def wait(self) -> Int64Column:
        """ns between the end of the device's previous kernel_details row (kinds 1, 2, 4, 5) and this start, at least 0;
        the first row 0; -1 for kinds 0 and 3 (deliverables.md 3)."""
    @property
    def step(self) -> Int64Column:
        """Id of the first step whose text window holds the start (from <= start < to)."""
    @property
    def task_step(self) -> Int64Column:
        """Id of the first step whose task window holds the start."""
    @property
    def lane(self) -> Int64Column:
        """Lane within (device, track)."""

@final
class BusyIntervals:
    """Overlap analysis (deliverables.md 1.6); of one device and kind the intervals are disjoint and in order."""

    @property
    def device(self) -> Int64Column: ...
    @property
    def kind(self) -> Int64Column:
        """0 computing, 1 communication, 2 communication not overlapped by computing, 3 free."""
    @property
    def start(self) -> Int64Column: ...
    @property
    def end(self) -> Int64Column: ...
    @property
    def step(self) -> Int64Column:
        """Id of the first step whose text window holds the start."""
    @property
    def copies(self) -> Int64Column:
        """Copies that ran in a free interval; -1 for none and for other kinds."""
    @property
    def copy_ns(self) -> Int64Column:
        """Time in it in which any of them ran."""

@final
class StepTotals:
    """Exact ns a step and device, over operators that start in the step's task window (analysis.db StepTraceTime)."""

    @property
    def step(self) -> Int64Column:
        """-1 if the sweep has no steps; the only row of a device then covers everything."""
    @property
    def device(self) -> Int64Column: ...
    @property
    def computing(self) -> Int64Column: ...
    @property
    def communication(self) -> Int64Column: ...
    @property
    def not_overlapped(self) -> Int64Column: ...
    @property
    def free(self) -> Int64Column:
        """Gaps between the first and the last busy interval."""
    @property
    def bubble(self) -> Int64Column:
        """Sum of hcom_receive* durations, overlapping ones counted twice."""
    @property
    def first_start(self) -> Int64Column: ...
    @property
    def last_end(self) -> Int64Column: ...

@final
class DeviceSweep:
    """Waits, steps, lanes, busy intervals and step totals of one rank's devices (deliverables.md 1.6, 3, 6).

    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> sweep = DeviceSweep(column(), column(), column(), column(), column())
    >>> links = sweep.feed(column(1, 2), column(0, 15), column(10, 20), column(0, 0), column(3, 4))
    >>> links.wait.tolist()
    [0, 5]
    >>> rest = sweep.finish()
    >>> list(zip(rest.kind.tolist(), rest.start.tolist(), rest.end.tolist()))
    [(0, 0, 10), (3, 10, 15), (1, 15, 20), (2, 15, 20)]
    """

    def __init__(
        self, step_ids: _Int64, text_starts: _Int64, text_ends: _Int64, task_starts: _Int64, task_ends: _Int64
    ) -> None:
        """Windows of step.device_* and step.task_*; they may overlap or be unsorted.  A missing one: -1, -1.

        Raises ValueError if the columns differ in length, TypeError if one is no int64.
        """
    def feed(self, kind: _Int64, start: _Int64, end: _Int64, device: _Int64, track: _Int64) -> DeviceLinks:
        """Take the next tasks and communication operators, sorted by start over all devices and calls.

        kind: 0 task that widens the range in which idle time is free, 1 computing kernel, 2 communication operator,
        3 task that widens nothing, 4 kernel_details row that is no computing (widens nothing), 5 as 2: hcom_receive*,
        6 as 0: a copy, whose time in free intervals is noted.

        Raises ValueError that names the first bad row; the sweep is then unchanged.
        Raises RuntimeError after `finish`.
        """
    def take_intervals(self) -> BusyIntervals:
        """Intervals finished since the last call."""
    def finish(self) -> BusyIntervals:
        """The rest of the intervals.  Ends the sweep."""
    def step_totals(self) -> StepTotals:
        """Totals of what was fed so far, ordered as the steps were given, then by device.  A step in which no computing
        or communication starts has no row."""

@final
class GroupSums:
    """Groups in the order of their keys; a list of columns, one a key or one a value.  A group in which no row has a
    value has the count 0 and -1 for the rest."""

    @property
    def keys(self) -> list[Int64Column]: ...
    @property
    def counts(self) -> list[Int64Column]:
        """Rows that have the value."""
    @property
    def sums(self) -> list[Int64Column]: ...
    @property
    def least(self) -> list[Int64Column]: ...
    @property
    def most(self) -> list[Int64Column]: ...

@final
class KeyedSums:
    """Sums of one or two values by one to four keys.  Values are 0 or more; -1 is no value.

    >>> from array import array
    >>> sums = KeyedSums(1, 1)
    >>> sums.feed([array("q", [7, 8, 7])], [array("q", [10, 5, 20])])
    >>> groups = sums.take()
    >>> groups.keys[0].tolist(), groups.counts[0].tolist(), groups.sums[0].tolist(), groups.most[0].tolist()
    ([7, 8], [2, 1], [30, 5], [20, 5])
    """

    def __init__(self, keys: int, values: int) -> None:
        """How many columns `feed` takes of each; ValueError for others than one to four keys and one or two values."""
    def feed(self, keys: list[_Int64], values: list[_Int64]) -> None:
        """Add rows; ValueError for columns of another number or of unequal length."""
    def take(self, least: int = 0) -> GroupSums:
        """Take all groups if they are at least so many, else none; a group that was taken begins anew."""

@final
class OpWork:
    """Operators in order of id; those of which all sums are 0 are left out.  Times in ns."""

    @property
    def id(self) -> Int64Column: ...
    @property
    def inner(self) -> Int64Column:
        """Host time of the operators directly in it."""
    @property
    def count(self) -> Int64Column:
        """Kernels and copies it launched itself."""
    @property
    def device(self) -> Int64Column:
        """Sum of their durations."""
    @property
    def device_total(self) -> Int64Column:
        """The same, with those that the operators in it launched, at any depth."""
    @property
    def communication(self) -> Int64Column:
        """Sum of the communication operators it launched itself."""
    @property
    def vendor(self) -> Int64Column:
        """Sum of all that the vendor's tools link to it."""
    @property
    def vendor_total(self) -> Int64Column: ...
    @property
    def ai_core(self) -> Int64Column:
        """Of `vendor` what ran on AI_CORE."""
    @property
    def ai_core_total(self) -> Int64Column: ...

@final
class OpNameTotals:
    """Operators added up by name; columns as those of `OpWork`."""

    @property
    def name(self) -> Int64Column: ...
    @property
    def calls(self) -> Int64Column: ...
    @property
    def host(self) -> Int64Column:
        """Sum of their own ranges."""
    @property
    def inner(self) -> Int64Column: ...
    @property
    def longest(self) -> Int64Column: ...
    @property
    def count(self) -> Int64Column: ...
    @property
    def device(self) -> Int64Column: ...
    @property
    def device_total(self) -> Int64Column: ...
    @property
    def communication(self) -> Int64Column: ...

@final
class ModuleTotals:
    """Modules added up by name: of operators that carry it, and Python frames with key 1, each with all operators in
    it."""

    @property
    def name(self) -> Int64Column: ...
    @property
    def is_frame(self) -> Int64Column: ...
    @property
    def calls(self) -> Int64Column: ...
    @property
    def host(self) -> Int64Column: ...
    @property
    def ops(self) -> Int64Column: ...
    @property
    def kernels(self) -> Int64Column:
        """Kernels, without copies, that these operators launched."""
    @property
    def device(self) -> Int64Column: ...

@final
class KernelOpTotals:
    """Kernels added up by their name and what launched them: names, -1 for none."""

    @property
    def kernel(self) -> Int64Column: ...
    @property
    def op(self) -> Int64Column: ...
    @property
    def framework(self) -> Int64Column:
        """Name of `HostLinks.framework` of the operator."""
    @property
    def module(self) -> Int64Column:
        """`HostLinks.module` of the operator, else name of its `HostLinks.frame`."""
    @property
    def count(self) -> Int64Column: ...
    @property
    def device(self) -> Int64Column: ...
    @property
    def longest(self) -> Int64Column: ...

COUNTED: int
"""Flag of `OpTotals.add_work`: a kernel, or a copy that is not part of a collective."""
VENDOR_LINK: int
"""Flag: the vendor's tools make the same link."""
AI_CORE: int
"""Flag: it ran on AI_CORE."""
COMMUNICATION: int
"""Flag: a communication operator."""
TAKEN_BACK: int
"""Flag: a copy that was counted turns out to be part of a collective."""
SCHEDULING: int
"""Instead of the name of a kernel: a scheduling task of a collective."""

@final
class OpTotals:
    """What each operator of a rank launched, itself and with everything in it, and sums of that by name.

    Linear in the rows however deep they nest; operators and what they launched wait in the spill file.

    >>> import tempfile
    >>> from array import array
    >>> def column(*values): return array("q", values)
    >>> host = column(0, 0), column(0, 5), column(50, 20), column(9, 9), column(3, 4), column(1, 0), column(-1, -1)
    >>> links = HostSweep(column(), column(), column(), 1, 1, 1, 1, True).feed(*host)
    >>> with tempfile.TemporaryFile() as file:
    ...     totals = OpTotals(1, file.fileno(), 1000)
    ...     kind, start, end, _, name, key, module = host
    ...     totals.add_host(kind, start, end, name, key, module, links)
    ...     totals.add_work(column(2), column(7), column(100), column(COUNTED))
    ...     while totals.walk():
    ...         pass
    ...     work = totals.take_ops()
    >>> work.id.tolist(), work.inner.tolist(), work.device.tolist(), work.device_total.tolist()
    ([1, 2], [15, 0], [0, 100], [100, 100])
    """

    def __init__(self, first_op_id: int, spill_handle: int, most_held: int) -> None:
        """spill_handle: an open, empty file.  most_held: records of work, 64 bytes each, that are sorted in memory."""
    def add_host(
        self,
        kind: _Int64,
        start: _Int64,
        end: _Int64,
        name: _Int64,
        key: _Int64,
        module: _Int64,
        links: HostLinks,
    ) -> None:
        """The rows that `HostSweep.feed` took, and what it found.  ValueError if they are not those that come next,
        OSError if the file cannot take them."""
    def add_work(self, op: _Int64, kernel: _Int64, duration: _Int64, flags: _Int64) -> None:
        """Records of the device, in any order: operator behind it or -1, name of the kernel (-1: none; SCHEDULING), ns,
        and flags added up."""
    def walk(self) -> bool:
        """Go on through some operators, from the last to the first; False if there are no more."""
    def take_names(self, least: int = 0) -> OpNameTotals:
        """Take all groups if they are at least so many, else none; a group that was taken begins anew."""
    def take_modules(self, least: int = 0) -> ModuleTotals:
        """As `take_names`."""
    def take_kernels(self, least: int = 0) -> KernelOpTotals:
        """As `take_names`."""
    def take_ops(self) -> OpWork:
        """After the walk: the next operators, none at the end."""

@final
class LaneSweep:
    """Lanes of slices on many tracks: 0 where a slice nests in its track, else the first extra lane where it does.

    >>> from array import array
    >>> LaneSweep().feed(array("q", [1, 1, 1]), array("q", [0, 5, 10]), array("q", [10, 15, 20])).tolist()
    [0, 1, 0]
    """

    def __init__(self) -> None: ...
    def feed(self, track: _Int64, start: _Int64, end: _Int64) -> Int64Column:
        """Lane of each slice.  Starts ascend within a track over all calls; of equal starts the longer first needs the
        fewest lanes.

        Raises ValueError that names the first bad row; the sweep is then unchanged.
        """

@final
class Nullable:
    """Int64 values of which -1 stands for NULL: a column for tables.

    >>> from array import array
    >>> Nullable(array("q", [3, -1])).tolist()
    [3, None]
    """

    def __init__(self, values: Any) -> None:
        """A buffer of int64, as numpy arrays are."""
    @property
    def values(self) -> Any: ...
    def __len__(self) -> int: ...
    def tolist(self) -> list[int | None]: ...

def filled(column: _ArrowArray) -> Int64Column:
    """The values of an int64 column, -1 for null."""

def take_rows(columns: Sequence[_ArrowArray | Buffer], places: _Int64) -> list[Int64Column]:
    """Some rows of int64 columns, -1 for null.

    Raises ValueError for a column of another type, IndexError for a place beyond its rows.
    """

@final
class StringNumbers:
    """Ids of the strings of a source, and what their form tells, by their numbers in the source.

    >>> from array import array
    >>> known = StringNumbers()
    >>> known.add(array("q", [10, 12]), array("q", [1, 2]), array("q", [0, 4]))
    >>> found, lost, unknown_words = known.ids(array("q", [12, -1, 11]))
    >>> found.tolist(), lost, known.forms(array("q", [12])).tolist()
    ([2, -1, -1], 1, [4])
    """

    def __init__(self) -> None: ...
    def add(self, numbers: _Int64, ids: _Int64, forms: _Int64) -> None:
        """More strings.  Raises ValueError unless the numbers ascend over all calls."""
    def set_words(self, ids: _Int64) -> None:
        """Ids of the numbers -2, -3 ..."""
    def ids(self, column: _ArrowArray | Buffer, instead: int = -1, dropped: int = -1) -> tuple[Int64Column, int, int]:
        """(ids, how many numbers have none, how many are words that are not known).

        instead: what stands for no id.  dropped: an id for which -1 is given.
        """
    def forms(self, column: _ArrowArray | Buffer) -> Int64Column: ...

@final
class LinkFile:
    """The file that links of several tables go to when they exceed the memory."""

    def __init__(self, handle: int) -> None:
        """`handle`: descriptor of an empty file, open for reading and writing, which stays the caller's."""

@final
class LinkTable:
    """Numbers stored under a number: filled in one pass, looked up in a later one.  Of equal keys the first stays; the
    key -1 stands for none, and nothing is stored under it.

    Any order is right; keys and look-ups that ascend, more or less, are quick.
    """

    def __init__(self, file: LinkFile, columns: int, memory_bytes: int) -> None: ...
    def add(self, key: _Int64, *columns: _Int64) -> None:
        """Store rows.  Raises ValueError if columns differ in length or number, RuntimeError after the first `find`,
        OSError if the file takes no more."""
    def find(self, key: _Int64) -> list[Int64Column]:
        """One column a stored one, aligned with `key`; -1 where nothing is stored under a number."""
    @property
    def memory_bytes(self) -> int:
        """Bytes held just now."""

@final
class ContentIds:
    """Numbers of rows by what they hold: 1, 2 ... in order of their first coming.  128 bits of a hash stand for a row.

    >>> from array import array
    >>> known = ContentIds()
    >>> [each.tolist() for each in known.ids([array("q", [7, 8, 7]), array("q", [0, 0, 0])])]
    [[1, 2, 1], [0, 1]]
    """

    def __init__(self) -> None: ...
    def ids(self, columns: Sequence[_Int64]) -> tuple[Int64Column, Int64Column]:
        """(number of each row, places of the rows that are new)."""
    def remember(self, ids: _Int64, columns: Sequence[_Int64]) -> None:
        """Give rows these numbers, unless they have one."""
    def rewind(self, last: int) -> None:
        """Forget numbers above `last`; the next row is given `last` + 1."""
    @property
    def last(self) -> int:
        """The largest number."""

@final
class TextIds:
    """As `ContentIds`, of texts."""

    def __init__(self) -> None: ...
    def ids(self, texts: _ArrowArray) -> tuple[Int64Column, Int64Column]:
        """(number of each text, -1 for null; places of those that are new)."""
    def rewind(self, last: int) -> None: ...
    @property
    def last(self) -> int: ...

@final
class RowWriter:
    r"""Rows as text, to the byte as the vendor's writers (deliverables.md 0.1).

    kinds: text, int, stamp ("us.nnn", in CSV with a trailing tab), float (Python repr), round3 (rounded to three
    decimals, halves away from zero, then as float), fixed3, fixed6 (%f), trim3 (%.3f without trailing zeros), json (as
    it is), ns_us (integer ns as us with three decimals, exact).
    An int in any numeric kind keeps its own form (`float` 0 -> 0; fixed3 0 -> 0.000); an int in `stamp` is ns.
    A str in a numeric kind is written as it is (JSON: as a string).  None: an empty field, in JSON no member.

    >>> RowWriter(["text", "float", "stamp"]).csv([("a,b", 8868.24, "1.500"), (None, 0, None)])
    b'"a,b",8868.24,1.500\t\r\n,0,\r\n'
    >>> RowWriter(["text", "ns_us", "int"], ["name", "ts", "args:id"]).json_events([("x", 1500, 7), ("y", 2000, None)])
    b'{"name":"x","ts":1.500,"args":{"id":7}},\n{"name":"y","ts":2.000}'
    """

    def __init__(self, kinds: Iterable[str], names: Iterable[str] = ...) -> None:
        """Raises ValueError for an unknown kind or a wrong number of names."""
    def csv_header(self) -> bytes:
        """The names as a line of CSV."""
    def csv(self, rows: Sequence[Sequence[_Cell]]) -> bytes:
        r"""Lines as Python's csv writer (minimal quoting, "\r\n").  Text that a spreadsheet would run as a formula
        (it starts with = + - @ tab CR) gets a ' before it, unless it is a number in a numeric kind.

        Raises ValueError for a row of the wrong length or an int beyond 64 bits, TypeError for another type of cell.
        """
    def json_events(self, rows: Sequence[Sequence[_Cell]]) -> bytes:
        r"""One object a row, joined by ",\n".

        Columns named `args:X` go into "args" as X; no args at all: no "args".  A column named "args" of kind json is
        the whole of them.  NaN and infinity become null, lone surrogates U+FFFD.

        Raises as `csv`; also ValueError without names, or for a row with both kinds of args.
        """

class LibraryUnavailableError(RuntimeError):
    """The SQLite of this process cannot be used natively; the text says why."""

class RowsRefusedError(RuntimeError):
    """Rows that are not written natively: odd values, or what SQLite says of a statement."""

class RowsOutOfOrderError(RowsRefusedError):
    """Rows that were read by their ids, and these do not ascend with what orders the rows."""

@final
class SqliteLibrary:
    """The SQLite that Python's `sqlite3` stands on, by a handle on its loaded extension module and nothing else.

    >>> import _sqlite3, sqlite3
    >>> SqliteLibrary(_sqlite3.__file__, sqlite3.sqlite_version).memory_used() >= 0
    True
    """

    def __init__(self, extension: str, version: str) -> None:
        """`extension`: path of the module; `version`: what Python says of its SQLite.  LibraryUnavailableError."""
    def memory_used(self) -> int:
        """Bytes that SQLite has allocated in this process."""

@final
class TableRows:
    """Rows of a statement as typed columns, read by the SQLite that Python has loaded.

    >>> rows = TableRows(library, "file:W.db?mode=ro", "SELECT id, value FROM string",
    ...                  [("id", "INTEGER"), ("value", "TEXT")])  # doctest: +SKIP
    >>> pyarrow.record_batch(rows.next(10_000)).num_rows  # doctest: +SKIP
    836
    """

    def __init__(
        self,
        library: SqliteLibrary,
        uri: str,
        statement: str,
        columns: Sequence[tuple[str, str]],
        *,
        busy_milliseconds: int = 10000,
    ) -> None:
        """`columns`: name and kind (INTEGER, REAL, TEXT) of each.  RowsRefusedError with what SQLite says of it."""
    def next(self, rows: int) -> NativeBatch | None:
        """At most so many of the next rows, None after the last one; RowsRefusedError for a value of another kind."""

class ArmRequest(TypedDict):
    """One SELECT.  `values` are bound to its parameters (behind the two of a range, if there are ranges).

    columns: name, format, and where it comes from: the column of the statement, or a fixed text, or an index into
    `remembered`; nothing of them: NULL.  remembered: statements and the columns whose integers (or NULLs) they take as
    ?1 to ?4; their result columns are those output columns that name them, in order.
    """

    statement: str
    values: Sequence[int]
    columns: Sequence[tuple[str, str, int | None, str | None, int | None]]
    remembered: Sequence[tuple[str, Sequence[int]]]

class SectionRequest(TypedDict):
    """Rows and what they become: "csv" lines, "events" as RowWriter writes both, or "flows" of two events a row.

    order: column in which each arm ascends, by which arms are merged; ties: columns that sort what is equal in it, and
    whether descending.  bounds: values of the order that cut the rows into ranges (None: not in ranges); limits: the
    smallest and the largest, where they are known.  is_fed: the one arm is SELECT npuwh_row(...) without ORDER BY, its
    ranges are of what ascends with the order.
    process, thread: columns of numbers that are collected.  lane_pass: index of the pass that knows the lanes of these
    rows, by the column lane_id.
    """

    shape: str
    arms: Sequence[ArmRequest]
    is_fed: bool
    order: int | None
    ties: Sequence[tuple[int, bool]]
    bounds: Sequence[int] | None
    limits: tuple[int, int] | None
    process: int | None
    thread: int | None
    lane_pass: int | None
    lane_id: int

@final
class RowReader:
    """Connections to a database file, each with a thread of its own, that turn rows into text without the GIL.

    `setup`: statements that each connection runs first.
    """

    def __init__(
        self,
        library: SqliteLibrary,
        uri: str,
        setup: Sequence[str],
        *,
        busy_milliseconds: int = 10000,
        threads: int = 2,
    ) -> None:
        """RowsRefusedError with what SQLite has against it."""
    def run(
        self,
        sections: Sequence[SectionRequest],
        lane_passes: Sequence[tuple[str, Sequence[int], Sequence[int]]],
        lanes: Sequence[tuple[int, int, int]],
        target: int | Callable[[bytes], object],
        is_first: bool,
    ) -> tuple[list[int], list[tuple[int, int | None]]]:
        """Write the sections' rows to a descriptor or function; gives rows of each section (of flows: events) and the
        numbers of processes and threads.

        lane_passes: statement, values, and its columns of id, thread, start, duration: a lane is found for each row.
        lanes: (thread, start, lane) that are known already, for flows.  Events are each written behind ",\\n";
        `is_first`: the first comma is "[".

        RowsRefusedError (some may be written then), OSError, or what `target` or a signal handler raises.
        """

@final
class NativeBatch:
    """Rows of typed columns: int64, uint64, float64 or utf8, with nulls where the format has none to give.

    `pyarrow.record_batch(batch)` and `polars.DataFrame(batch)` share its memory; it may be taken any number of times.
    """

    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class SpillFolder:
    """The memory that several sorters share: when they hold more than `memory_bytes`, the one that holds most moves
    its rows to a file in the directory `place` that has no name and is gone when the process ends."""

    def __init__(self, place: bytes, memory_bytes: int) -> None: ...
    @property
    def held_bytes(self) -> int: ...

@final
class RowSorter:
    """Rows of 64-bit numbers in, the same rows in order out, equal keys in the order they came in.

    Rows are held packed: a number takes the bytes that its distance from the least of some thousand neighbours takes.
    Input that is nearly in order is cheap.  All methods raise OSError if the disk takes no more.

    >>> import pyarrow
    >>> sorter = RowSorter([("a", False)], SpillFolder(b"/tmp", 1 << 20))
    >>> sorter.add(pyarrow.record_batch({"a": [5, 3], "b": [1, 2]}))
    >>> pyarrow.record_batch(sorter.read().next(10)).to_pydict()
    {'a': [3, 5], 'b': [2, 1]}
    """

    def __init__(self, keys: Sequence[tuple[str, bool]], folder: SpillFolder, schema: object | None = None) -> None:
        """keys: names of int64 columns, and whether that one falls; schema: what Arrow takes for one."""
    def add(self, batch: _ArrowArray) -> None:
        """Take the rows of a record batch of int64, uint64 and float64 columns.

        Raises ValueError if the columns are not those of the first batch, a key is missing or has a null, or rows were
        read already; TypeError for other types.
        """
    def add_columns(
        self,
        rows: int,
        columns: Mapping[str, object],
        where: Buffer | None = None,
        sparse: tuple[str, ...] = (),
    ) -> None:
        """Take rows: columns as buffers or Arrow arrays of int64 or float64, or one value for all rows.

        where: one bool a row, the others are left out.  sparse: columns in which -1 is a null.  Of the columns of the
        schema those that are not given are null; without one the first call tells the columns, all int64.

        Raises as `add`.
        """
    def spill(self) -> None:
        """Move all rows to disk."""
    def read(self, columns: Sequence[str] = ..., together: Sequence[str] = ...) -> SortedReader:
        """A new reader of all rows, or of some columns of them.  Nothing may be added any more.

        together: the first of the keys; rows in which they are equal come in one batch.
        """
    @property
    def rows(self) -> int: ...
    @property
    def held_bytes(self) -> int:
        """Memory that its rows take."""

@final
class SortedReader:
    """Reads the rows of a sorter from the first to the last."""

    @property
    def names(self) -> list[str]: ...
    def next(self, rows: int) -> NativeBatch | None:
        """The next rows, so many unless rows belong together or there are no more; None at the end."""
    def next_columns(self, rows: int) -> Int64Block | None:
        """As `next`, -1 for a null."""
    def columns_between(self, first: Sequence[int], last: Sequence[int]) -> Int64Block | None:
        """As `next_columns`, all rows whose first keys are from `first` to `last`; those before are skipped."""

@final
class Int64Block:
    """Columns of int64: a buffer of two dimensions, a row of it a column."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class StringTable:
    """Numbers for texts, dense from `first_id` and never given twice; decoders, also of several threads, may share one.

    Only a bounded number of texts is remembered, so the same text may get a second number in a very varied run.  What
    is not UTF-8 is repaired with U+FFFD.
    """

    def __init__(self, first_id: int = 0) -> None: ...
    def intern(self, texts: list[bytes]) -> tuple[NDArray[numpy.int64], int]:
        """Numbers of texts, and how many of them are no UTF-8 and were repaired."""

    def take(self) -> NativeBatch | None:
        """New texts since the last call, columns `id` and `value`, some 8 MB at most.  Call until None.

        >>> StringTable().take() is None
        True
        """

class _Counts(TypedDict):
    size_bytes: int
    bytes_seen: int
    bytes_decoded: int
    bytes_rejected: int
    records_decoded: int
    records_rejected: int

class FileCounts(_Counts):
    path: str

class Fault(TypedDict):
    """All faults of one kind in one file.  `bytes` were rejected for it; 0 where the records were kept."""

    code: str
    text: str
    file: int
    first_offset: int
    count: int
    bytes: int

class DecoderLedger(_Counts):
    """Totals, then file by file in the order of the paths.  bytes_seen = bytes_decoded + bytes_rejected, always."""

    files: list[FileCounts]
    faults: list[Fault]

class Decoder:
    """Reads one stream of records, a batch at a time, in a window of bounded size; the GIL is released meanwhile.

    Damage never raises: what could not be read is a fault in `ledger()`, and reading goes on behind it.
    """

    def next(self) -> NativeBatch | None:
        """The next rows, at least one; None at the end."""
    def take(self, kind: str) -> NativeBatch | None:
        """Rows of another kind that came up since the last call, such as `stack_frame`.  Call until None."""
    def strings(self) -> NativeBatch | None:
        """As `StringTable.take`; take them after each batch."""
    def ledger(self) -> DecoderLedger: ...

@final
class FrameworkDecoder(Decoder):
    """One kind of file in FRAMEWORK/ (framework-files.md 2).  Times are ticks; texts are numbers of `strings()`; 64-bit
    numbers without sign keep their bits.  Side rows of op_range: `stack_frame` (stack, depth, frame) and, with
    `with_tensors`, `tensor` (row of the op, list_no, tensor_no, ...).

    >>> FrameworkDecoder("op_mark", []).next() is None
    True
    """

    def __init__(
        self,
        kind: str,
        paths: Iterable[str | bytes | PathLike[str]],
        window_bytes: int = 1 << 20,
        batch_rows: int = 1 << 16,
        strings: StringTable | None = None,
        with_tensors: bool = False,
    ) -> None:
        """ValueError for an unknown kind.  A missing file is a fault."""
    @staticmethod
    def kinds() -> list[str]:
        """
        >>> FrameworkDecoder.kinds()[0]
        'op_range'
        """

@final
class ProfDecoder(Decoder):
    """One stream of a PROF directory and one retention class (cann-files.md 1.2, 4, 5): `stream` is the name of its
    files without retention, `.data`, device and slice, e.g. "compact.task_track", "stars_soc", "npu_mem.app".

    A stream may give several kinds of rows; `kind` is that of the last batch.  Every column is int64 without nulls:
    times are ticks (`time_us`: us), numbers without sign keep their bits, texts are numbers of `strings()`, -1 is "not
    there"; only `duration_estimated` and the values of hccs, nic, roce and netdev_stats are float64.  Side rows:
    `tensor_list`, whose `id` the column `tensors` of this decoder's rows holds.  Rows of `device_task` are in no order.

    >>> ProfDecoder("stars_soc", []).next() is None
    True
    """

    def __init__(
        self,
        stream: str,
        paths: Iterable[str | bytes | PathLike[str]],
        *,
        platform_version: str = "5",
        version: str = "1.0",
        is_sampled: bool = False,
        is_expanded: bool = False,
        window_bytes: int = 1 << 20,
        batch_rows: int = 1 << 16,
        strings: StringTable | None = None,
        reorder: int = 1 << 12,
        most_open: int = 1 << 17,
    ) -> None:
        """`platform_version` and `version` are those of info.json; `is_sampled`: ai_core_profiling_mode of sample.json
        is "sample-based"; `is_expanded`: expand_stream_spec has status 1.  At most `reorder` stars records wait to be
        put in order, at most `most_open` for their other half.

        Where the numbers of the slices leave one out nothing is joined.  A stream whose records are not specified, or
        not for this chip, is rejected whole, with a fault that says so.  ValueError for a name that is no stream's.
        """
    @property
    def kind(self) -> str | None: ...
    @staticmethod
    def streams() -> list[str]:
        """Those whose records are specified.

        >>> "ffts_profile" in ProfDecoder.streams()
        True
        """

@final
class PmuMetrics:
    """Ratios, times (ns), bandwidths (GB/s) and amounts from the counters of one kind of core (cann-files.md 5.4).

    >>> PmuMetrics("ResourceConflictRatio", [0x64, 0x65, 0x66, 0, 0, 0, 0, 0]).names[2]
    'vec_bankgroup_cflt_ratio'
    """

    def __init__(self, group: str, events: Sequence[int]) -> None:
        """`events`: what the eight counters count, in their order (sample.json).  ValueError for a group that is not
        specified, for other than eight events, and where an event that the group needs is missing."""
    @property
    def names(self) -> list[str]:
        """Columns of the table kernel_metric without the core's prefix, from total_time_ns, total_cycles_count on."""
    def evaluate(
        self,
        counters: Sequence[_Int64],
        total_cycles: _Int64,
        blocks: _Int64,
        mhz: _Int64,
        *,
        cores: int,
        nominal_mhz: float,
    ) -> NativeBatch:
        """A float64 column a name, a row a task.  `counters`: eight columns.  `blocks` the task ran in, on `cores`.
        `mhz`: core clock when it ended; `nominal_mhz`: that of info.json, which bandwidths are reckoned with.

        ValueError for columns of different length.
        """
    @staticmethod
    def groups() -> list[str]: ...

@final
class TickClock:
    """Ticks of PROF streams as ns, exact and rounded down: base_ns + (tick - base_tick) * 1000 / mhz (cann-files.md 2).

    `mhz` is the text of the file.  Empty: ticks are ns already, and ns(tick) = tick + base_ns.

    >>> TickClock("50.000000", 1000, 7).ns(1003)
    67
    """

    def __init__(self, mhz: str, base_tick: int, base_ns: int) -> None:
        """ValueError if mhz is not a positive decimal number."""
    def ns(self, tick: int) -> int: ...
    def duration_ns(self, ticks: int) -> int: ...
    def column_ns(self, ticks: _Int64) -> Int64Column: ...

@final
class FrameworkClock:
    """Ticks of FRAMEWORK files as ns, with the reference reader's arithmetic of doubles (framework-files.md 4).

    With an offset alone ticks are ns already.

    >>> FrameworkClock(100.0, 1000, 5, 70).ns(1003)
    105
    >>> FrameworkClock(70).ns(30)
    100
    """

    @overload
    def __init__(self, mhz: float, start_tick: int, start_ns: int, offset_ns: int) -> None:
        """ValueError if mhz is no number or nearly 0."""
    @overload
    def __init__(self, offset_ns: int) -> None: ...
    def ns(self, tick: int) -> int: ...
    def column_ns(self, ticks: _Int64) -> Int64Column: ...

def latched_ns(base_ns: int, ticks: int, mhz: str) -> int:
    """When the device's counter was latched: base_ns + round(ticks * 1000 / mhz), half to even (cann-files.md 2, M).

    >>> latched_ns(100, 3, "2000")
    102
    """

def microseconds_to_ns(text: str) -> int:
    """Microseconds as text; at most three decimals count.  ValueError if it is no such number.

    >>> microseconds_to_ns("12.5678")
    12567
    """

class ConstraintError(ValueError):
    """A value that the schema forbids: NULL, another type, a duplicate, a rowid out of order."""

class UnsupportedError(ValueError):
    """A statement or a conversion that the bulk writer does not do; the text names it."""

@final
class DatabaseWriter:
    """A whole new SQLite database file from columns, without SQLite.

    `handle` and `spill_handle` are descriptors of two empty files, open for reading and writing, which stay the
    caller's; the second takes keys that exceed `memory_bytes` while they are sorted.  `statements` are CREATE TABLE,
    CREATE INDEX and CREATE VIEW, tables before their indexes, and go into the schema as SQLite keeps them.  Only rowid
    tables (STRICT or not) with NOT NULL, PRIMARY KEY and UNIQUE, and plain indexes over columns, are done; views are
    not read: take statements from a schema of SQLite's own, one that it would refuse makes a file that it cannot open.

    unordered: tables whose rowids come in any order (their rows are sorted too).  strings: the table that `intern`
    fills, (INTEGER PRIMARY KEY, TEXT).  statistics: make sqlite_stat1, as ANALYZE would.  page_size: a power of two,
    512 to 32768.

    Rows are written in a thread of the writer's own.  ahead_bytes: how much of columns may wait for it; with 0 every
    call waits for what it began.  Else what goes wrong is raised by a later call, `settle` at the latest, and Arrow
    columns must not change under it (buffers that are not read-only are copied).

    Raises UnsupportedError or ValueError before anything is written.  All methods raise OSError if a file takes no
    more.  Until `finish` the file is no database.
    """

    def __init__(
        self,
        handle: int,
        spill_handle: int,
        statements: Sequence[str],
        *,
        page_size: int = 16384,
        application_id: int = 0,
        user_version: int = 0,
        memory_bytes: int = ...,
        statistics: bool = True,
        unordered: Sequence[str] = (),
        strings: str = "",
        ahead_bytes: int = 0,
    ) -> None: ...
    def append(self, table: str, columns: _ArrowArray | Mapping[str, _Values]) -> int:
        """Append rows: an Arrow record batch, or columns (Arrow arrays, buffers of int64 or double, one value for all
        rows; all of one value: one row) by name.  Returns their number.

        Columns left out are NULL; an INTEGER PRIMARY KEY left out, or NULL, counts on from the largest.  Values are
        converted as SQLite does for the column, but for text that would have to become a number and reals that would
        have to become text (UnsupportedError).  NaN is NULL.

        Raises ConstraintError, IndexError for an unknown table or column, ValueError for unequal lengths.  Some rows
        may be in then: `rewind`, or give the file up.
        """
    def intern(self, texts: _ArrowArray) -> Int64Column:
        """Numbers of the strings in their table, -1 for null; new ones are appended to it."""
    def settle(self) -> None:
        """Wait until all rows that were given are written."""
    def last_rowid(self, table: str) -> int:
        """The largest rowid, 0 for an empty table."""
    def mark(self) -> None:
        """Remember this state; marks are a stack."""
    def rewind(self) -> None:
        """Take back all since the last mark, which stays."""
    def release(self) -> None:
        """Forget the last mark."""
    def finish(self) -> None:
        """Write the rest.  Raises ConstraintError for a duplicate in a unique index.  Nothing can follow."""

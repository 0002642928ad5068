"""PROF directories: the parts that read them, in the order in which they need each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from warehouse.errors import InputError
from warehouse.readers.input_file import size_of
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.json_text import decimal
from warehouse.readers.raw_aicpu import AicpuPart
from warehouse.readers.raw_cache import CachePart
from warehouse.readers.raw_calls import CallPart
from warehouse.readers.raw_comm import CommPart
from warehouse.readers.raw_config import host_clock
from warehouse.readers.raw_counters import CounterPart
from warehouse.readers.raw_describe import Describer
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_frequency import Frequencies
from warehouse.readers.raw_graphs import GraphPart
from warehouse.readers.raw_marks import MarkPart
from warehouse.readers.raw_mc2 import Mc2Part
from warehouse.readers.raw_memory import MemoryPart
from warehouse.readers.raw_metrics import MetricPart
from warehouse.readers.raw_rows import aligned, chosen, numbers, or_null, record
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import HostTasks
from warehouse.readers.sorted_rows import SortedRows
from warehouse.wording import counted


class ProfPart:
    """Everything of a PROF directory.  Fills the host events of `host_events` and the graph engine's memory."""

    def __init__(self, run: RawRun, host_events: SortedRows, memory: MemoryPart) -> None:
        self._run = run
        self._memory = memory
        self.pid = next((pid for text in _pids(run) if (pid := decimal(text)) is not None), 0)
        self.names = Names(run)
        self._describer = Describer(run, self.names, run.config.host.level != "Level0")
        self._kernels = SortedRows(["descriptor"], run.spill)
        self._host_events = host_events
        self.metrics: MetricPart | None = None
        self._comm: CommPart | None = None
        self._mc2: Mc2Part | None = None
        self.counters: CounterPart | None = None
        self.streams: dict[str, Callable[[], Iterator[pa.RecordBatch]]] = {}

    def load(self) -> None:
        """Decode the PROF directory; `streams` can be read then."""
        run = self._run
        if run.files.prof is None:
            return
        for path in run.files.other_profs:
            sizes = [size_of(each) or 0 for each in run.files.other_files() if path in each.parents]
            issue = run.ledger.note(
                WARNING,
                "other-prof",
                f"{path.name} is left out: another PROF directory of the run is read; "
                f"{counted(len(sizes), 'file')} of {counted(sum(sizes), 'byte')} left unread",
            )
            issue.bytes = sum(sizes)
        try:
            self._load()
        finally:
            run.refuse_rest()

    def _load(self) -> None:
        run = self._run
        for _, _, batch in run.host_stream("compact.expand_stream_spec"):
            run.is_expanded = run.is_expanded or bool((numbers(batch, "expand_status")[0] == 1).any())
        self.names.load()
        try:
            clock = host_clock(run.config.host)
        except InputError as error:
            assert run.files.prof is not None
            folders = [run.files.prof / "host", *(device.path for device in run.files.devices)]
            run.note_no_clock("nothing of the PROF directory is read", error, folders)
            return
        calls = CallPart(run, self.names, self._host_events, clock, self.pid)
        graphs = GraphPart(run, calls, self._describer.add_tensor_lists)
        graphs.load()
        host = HostTasks(run, self.names, calls, graphs, self._describer)
        host.load_points()
        calls.load()
        host.load()
        device = DevicePart(run, self.names, host, graphs)
        comm = self._comm = CommPart(run, self.names, host, device)
        mc2 = self._mc2 = Mc2Part(run, self.names, host, graphs, device, comm)
        mc2.load_streams()
        device.load()
        if count := device.nodes.unlaunched():
            text = "captured before recording started: tasks of graphs whose calls and operators are not known"
            run.ledger.note(INFO, "captured-before", text, table="task_track", count=count)
        comm.load()
        aicpu = AicpuPart(run, device)
        aicpu.load()
        self._describer.scheduling = mc2.load(aicpu)
        self._describe(host, device)
        frequencies = Frequencies(run, device.clocks)
        frequencies.load()
        self.metrics = MetricPart(run, host, device, frequencies)
        self.metrics.load()
        self.counters = CounterPart(run, device, frequencies)
        self.counters.load()
        caches = CachePart(run, device)
        caches.load()
        marks = MarkPart(run, self.names, calls, self.pid)
        marks.load()
        self._load_engine_memory(calls)
        self.streams = {
            "kernel": lambda: self._describer.kernels(self._kernels.columns()),
            "launch": device.launches.batches,
            "graph": graphs.graph_records,
            "graph_stream": graphs.stream_records,
            "graph_node": device.nodes.records,
            "graph_run": device.runs.records,
            "device_event": lambda: device.runs.numbered(device.events.batches()),
            "memory_copy": device.memory_copies,
            "comm_task": comm.tasks,
            "task_metrics": self.metrics.tasks,
            "aicpu_task": aicpu.tasks,
            "data_queue": aicpu.queues,
            "comm_turn": aicpu.turns,
            "cache_rate": caches.rates,
            "mark": marks.marks,
            "module_memory": self.counters.module_memory,
            "device_memory": self.counters.device_memory,
        }

    def group_hashes(self) -> dict[str, str]:
        """Name of an operation -> the number that stands for its group, for one operation a group."""
        if self._comm is None or self._mc2 is None:
            return {}
        return self._mc2.group_hashes() | self._comm.group_hashes()

    def _describe(self, host: HostTasks, device: DevicePart) -> None:
        """Descriptions of what ran, under the numbers of their tasks."""
        for operators, (ran,) in aligned(host.operators.columns(), [device.operators], ("row",)):
            if ran is not None:
                described = chosen(operators, np.searchsorted(operators["row"], ran["row"]))
                self._kernels.add_columns(len(ran["row"]), **{**described, "descriptor": ran["descriptor"]})
        self._describer.watch_tensor_texts()

    def _load_engine_memory(self, calls: CallPart) -> None:
        """Records of the graph engine's allocator (cann-files.md 4.3), in the order of their files."""
        component, allocate, release = (self._run.strings.own(text) for text in ("GE", "allocate", "release"))
        for _, _, batch in self._run.host_stream("additional.task_memory_info"):
            address, size, name, device, thread = numbers(batch, "address", "size", "op_name", "device", "thread")
            self._memory.add_engine(
                record(
                    "memory_event",
                    batch.num_rows,
                    component=component,
                    device_id=device,
                    time_ns=calls.ns(batch.column("time")),
                    name=or_null(self.names.of_hashes(name)),
                    address=address,
                    size_bytes=size,
                    total_allocated_bytes=batch.column("total_allocated"),
                    total_reserved_bytes=batch.column("total_reserved"),
                    pid=self.pid,
                    tid=thread,
                    action=np.where(size < 0, release, allocate),
                )
            )


def _pids(run: RawRun) -> list[str]:
    return [str(folder.info.get("pid", "")) for folder in run.config.folders()]

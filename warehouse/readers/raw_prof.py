"""PROF directories: the parts that read them, in the order in which they need each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from warehouse.errors import InputError
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
from warehouse.readers.raw_memory import MemoryPart
from warehouse.readers.raw_metrics import MetricPart
from warehouse.readers.raw_rows import numbers, or_null, record, with_columns
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import HostTasks
from warehouse.readers.sorted_rows import SortedRows


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
        self.counters: CounterPart | None = None
        self.streams: dict[str, Callable[[], Iterator[pa.RecordBatch]]] = {}

    def load(self) -> None:
        """Decode the PROF directory; `streams` can be read then."""
        run = self._run
        if run.files.prof is None:
            run.ledger.note(INFO, "no-prof", "no CANN calls and no device tasks: there is no PROF directory")
            return
        for path in run.files.other_profs:
            run.ledger.note(
                WARNING, "other-prof", f"{path.name} is left out: another PROF directory of the run is read"
            )
        self._note_missing()
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
            run.ledger.note(WARNING, "no-clock", f"nothing of the PROF directory is read: {error}")
            return
        calls = CallPart(run, self.names, self._host_events, clock, self.pid)
        graphs = GraphPart(run, calls)
        host = HostTasks(run, self.names, calls, graphs, self._describer)
        host.load_points()
        graphs.load()
        calls.load()
        host.load()
        device = DevicePart(run, self.names, host)
        device.load()
        comm = self._comm = CommPart(run, self.names, calls, host, device)
        comm.load()
        self._describe(host, device)
        frequencies = Frequencies(run, device.clocks)
        frequencies.load()
        self.metrics = MetricPart(run, host, device, frequencies)
        self.metrics.load()
        self.counters = CounterPart(run, device, frequencies)
        self.counters.load()
        aicpu = AicpuPart(run, device)
        aicpu.load()
        caches = CachePart(run, device)
        caches.load()
        marks = MarkPart(run, self.names, calls, self.pid)
        marks.load()
        self._load_engine_memory(calls)
        self.streams = {
            "kernel": lambda: self._describer.kernels(self._kernels.batches()),
            "launch": device.launches.batches,
            "graph_run": device.graph_runs,
            "device_event": device.events.batches,
            "memory_copy": device.memory_copies,
            "comm_task": comm.tasks,
            "task_metrics": self.metrics.tasks,
            "aicpu_task": aicpu.tasks,
            "data_queue": aicpu.queues,
            "cache_rate": caches.rates,
            "mark": marks.marks,
            "module_memory": self.counters.module_memory,
            "device_memory": self.counters.device_memory,
        }

    def group_hashes(self) -> dict[str, str]:
        """Name of an operation -> the number that stands for its group, for one operation a group."""
        return {} if self._comm is None else self._comm.group_hashes()

    def _note_missing(self) -> None:
        streams = {stream for device in self._run.files.devices for stream in device.streams}
        for stream, what in (("stars_soc", "no device tasks"), ("api_event", "no CANN calls")):
            if stream not in (streams if stream == "stars_soc" else self._run.files.host):
                self._run.ledger.note(INFO, "no-stream", f"{what}: the PROF directory has no {stream} data")

    def _describe(self, host: HostTasks, device: DevicePart) -> None:
        """Descriptions of what ran, under the numbers of their tasks."""
        ran = device.operators.batches()
        kept: pa.RecordBatch | None = next(ran, None)
        for operators in host.operators.batches():
            (row,) = numbers(operators, "row")
            descriptor = np.full(len(row), -1, np.int64)
            while kept is not None:
                (known,) = numbers(kept, "row")
                count = int(np.searchsorted(known, row[-1], side="right"))
                place = np.searchsorted(row, known[:count])
                descriptor[place] = kept.column("descriptor").to_numpy()[:count]
                if count < kept.num_rows:
                    kept = kept.slice(count)
                    break
                kept = next(ran, None)
            found = with_columns(operators, {"descriptor": descriptor})
            self._kernels.add(found.filter(pa.array(descriptor >= 0)))
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

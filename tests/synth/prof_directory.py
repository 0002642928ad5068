"""A PROF directory of one process on one device: dictionaries, host streams, device streams."""

import struct

from . import codes, host_records
from .configuration import write_configuration
from .device_records import DeviceLog, counters_of
from .slices import SliceFiles
from .truth import Truth

STREAM, COMM_STREAM, COMM_STREAM_2, GRAPH_STREAM = 2, 5, 6, 37


class ProfDirectory:
    """Takes what a program does, in moments of the clock, and writes it as records.

    level: profLevel, "l0" or "l1".  pmu: counters a task; pmu_named: the configuration says so.
    runtime: calls of the runtime are recorded.
    """

    def __init__(
        self, folder, device, clock, tid, level="l1", pmu=True, pmu_named=True, runtime=True, identity=None, truth=None
    ):
        self.folder, self.device, self.clock, self.tid = folder, device, clock, tid
        self.level, self.pmu, self.pmu_named, self.runtime, self.identity = level, pmu, pmu_named, runtime, identity
        self.truth = truth or Truth(clock)
        self.files = SliceFiles()
        self.host = folder / "host" / "data"
        self.device_folder = folder / f"device_{device}" / "data"
        self.log = DeviceLog(self.files, self.device_folder, device, clock)
        self.type_names = dict(codes.TYPE_NAMES)
        self.strings, self.hashes = {}, {}  # hash -> text, text -> hash
        self.calls = {}  # name -> type number
        self.next_task = {}  # stream -> next task id
        self.idle_from = {}  # stream -> moment from which it is idle

    def text(self, value):
        """Hash of a text."""
        if value not in self.hashes:
            self.hashes[value] = codes.fnv_hash(value)
            self.strings[self.hashes[value]] = value
        return self.hashes[value]

    def acl(self, name, first=codes.ACL_NN_FIRST):
        """Type number of a library call, allocated on first use."""
        if name not in self.calls:
            number = self.calls[name] = first + len(self.calls)
            self.type_names[codes.L_ACL, number] = name
        return self.calls[name]

    def task_id(self, stream):
        value = self.next_task.get(stream, 0)
        self.next_task[stream] = value + 1
        return value

    # --- host --------------------------------------------------------------------------------------------------------
    def record(self, name, record, retention="aging"):
        self.files.add(self.host, f"{retention}.{name}", record)

    def call(self, level, kind, begin, end, item=0, tid=None, op=None):
        """item: hash of a name.  op: on whose behalf."""
        if level == codes.L_RUNTIME and not self.runtime:
            return
        tid, ticks = self.tid if tid is None else tid, self.clock.host
        self.record("api_event.data", host_records.call(level, kind, tid, ticks(begin), ticks(end), item))
        name = self.type_names[level, kind]
        self.truth.call(codes.LEVELS[level], name, tid, begin, end, self.strings.get(item), op)

    def compact(self, name, level, kind, moment, payload, tid=None, retention="aging"):
        tid = self.tid if tid is None else tid
        record = host_records.compact(level, kind, tid, self.clock.host(moment), payload)
        self.record(f"compact.{name}", record, retention)

    def additional(self, name, level, kind, moment, payload, tid=None, retention="aging"):
        tid = self.tid if tid is None else tid
        record = host_records.additional(level, kind, tid, self.clock.host(moment), payload)
        self.record(f"additional.{name}", record, retention)

    def track(self, moment, stream, task, kind, kernel=0, tid=None, op=None):
        """A task is launched.  kernel: hash of its symbol.  Returns the launch."""
        self._track(moment, stream, task, kind, kernel, tid, 0)
        symbol = self.strings.get(kernel)
        launch = self.truth.launch(stream, task, self.type_names[codes.L_RUNTIME, kind], symbol, op)
        if stream == GRAPH_STREAM:
            self.truth.capture(launch)
        return launch

    def _track(self, moment, stream, task, kind, kernel, tid, batch):
        payload = host_records.task_track(self.device, stream, task, batch, kind, kernel)
        self.compact("task_track", codes.L_RUNTIME, codes.RT_TASK_TRACK, moment, payload, tid)

    def copy_info(self, moment, size, most=64 << 20, tid=None):
        """What a copy moves, and what one copy of the device moves at most."""
        payload = host_records.copy_info(size, most, 1)
        self.compact("memcpy_info", codes.L_RUNTIME, codes.RT_MEMCPY_INFO, moment, payload, tid)

    # --- device ------------------------------------------------------------------------------------------------------
    def when_idle(self, stream, moment):
        return max(moment, self.idle_from.get(stream, 0))

    def run(self, stream, task, sqe, earliest, duration, core=None):
        """A task when its stream is idle, with PMU counters if it names a core; its begin and end."""
        begin = self.when_idle(stream, earliest)
        end = begin + duration
        cycles = int(duration * 1.65) * 20 if core is not None and self.pmu else None
        self.ran(stream, task, sqe, begin, end, cycles)
        if cycles:
            self.log.task_pmu(stream, task, core == "aiv", cycles, counters_of(cycles), begin, end)
        return begin, end

    def ran(self, stream, task, sqe, begin, end, cycles=None):
        """A task from begin to end."""
        self.idle_from[stream] = self.when_idle(stream, end + 300)
        self.log.task(stream, task, sqe, begin, end)
        self.truth.task(stream, task, begin, end, cycles)

    def run_mixed(self, stream, task, earliest, duration, cycles, blocks):
        """A mixed kernel of the cube and vector cores, with another range inside its own.  cycles: None, no PMU."""
        begin = self.when_idle(stream, earliest)
        end = begin + duration
        self.ran(stream, task, codes.SQE_AICORE, begin, end)
        begin, end = begin + 200, end - 200
        self.log.part(stream, task, 0, begin, end)
        self.truth.task(stream, task, begin, end, cycles, is_part=True)
        if cycles:
            self.log.mixed_pmu(stream, task, 0, begin, end, cycles, counters_of(cycles), blocks)

    def run_on_cpu(self, stream, task, earliest, duration):
        """A kernel of the AI CPU with its record."""
        begin, end = self.run(stream, task, codes.SQE_AICPU, earliest, duration)
        payload = host_records.aicpu_node(stream, task, self.device, begin, end, self.clock.dev)
        record = host_records.additional(codes.L_AICPU, 0, 77, self.clock.dev(end), payload)
        self.files.add(self.device_folder, f"aicpu.data.{self.device}", record)
        return begin, end

    def flip(self, moment, stream, number, tid=None):
        """The task ids of a stream begin anew; 0xFFFF: it was the stream of a graph that is gone."""
        self._track(moment, stream, 0, codes.T_FLIP, 0, tid, number)
        self.log.flip(stream, 0, number, moment)
        self.next_task[stream] = 0

    def sample_memory(self, moment):
        """Counters of memory.  npu_mem and hbm count us since dev_start (version "1.0"); npu_module_mem has ticks of
        the host although it lies in the folder of the device."""
        for number in range(4):
            at = moment + number * 1_000
            time_us = at // 1000 + number
            for event in (0, 1):
                usage = struct.pack("<IIQQQ", time_us & 0xFFFFFFFF, event, 0, 0, (64 + number) << 20)
                self.device_file("npu_mem", usage)
                self.device_file("hbm", struct.pack("<QQII", time_us, 1000 + number, event, number % 2))
            module = struct.pack("<IIQQ", 7, 0, self.clock.host(at), (32 + number) << 20)
            self.device_file("npu_module_mem", module)
            self.truth.sample("module", at, (32 + number) << 20)
            size, allocated = (4096, 4096) if number % 2 == 0 else (-4096, 0)
            name = self.text("aclnnAdd_AddAiCore_Add")
            payload = host_records.task_memory(0xABC000, size, name, allocated, 1 << 20, self.device)
            self.additional("task_memory_info", codes.L_NODE, codes.NODE_MEM, at, payload)
            if size > 0:
                self.truth.allocate("GE", at, size, 0xABC000, allocated)
            else:
                self.truth.release("GE", at, 0xABC000)

    def device_file(self, name, record):
        self.files.add(self.device_folder, f"{name}.data.{self.device}", record)

    # --- the end -----------------------------------------------------------------------------------------------------
    def close(self, moment, slices):
        """Write the dictionaries, cut the streams into slices, write the configuration."""
        self.log.flush()
        for name, lines in (
            ("type_info_dic", [f"{level}_{kind}:{text}" for (level, kind), text in self.type_names.items()]),
            ("hash_dic", [f"{number}:{text}" for number, text in self.strings.items()]),
        ):
            text = "".join(f"{line}\n" for line in lines)
            self.files.add(self.host, f"unaging.additional.{name}", text.encode())
        self.files.close(slices)
        for folder, device in (("host", None), (f"device_{self.device}", self.device)):
            write_configuration(
                self.folder / folder, self.clock, self.level, moment + 2_000_000, device, self.identity, self.pmu_named
            )

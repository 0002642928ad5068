"""A small raw run directory, record by record.

The host's counter runs at 100 MHz, the device's at 50: both are 0 at `MONOTONIC_NS`, and `at` gives the wall clock.
"""

from __future__ import annotations

import json
from pathlib import Path

from synth import codes, device_records, framework_records, host_records
from synth.clock import Clock
from synth.configuration import configuration

PID, MAIN, QUEUE = 700, 701, 709
MONOTONIC_NS = 5_000_000_000
WALL_NS = 1_700_000_000_000_000_000  # at MONOTONIC_NS
PROF = "PROF_000001_20231125090304041_ABCDEFGH"
RUN = f"node0_{PID}_20231125090304041_ascend_pt"
ACL, NODE, COMMUNICATION, RUNTIME = codes.L_ACL, codes.L_NODE, codes.L_COMM, codes.L_RUNTIME
LAUNCH, COPY_API = codes.NODE_LAUNCH, codes.ACL_RT_MEMCPY
KERNEL_AICORE, KERNEL_AIVEC, MEMCPY_ASYNC, FLIP = codes.T_AICORE, codes.T_AIVEC, codes.T_MEMCPY, codes.T_FLIP


class ZeroClock(Clock):
    """All counters are 0 at the synchronisation point."""

    def __init__(self) -> None:
        super().__init__()
        self.wall_us, self.mono_ns, self.sync_mono_ns = WALL_NS // 1000, MONOTONIC_NS, MONOTONIC_NS
        self.host_cnt = self.dev_cnt = 0


CLOCK = ZeroClock()
host_ticks, device_ticks = CLOCK.host, CLOCK.dev


def at(time_ns: int) -> int:
    """ns since the beginning of the recording as ns since the epoch."""
    return WALL_NS + time_ns


class Run:
    """Collects the records of a run; `write` makes its files.

    >>> run = Run()
    >>> run.op("aten::add", 100, 900)
    >>> run.files["FRAMEWORK/torch.op_range"][:2]
    b'\\x01\\x00'
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.hashes: dict[str, int] = {}
        self.types = {
            (NODE, LAUNCH): "launch",
            (ACL, COPY_API): "aclrtMemcpyAsync",
            (RUNTIME, KERNEL_AICORE): "KERNEL_AICORE",
            (RUNTIME, KERNEL_AIVEC): "KERNEL_AIVEC",
            (RUNTIME, MEMCPY_ASYNC): "MEMCPY_ASYNC",
            (RUNTIME, FLIP): "FLIP_TASK",
            (ACL, codes.ACL_GRAPH_EXEC): "aclmdlRIExecuteAsync",
            (RUNTIME, codes.T_MODEL_EXECUTE): "MODEL_EXECUTE",
        }
        self.log: list[tuple[int, bytes]] = []
        self.sample: dict[str, object] = {}  # replaces keys of sample.json
        self.identity: dict[str, object] = {"pid": str(PID), "hostname": "node0"}  # replaces keys of info.json

    def add(self, name: str, data: bytes) -> None:
        self.files[name] = self.files.get(name, b"") + data

    # --- FRAMEWORK ---------------------------------------------------------------------------------------------------
    def op(
        self, name: str, start: int, end: int, tid: int = MAIN, sequence: int = -1, shapes: str = "", modules: str = ""
    ) -> None:
        text = framework_records.text
        texts = text(2, name) + (text(3, "float;float") + text(4, shapes) if shapes else b"")
        texts += text(9, modules) if modules else b""
        ticks = host_ticks(start), host_ticks(end)
        self.add("FRAMEWORK/torch.op_range", framework_records.op(*ticks, sequence, PID, tid, 0, 0, texts))

    def mark(self, category: int, time: int, number: int, tid: int, name: str) -> None:
        text = framework_records.text(1, name)
        self.add("FRAMEWORK/torch.op_mark", framework_records.mark(host_ticks(time), category, number, tid, PID, text))

    def queued(self, name: str, number: int, enqueue: tuple[int, int], dequeue: tuple[int, int]) -> None:
        for category, time in enumerate((*enqueue, *dequeue)):
            self.mark(category, time, number if category else 0, MAIN if category < 2 else QUEUE, name)

    def memory(self, time: int, address: int, size: int, total: int, action: int, tid: int = MAIN) -> None:
        totals = (total, 1 << 20, total)
        record = framework_records.memory(address, host_ticks(time), size, totals, 2, 0, 0, action, tid, PID)
        self.add("FRAMEWORK/torch.memory_usage", record)

    def python(self, time: int, key: int, tag: int) -> None:
        record = framework_records.python_call(host_ticks(time), MAIN, PID, key, tag)
        self.add("FRAMEWORK/torch.python_tracer_func", record)

    def python_name(self, key: int, text: str) -> None:
        self.add("FRAMEWORK/torch.python_tracer_hash", framework_records.python_name(key, text))

    # --- host of PROF ------------------------------------------------------------------------------------------------
    def hash(self, text: str) -> int:
        return self.hashes.setdefault(text, 1000 + len(self.hashes))

    def stream(self, name: str, record: bytes, retention: str = "aging") -> None:
        self.add(f"{PROF}/host/data/{retention}.{name}.slice_0", record)

    def call(self, level: int, type_: int, start: int, end: int, item: str = "", tid: int = QUEUE) -> None:
        number = self.hash(item) if item else 0
        record = host_records.call(level, type_, tid, host_ticks(start), host_ticks(end), number)
        self.stream("api_event.data", record)

    def acl(self, name: str) -> int:
        """Type number of a call of the operator library."""
        number = 0x50001 + len(self.types)
        self.types.setdefault((ACL, number), name)
        return number

    def compact(self, name: str, level: int, type_: int, time: int, payload: bytes, tid: int = QUEUE) -> None:
        self.stream(f"compact.{name}", host_records.compact(level, type_, tid, host_ticks(time), payload))

    def track(
        self, time: int, stream: int, task: int, kind: int, flip: int = 0, tid: int = QUEUE, symbol: str = ""
    ) -> None:
        payload = host_records.task_track(0, stream, task, flip, kind, self.hash(symbol) if symbol else 0)
        self.compact("task_track", RUNTIME, codes.RT_TASK_TRACK, time, payload, tid)

    def basic(self, time: int, name: str, op_type: str, core: int = codes.GE_AIV, blocks: int = 40) -> None:
        payload = host_records.node_basic(self.hash(name), core, self.hash(op_type), blocks)
        self.compact("node_basic_info", NODE, codes.NODE_BASIC, time, payload)

    def tensors(self, time: int, name: str, *dims: tuple[int, ...]) -> None:
        """FLOAT tensors in ND, the last of them the output."""
        last = len(dims) - 1
        tensors = [(int(place == last), codes.FMT_ND, codes.DT_FLOAT, shape) for place, shape in enumerate(dims)]
        for payload in host_records.tensor_info(self.hash(name), tensors):
            record = host_records.additional(NODE, codes.NODE_TENSOR, QUEUE, host_ticks(time), payload)
            self.stream("additional.tensor_info", record)

    def copy_info(self, time: int, size: int, direction: int) -> None:
        payload = host_records.copy_info(size, 1 << 20, direction)
        self.compact("memcpy_info", RUNTIME, codes.RT_MEMCPY_INFO, time, payload)

    def captured(self, time: int, model: int, stream: int, original: int = 2) -> None:
        """A stream becomes one of a graph."""
        payload = host_records.capture_stream(0, stream, original, model, 0)
        self.compact("capture_stream_info", RUNTIME, codes.RT_CAPTURE_STREAM, time, payload)

    def destroyed(self, time: int, model: int) -> None:
        payload = host_records.capture_stream(1, 0xFFFF, 0xFFFF, model, 0)
        self.compact("capture_stream_info", RUNTIME, codes.RT_CAPTURE_STREAM, time, payload)

    def described(self, time: int, model: int, stream: int, task: int, name: str, op_type: str) -> None:
        """What the runtime cached of a captured operator."""
        texts = (self.hash(name), self.hash(op_type), 0)
        payload = host_records.captured_op(model, 0, stream, task, codes.GE_AIV, 8, *texts, 0, [(0, 2, 0, (4, 8))])
        record = host_records.additional(RUNTIME, codes.RT_OP_INFO, QUEUE, host_ticks(time), payload)
        self.stream("additional.capture_op_info", record, "unaging")

    def executed(self, start: int, task: int, run: tuple[int, int], stream: int = 2) -> None:
        """A call that executes a graph, and its task on its own stream."""
        self.call(ACL, codes.ACL_GRAPH_EXEC, start, start + 1_000, tid=MAIN)
        self.track(start + 500, stream, task, codes.T_MODEL_EXECUTE, tid=MAIN)
        self.task(stream, task, codes.SQE_NOTIFY_WAIT, *run)

    # --- device of PROF ----------------------------------------------------------------------------------------------
    def task(self, stream: int, task: int, sqe: int, start: int, end: int) -> None:
        for function, time in ((device_records.BEGIN, start), (device_records.END, end)):
            head = device_records.head(function, 0, sqe)
            self.log.append((time, head + device_records.log_tail(stream, task, device_ticks(time))))

    def part(self, stream: int, task: int, start: int, end: int) -> None:
        """The inner range of a mixed kernel."""
        for function, time in ((device_records.PART_BEGIN, start), (device_records.PART_END, end)):
            where = (stream, task, device_ticks(time), codes.SUB_MIX_AIC, 0, device_records.MIXED)
            head = device_records.head(function, 0, codes.SQE_AICORE)
            self.log.append((time, head + device_records.log_tail(*where)))

    def pmu(self, stream: int, task: int, cycles: int, start: int, end: int, is_cube: bool = False) -> None:
        counters, ticks = device_records.counters_of(cycles), (device_ticks(start), device_ticks(end))
        tail = device_records.task_pmu_tail(stream, task, int(not is_cube), cycles, counters, *ticks)
        self.device_stream("ffts_profile.data", device_records.head(device_records.TASK_PMU) + tail)

    def device_stream(self, name: str, record: bytes) -> None:
        self.add(f"{PROF}/device_0/data/{name}.0.slice_0", record)

    def flip(self, time: int, stream: int, task: int, number: int) -> None:
        record = device_records.flip_record(device_ticks(time), stream, task, number)
        self.device_stream("ts_track.data", record)

    # --- the whole ---------------------------------------------------------------------------------------------------
    def launch(
        self, name: str, op_type: str, start: int, task: int, run: tuple[int, int], stream: int = 2, symbol: str = "",
        cube_cycles: int = 0,
    ) -> None:  # fmt: skip
        """One operator in a dequeue that begins at `start`: calls, task, descriptions, what the device did."""
        self.call(ACL, self.acl(f"aclnn{op_type}"), start + 100, start + 900)
        self.call(NODE, LAUNCH, start + 200, start + 800, name)
        kind, core, sqe = (KERNEL_AICORE, codes.GE_AI_CORE, 0) if cube_cycles else (KERNEL_AIVEC, codes.GE_AIV, 2)
        self.track(start + 400, stream, task, kind, symbol=symbol)
        self.basic(start + 600, name, op_type, core)
        self.tensors(start + 600, name, (4, 8), (8,), (4, 8))
        self.task(stream, task, sqe, *run)
        self.pmu(stream, task, cube_cycles or 66_000, *run, bool(cube_cycles))

    def write(self, folder: Path) -> Path:
        """Make the run directory below `folder`."""
        root = folder / RUN
        for name, data in {**self.files, **self._derived()}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root

    def _derived(self) -> dict[str, bytes]:
        """Dictionaries, the device's log in order of time, and the configuration."""
        profiler = {
            "config": {"experimental_config": {"_profiler_level": "Level1"}},
            "start_info": {"syscnt_enable": True, "freq": 100, "start_cnt": 0, "start_monotonic": MONOTONIC_NS},
            "end_info": {"collectionTimeEnd": WALL_NS, "MonotonicTimeEnd": MONOTONIC_NS},
            "rank_id": 0,
        }
        made = {"profiler_info_0.json": json.dumps(profiler).encode()}
        if not any(name.startswith(PROF) for name in self.files) and not self.log:
            return made
        texts = "".join(f"{number}:{text}\n" for text, number in self.hashes.items())
        types = "".join(f"{level}_{number}:{name}\n" for (level, number), name in self.types.items())
        host_data = f"{PROF}/host/data/unaging.additional"
        made |= {f"{host_data}.hash_dic.slice_0": texts.encode(), f"{host_data}.type_info_dic.slice_0": types.encode()}
        if self.log:
            log = b"".join(record for _, record in sorted(self.log, key=lambda item: item[0]))
            made[f"{PROF}/device_0/data/stars_soc.data.0.slice_0"] = log
        for folder, device in (("host", None), ("device_0", 0)):
            texts = configuration(CLOCK, "l1", 990_000_000, device, self.identity)
            texts["sample.json"] = json.dumps({**json.loads(texts["sample.json"]), **self.sample})
            made |= {f"{PROF}/{folder}/{name}": text.encode() for name, text in texts.items()}
        return made


def small_run() -> Run:
    """Two operators through the task queue and a copy, one step, an allocation, two Python frames."""
    run = Run()
    run.op("ProfilerStep#4", 1_000, 90_000)
    run.op("aten::add", 2_000, 6_000, shapes="4,8;8")
    run.op("aclnnAdd", 3_000, 5_500)
    run.queued("aclnnAdd", 0, (3_500, 5_000), (6_000, 7_000))
    run.launch("aclnnAdd_Add_Add", "Add", 6_000, 0, (8_000, 12_000))
    run.op("aten::mul", 12_000, 16_000, shapes="4,8;8")
    run.op("aclnnMul", 13_000, 15_500)
    run.queued("aclnnMul", 1, (13_500, 15_000), (16_000, 17_000))
    run.launch("aclnnMul_Mul_Mul", "Mul", 16_000, 1, (18_000, 24_000))
    run.op("aten::copy_", 30_000, 34_000)
    run.op("acl_memcpy_host_to_device", 31_000, 33_500)
    run.queued("acl_memcpy_host_to_device", 2, (31_500, 33_000), (34_000, 36_000))
    run.call(ACL, COPY_API, 34_200, 35_800)
    run.track(35_000, 2, 2, MEMCPY_ASYNC)
    run.copy_info(35_000, 4096, 1)
    run.task(2, 2, 11, 37_000, 39_000)
    run.memory(2_500, 0x1000, 512, 512, 0)
    run.memory(40_000, 0x1000, -512, 0, 1)
    run.python_name(11, "train.py(3): main")
    run.python_name(12, "Linear######4096")
    for time, key, tag in ((500, 11, 0), (1_900, 12, 0), (6_500, 99, 1), (95_000, 99, 1)):
        run.python(time, key, tag)
    return run

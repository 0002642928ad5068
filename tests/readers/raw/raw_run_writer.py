"""A small raw run directory, byte by byte from the tables of the formats: framework-files.md 2, cann-files.md 4 and 5.

The host's counter runs at 100 MHz, the device's at 50: both are 0 at `MONOTONIC_NS`, and `at` gives the wall clock.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

PID, MAIN, QUEUE = 700, 701, 709
MONOTONIC_NS = 5_000_000_000
WALL_NS = 1_700_000_000_000_000_000  # at MONOTONIC_NS
PROF = "PROF_000001_20231125090304041_ABCDEFGH"
RUN = f"node0_{PID}_20231125090304041_ascend_pt"
MAGIC, STARS = 0x5A5A, 0x6BD3
ACL, NODE, COMMUNICATION, RUNTIME = 20000, 10000, 5500, 5000
LAUNCH, COPY_API, KERNEL_AIVEC, MEMCPY_ASYNC, FLIP = 5, 0x30001, 66, 5, 98
EVENTS = "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55"


def at(time_ns: int) -> int:
    """ns since the beginning of the recording as ns since the epoch."""
    return WALL_NS + time_ns


def host_ticks(time_ns: int) -> int:
    return time_ns // 10


def device_ticks(time_ns: int) -> int:
    return time_ns // 20


def tlv(tag: int, value: bytes) -> bytes:
    return struct.pack("<HI", tag, len(value)) + value


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
            (RUNTIME, KERNEL_AIVEC): "KERNEL_AIVEC",
            (RUNTIME, MEMCPY_ASYNC): "MEMCPY_ASYNC",
            (RUNTIME, FLIP): "FLIP_TASK",
        }
        self.log: list[tuple[int, bytes]] = []

    def add(self, name: str, data: bytes) -> None:
        self.files[name] = self.files.get(name, b"") + data

    # --- FRAMEWORK ---------------------------------------------------------------------------------------------------
    def op(
        self, name: str, start: int, end: int, tid: int = MAIN, sequence: int = -1, shapes: str = "", modules: str = ""
    ) -> None:
        fixed = struct.pack("<3q4QB?", host_ticks(start), host_ticks(end), sequence, PID, tid, tid, 0, 0, False)
        texts = tlv(2, name.encode()) + (tlv(3, b"float;float") + tlv(4, shapes.encode()) if shapes else b"")
        texts += tlv(9, modules.encode()) if modules else b""
        self.add("FRAMEWORK/torch.op_range", tlv(1, fixed + texts))

    def mark(self, category: int, time: int, number: int, tid: int, name: str) -> None:
        fixed = struct.pack("<q4Q", host_ticks(time), category, number, tid, PID)
        self.add("FRAMEWORK/torch.op_mark", tlv(2, fixed + tlv(1, name.encode())))

    def queued(self, name: str, number: int, enqueue: tuple[int, int], dequeue: tuple[int, int]) -> None:
        for category, time in enumerate((*enqueue, *dequeue)):
            self.mark(category, time, number if category else 0, MAIN if category < 2 else QUEUE, name)

    def memory(self, time: int, address: int, size: int, total: int, action: int, tid: int = MAIN) -> None:
        fields = (address, host_ticks(time), size, total, 1 << 20, total, 2, 20, 0, 0, action, 0, tid, PID)
        self.add("FRAMEWORK/torch.memory_usage", tlv(3, struct.pack("<7q2b3B2Q", *fields)))

    def python(self, time: int, key: int, tag: int) -> None:
        self.add("FRAMEWORK/torch.python_tracer_func", struct.pack("<4QB", host_ticks(time), MAIN, PID, key, tag))

    def python_name(self, key: int, text: str) -> None:
        self.add("FRAMEWORK/torch.python_tracer_hash", tlv(4, struct.pack("<Q", key) + tlv(1, text.encode())))

    # --- host of PROF ------------------------------------------------------------------------------------------------
    def hash(self, text: str) -> int:
        return self.hashes.setdefault(text, 1000 + len(self.hashes))

    def stream(self, name: str, record: bytes, retention: str = "aging") -> None:
        self.add(f"{PROF}/host/data/{retention}.{name}.slice_0", record)

    def call(self, level: int, type_: int, start: int, end: int, item: str = "", tid: int = QUEUE) -> None:
        fields = (MAGIC, level, type_, tid, 0, host_ticks(start), host_ticks(end), self.hash(item) if item else 0)
        self.stream("api_event.data", struct.pack("<HHIIIQQQ", *fields))

    def acl(self, name: str) -> int:
        """Type number of a call of the operator library."""
        number = 0x50001 + len(self.types)
        self.types.setdefault((ACL, number), name)
        return number

    def head(self, level: int, type_: int, time: int, size: int, tid: int = QUEUE) -> bytes:
        return struct.pack("<HHIIIQ", MAGIC, level, type_, tid, size, host_ticks(time))

    def track(self, time: int, stream: int, task: int, kind: int, flip: int = 0, tid: int = QUEUE) -> None:
        body = struct.pack("<HHHHQQ", 0, stream, task, flip, kind, 0)
        self.stream("compact.task_track", (self.head(RUNTIME, 800, time, 24, tid) + body).ljust(64, b"\0"))

    def basic(self, time: int, name: str, op_type: str, core: int = 2, blocks: int = 40) -> None:
        body = struct.pack("<QIQII", self.hash(name), core, self.hash(op_type), blocks, 0)
        self.stream("compact.node_basic_info", (self.head(NODE, 0, time, 28) + body).ljust(64, b"\0"))

    def tensors(self, time: int, name: str, *dims: tuple[int, ...]) -> None:
        """FLOAT tensors in ND, the last of them the output."""
        body = struct.pack("<QI", self.hash(name), len(dims))
        for place, shape in enumerate(dims):
            body += struct.pack("<III8I", int(place == len(dims) - 1), 2, 0, *shape, *([0] * (8 - len(shape))))
        self.stream("additional.tensor_info", (self.head(NODE, 1, time, len(body)) + body).ljust(256, b"\0"))

    def copy_info(self, time: int, size: int, direction: int) -> None:
        body = struct.pack("<QQH", size, 1 << 20, direction)
        self.stream("compact.memcpy_info", (self.head(RUNTIME, 801, time, 18) + body).ljust(64, b"\0"))

    # --- device of PROF ----------------------------------------------------------------------------------------------
    def task(self, stream: int, task: int, sqe: int, start: int, end: int) -> None:
        for function, time in ((0, start), (1, end)):
            head = struct.pack("<HHHHQ", function | sqe << 10, STARS, stream, task, device_ticks(time))
            self.log.append((time, head.ljust(64, b"\0")))

    def pmu(self, stream: int, task: int, cycles: int, start: int, end: int) -> None:
        counters = [cycles // part for part in (10, 2, 20, 8, 4, 16, 1000, 1200)]
        head = struct.pack("<HHHHQHHHHQQQ", 0x28, STARS, stream, task, 0, 1, 0, 1 << 13, 0, 0, cycles, 0)
        body = struct.pack("<8Q2Q", *counters, device_ticks(start), device_ticks(end))
        self.device_stream("ffts_profile.data", head + body)

    def device_stream(self, name: str, record: bytes) -> None:
        self.add(f"{PROF}/device_0/data/{name}.0.slice_0", record)

    def flip(self, time: int, stream: int, task: int, number: int) -> None:
        record = struct.pack("<BBHIQHHHH16x", 0, 0x0E, 0, 0, device_ticks(time), stream, number, 0, task)
        self.device_stream("ts_track.data", record)

    # --- the whole ---------------------------------------------------------------------------------------------------
    def launch(self, name: str, op_type: str, start: int, task: int, run: tuple[int, int], stream: int = 2) -> None:
        """One operator in a dequeue that begins at `start`: calls, task, descriptions, what the device did."""
        self.call(ACL, self.acl(f"aclnn{op_type}"), start + 100, start + 900)
        self.call(NODE, LAUNCH, start + 200, start + 800, name)
        self.track(start + 400, stream, task, KERNEL_AIVEC)
        self.basic(start + 600, name, op_type)
        self.tensors(start + 600, name, (4, 8), (8,), (4, 8))
        self.task(stream, task, 2, *run)
        self.pmu(stream, task, 66_000, *run)

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
        for folder, suffix in (("host", ""), ("device_0", ".0")):
            made |= {f"{PROF}/{folder}/{name}{suffix}": data for name, data in _configuration(folder).items()}
            sample = {"profLevel": "l1", "ai_core_metrics": "PipeUtilization", "aiv_metrics": "PipeUtilization"}
            sample |= {"ai_core_profiling_events": EVENTS, "aiv_profiling_events": EVENTS}
            made[f"{PROF}/{folder}/sample.json"] = json.dumps(sample).encode()
        return made


def _configuration(folder: str) -> dict[str, bytes]:
    device_info = {"hwts_frequency": "50.000000", "aic_frequency": "1650", "aiv_frequency": "1650"}
    info = {
        "version": "1.0", "drvVersion": 467732, "platform_version": "5", "pid": str(PID), "hostname": "node0",
        "hostUid": "123", "CPU": [{"Frequency": "100.000000"}],
        "DeviceInfo": [{**device_info, "ai_core_num": 24, "aiv_num": 48}] if folder != "host" else [],
    }  # fmt: skip
    begin = {"collectionTimeBegin": str(WALL_NS // 1000), "clockMonotonicRaw": str(MONOTONIC_NS)}
    log = f"clock_realtime:{WALL_NS}\nclock_monotonic_raw:{MONOTONIC_NS}\ncntvct:0\ncntvct_diff:0\n"
    made = {
        "info.json": json.dumps(info).encode(),
        "start_info": json.dumps(begin).encode(),
        "end_info": json.dumps({"collectionTimeEnd": str(WALL_NS // 1000 + 1_000_000)}).encode(),
        "host_start.log": f"[Host]\n{log}".encode(),
    }
    if folder != "host":
        made["dev_start.log"] = log.encode()
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

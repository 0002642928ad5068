"""The forms of all records that give one row each."""

from __future__ import annotations

import random

from prof_records import STARS_HEAD, U16, Form, Row, additional, aicpu, bits, compact, device_ids, level


def _function(number: int):
    return lambda rng: number | rng.getrandbits(10) << 6


def _ids(row: Row) -> Row:
    stream, task = device_ids(row["stream"], row["task"])
    return {"stream": stream, "task": task}


def _track(row: Row) -> Row:
    """dataLen 40: the end of a task_track record holds something."""
    if row["data_size"] != 40:
        rest = ["block_count", "args_size", "core_ratio", "schedule_mode", "simt_args_size"]
        rest += [f"simt_{name}_{axis}" for name in ("grid", "block") for axis in range(3)]
        return {**_track_ids(row), **dict.fromkeys(rest, -1)}
    words = [
        row["block_count"],
        row["args_size"],
        row["_flags14"] | row["_15"] << 8,
        row["_16"],
        row["_17"],
        row["_18"],
    ]
    return {
        **_track_ids(row),
        "core_ratio": bits(row["_flags14"], 0, 3),
        "schedule_mode": bits(row["_flags14"], 3, 2),
        **{f"simt_grid_{axis}": words[axis] for axis in range(3)},
        **{f"simt_block_{axis}": words[3 + axis] for axis in range(3)},
    }


def _track_ids(row: Row) -> Row:
    return {"device": bits(row["device"], 0, 12), "device_kind": bits(row["device"], 12, 4)}


def _hccl_flags(row: Row) -> Row:
    return {"relay": row["relay"] & 1, "retry": row["relay"] >> 1 & 1}


HOST = [
    Form(
        "api_event",
        "api",
        "HHIIIQQQ",
        "_magic level type thread request start end item",
        40,
        {
            "_magic": 0x5A5A,
            "level": level,
            "start": lambda rng: rng.randrange(1, 1 << 63),
            "end": lambda rng: rng.getrandbits(63),
        },
    ),
    Form(
        "api_event",
        "event",
        "HHIIIQQQ",
        "_magic level type thread request time _ item",
        40,
        {"_magic": 0x5A5A, "level": level, "request": U16, "_6": (1 << 64) - 1},
    ),
    compact("node_basic_info", "QIQHHI", "op_name task_type op_type block_count mix_ratio op_flag"),
    compact("node_attr_info", "QIQ", "op_name attr_type attr"),
    compact(
        "task_track",
        "HHHHQQ HHBBHHHH",
        "device stream task batch task_type kernel_name block_count args_size _flags _ _ _ _ simt_args_size",
        derive=_track,
        fixed={"data_size": lambda rng: rng.choice((24, 40))},
    ),
    compact("memcpy_info", "QQH", "size max_size direction"),
    compact("capture_stream_info", "HHHHH", "status model_stream original_stream model device"),
    compact("hccl_op_info", "BBQQQ", "relay data_type algorithm count group", derive=_hccl_flags),
    compact("dpu_track", "HHIIIQ", "device stream task task_type _ start", derive=_track_ids),
    Form("compact.expand_stream_spec", "expand_stream_spec", "HHIIIQB39x", "_ _ _ _ _ _ expand_status", 64),
    additional(
        "hccl_info",
        "3Q6IQ2Id3Q6I",
        "item tag group local_rank remote_rank rank_count work_flow_mode plane context notify "
        "stage role duration_estimated source_address target_address size op_type data_type link_type transport_type "
        "rdma_type _",
    ),
    additional("graph_id_map", "QII", "model_name graph model"),
    additional("task_memory_info", "QqQQQII", "address size op_name total_allocated total_reserved device device_type"),
    Form(
        "additional.memory_application",
        "memory_application",
        "HHIIIQ QQQQQBB",
        "_magic level type thread data_size time op_name address size total used device_type device",
        66,
        {"_magic": 0x5A5A, "level": level},
    ),
    additional("static_op_mem", "qQQQQQI", "size op_name life_start life_end total_allocated dynamic_op_name graph"),
    additional(
        "msproftx",
        "HHIHHIIIIiQQQQQi156s",
        "info_type _ _ _ tag process mark_thread category event_type payload_type payload "
        "start end mark domain message_type message",
    ),
]

AICPU = [
    aicpu(
        "aicpu_node",
        0,
        "HHIQQQQQQQIIQQQQIIIHB",
        "stream task _ run_start_time run_start compute_start_us copy_start_us copy_end_us "
        "run_end_time run_end cpu_thread device submit schedule before_run after_run kernel_type dispatch_us total_us "
        "ffts_thread version",
        derive=_ids,
    ),
    aicpu("aicpu_preprocess", 1, "16s64sQQ", "action source index size"),
    aicpu("aicpu_model", 2, "QIHHQ", "index model tag _ event"),
    aicpu("aicpu_queue", 3, "IIQQQ", "tag _ queue_size start_us end_us"),
    aicpu(
        "kfc_comm_turn",
        4,
        "8QIHHBBB",
        "server_start wait_message_start algorithm_start send_task_start send_sqe_end queue_end "
        "server_end size device stream task version turn_count turn",
        derive=_ids,
    ),
    aicpu(
        "kfc_compute_turn",
        5,
        "4QIHHBBB",
        "wait_compute_start compute_start compute_end size device stream task version turn_count turn",
        derive=_ids,
    ),
    aicpu(
        "device_hccl_op",
        10,
        "BBQQQIHI",
        "relay data_type algorithm count group rank_count stream task",
        derive=_hccl_flags,
    ),
    aicpu("aicpu_flip", 11, "HHI", "stream task flip", derive=_ids),
    aicpu(
        "master_stream_task",
        12,
        "HHHHH",
        "aicpu_stream aicpu_task stream task is_last",
        derive=lambda row: {
            **_ids(row),
            **dict(
                zip(("aicpu_stream", "aicpu_task"), device_ids(row["aicpu_stream"], row["aicpu_task"]), strict=True)
            ),
        },
    ),
]


def _soc(kind: str, function: int, payload: str, names: str, derive=None) -> Form:
    return Form(
        "stars_soc_profile",
        kind,
        STARS_HEAD + payload,
        f"_head _magic _ _ time {names}",
        64,
        {"_head0": _function(function), "_magic": 0x6BD3},
        derive,
    )


def _high(name: str):
    return lambda row: {name: bits(row["_head0"], 10, 6)}


def _swapped(row: Row) -> Row:
    samples = [row[f"sample_{index}"] for index in range(20)]
    return {"die": bits(row["_head0"], 10, 6), **{f"sample_{index}": samples[index ^ 1] for index in range(20)}}


def _context(row: Row) -> Row:
    return {
        **_ids(row),
        "sub_task_type": row["sub_task_type"] & 0xFF,
        "overflow": bits(row["sub_task_type"], 10, 1),
        "ffts_type": row["ffts_type"] >> 13,
    }


def _block(row: Row) -> Row:
    return {
        **_ids(row),
        "sub_task_type": row["sub_task_type"] & 0xFF,
        "core_type": row["core"] & 1,
        "core": row["core"] >> 1,
        "ffts_type": row["ffts_type"] >> 5,
    }


def _low_stream(row: Row) -> Row:
    return {"stream": row["stream"] & 0x7FF}


def _track_form(kind: str, function: int, payload: str, names: str) -> Form:
    return Form(
        "ts_track", kind, "BBHIQ" + payload, f"_ _function _ _ time {names}", 40, {"_function1": function}, _low_stream
    )


def _table(
    stream: str, kind: str, payload: str, names: str, size: int, fixed: Row | None = None, **options: object
) -> Form:
    return Form(stream, kind, payload, names, size, fixed or {}, None, options)


def _flag(rng: random.Random) -> int:
    return rng.getrandbits(1)


_PCIE = " ".join(
    f"{name}_{end}"
    for name in ("tx_post", "tx_nonpost", "tx_cpl", "tx_nonpost_latency", "rx_post", "rx_nonpost", "rx_cpl")
    for end in ("min", "max", "avg")
)

DEVICE = [
    _soc("sio", 0x19, "HH3I8I", "_ acc _ _ _ rx_req rx_rsp rx_snp rx_dat tx_req tx_rsp tx_snp tx_dat"),
    _soc("acc_pmu", 0x1A, "HH3I4Q", "_ acc _ _ _ read_bandwidth write_bandwidth read_outstanding write_outstanding"),
    _soc(
        "chip_transmission",
        0x1B,
        "HH3I2Q4I",
        "_ link _ _ _ value_0 value_1 _ _ _ _",
        lambda row: {"link_type": bits(row["_head0"], 10, 6), "link": row["link"] & 63},
    ),
    _soc(
        "inter_soc",
        0x1C,
        "4IHH7I",
        "_ _ _ _ _levels _ _ _ _ _ _ _ _",
        lambda row: {"buffer_level": bits(row["_levels9"], 3, 8), "mata_level": bits(row["_levels9"], 0, 3)},
    ),
    _soc("low_power", 0x1D, "Q20H", "_ sample*20", _swapped),
    _soc("qos", 0x18, "Q10I", "_ bandwidth*10", _high("die")),
    Form(
        "ffts_profile",
        "pmu_context",
        "HHHHQHHHHQQQ8QQQ",
        "_head _magic stream task _ sub_task_type context ffts_type _ _ total_cycles _ counter*8 start end",
        128,
        {"_head0": _function(0x28), "_magic": 0x6BD3},
        _context,
    ),
    Form(
        "ffts_profile",
        "pmu_block",
        "HHHHQHHBBHIHHQQ8QQQ",
        "_head _magic stream task _ sub_task_type context core ffts_type _ _ "
        "sub_block block total_cycles _ counter*8 start end",
        128,
        {"_head0": _function(0x29), "_magic": 0x6BD3},
        _block,
    ),
    _track_form("step_trace", 0x0A, "QQHHHH", "index model stream task tag _"),
    _track_form("task_flip", 0x0E, "HHHH16x", "stream flip _ task"),
    _track_form("memcpy_state", 0x0B, "HHB19x", "stream task state"),
    _track_form("task_type", 0x0C, "HHHB17x", "stream task task_type state"),
    _track_form("block_count", 0x0F, "HHI16x", "stream task block_count"),
    _table("npu_mem", "npu_mem", "IIQQQ", "time_us event _ ddr_bytes hbm_bytes", 32, {"event": _flag}),
    _table("npu_mem.app", "npu_mem", "IIQQQ", "time_us event _ ddr_bytes hbm_bytes", 32, {"event": _flag}),
    _table("npu_mem", "npu_mem", "IIQQQ", "_ event time ddr_bytes hbm_bytes", 32, {"event": _flag}, version="2.0"),
    _table(
        "npu_module_mem",
        "npu_module_mem",
        "IIQQ",
        "module _ time reserved_bytes",
        24,
        {"module": lambda rng: rng.randrange(80)},
    ),
    _table("hbm", "hbm", "QQII", "time_us count event hbm", 24, {"event": _flag}),
    _table("hbm", "hbm", "IIIIQQ", "_ _ event hbm count time", 32, {"event": _flag}, version="2.0"),
    _table("ddr", "ddr", "IIIII", "time_us count event ddr mark", 20),
    _table("llc", "llc", "QQII", "time_us count event llc", 24),
    _table("llc", "llc", "IIIIQ", "_ count event llc time", 24, version="2.0"),
    _table("l2_cache", "l2_cache", "HHHH8Q", "task_type stream task _ counter*8", 72),
    _table(
        "socpmu",
        "soc_pmu",
        "8BHHHH8Q",
        "_*8 task_type stream task kind counter*8",
        80,
        {"kind": lambda rng: rng.choice((1, 2))},
    ),
    _table("pcie", "pcie", "QI21I", f"time device {_PCIE}", 96),
    _table("qos", "qos", "IIQQ10I", "_ _ _ time bandwidth*10", 64),
    _table(
        "aicore",
        "core_sample",
        "BBHHH8QQQBB6x",
        "mode _ _ _ _ counter*8 total_cycles time counter_count core",
        96,
        {"counter_count": 8},
        is_sampled=True,
    ),
    _table(
        "aiVectorCore",
        "core_sample",
        "BBHHH8QQQBB6x",
        "mode _ _ _ _ counter*8 total_cycles time counter_count core",
        96,
        {"counter_count": 8},
        is_sampled=True,
    ),
]

FORMS = HOST + AICPU + DEVICE

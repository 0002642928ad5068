"""Records of the sampled streams of a device (cann-files.md 5.3, 5.6, 5.7), written out of the specification alone."""

import struct

from raw_run_writer import MONOTONIC_NS, device_ticks
from synth import codes, device_records, host_records

DEVICE_NS = MONOTONIC_NS - 3_000_000_000  # the device's monotonic clock at the beginning
SIO, ACC_PMU, CHIP, SOC, LOW_POWER, QOS = 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x18


def hbm(time_us, count, event, stack):
    """24 bytes of hbm."""
    return struct.pack("<QQII", time_us, count, event, stack)


def hbm_2(time_ns, count, event, stack):
    """32 bytes of hbm in collection format 2.0."""
    return struct.pack("<IIIIQQ", 0, 0, event, stack, count, time_ns)


def ddr(time_us, count, event, number, mark=0xFFFFFFFF):
    """20 bytes of ddr."""
    return struct.pack("<5I", time_us, count, event, number, mark)


def llc(time_us, count, event, number):
    """24 bytes of llc."""
    return struct.pack("<QQII", time_us, count, event, number)


def llc_2(time_ns, count, event, number):
    """24 bytes of llc in collection format 2.0."""
    return struct.pack("<IIIIQ", 0, count, event, number, time_ns)


def npu_mem(time_us, event, ddr_bytes, hbm_bytes):
    """32 bytes of npu_mem and npu_mem.app."""
    return struct.pack("<IIQQQ", time_us, event, 0, ddr_bytes, hbm_bytes)


def pcie(time_ns, *values):
    """96 bytes of pcie: minimum, maximum and mean of seven values."""
    return struct.pack("<QI21I", DEVICE_NS + time_ns, 0, *values)


def stars(function, time_ns, body, at_18=0, high=0):
    """64 bytes of stars_soc_profile; high: the six bits after the function."""
    tail = struct.pack("<HHHQHH", codes.STARS_MAGIC, 0, 0, device_ticks(time_ns), 0, at_18)
    return (device_records.head(function, 0, high) + tail + body).ljust(64, b"\0")


def sio(time_ns, die, *values):
    """Bytes of requests, responses, snoops and data, received and sent."""
    return stars(SIO, time_ns, struct.pack("<12x8I", *values), at_18=die)


def accelerator(time_ns, number, *values):
    """Levels of bandwidth and outstanding requests, read and written."""
    return stars(ACC_PMU, time_ns, struct.pack("<12x4Q", *values), at_18=number)


def transmission(time_ns, kind, link, *values):
    """kind 0: PA link, 1: PCIe."""
    return stars(CHIP, time_ns, struct.pack("<12x2Q", *values), at_18=link, high=kind)


def soc_level(time_ns, buffer, mata):
    """Levels of L2 buffer and mata."""
    return stars(SOC, time_ns, struct.pack("<12xH", mata | buffer << 3))


def low_power(time_ns, die, samples):
    """Twenty samples, swapped in pairs."""
    swapped = [samples[place ^ 1] for place in range(20)]
    return stars(LOW_POWER, time_ns, struct.pack("<4x20H", *swapped), high=die)


def stars_qos(time_ns, die, *values):
    """Ten bandwidths of a die."""
    return stars(QOS, time_ns, struct.pack("<4x10I", *values), high=die)


def qos(time_ns, *values):
    """64 bytes of qos."""
    return struct.pack("<IIQQ10I", 0, 0, 0, device_ticks(time_ns), *values)


def changes(kind, *pairs):
    """888 bytes of lpmFreqConv and lpmInfoConv: times and values."""
    body = b"".join(struct.pack("<QII", device_ticks(time), value, 0) for time, value in pairs)
    return (struct.pack("<II", len(pairs), kind) + body).ljust(888, b"\0")


def l2_cache(stream, task, *counts):
    """72 bytes of l2_cache."""
    return struct.pack("<4H8Q", 0, stream, task, 0, *counts, *[0] * (8 - len(counts)))


def soc_pmu(kind, stream, task, *counts):
    """80 bytes of socpmu; kind 1: L2, 2: address translation."""
    return struct.pack("<8x4H8Q", 0, stream, task, kind, *counts, *[0] * (8 - len(counts)))


def _aicpu(kind, time_ns, payload):
    return host_records.additional(6000, kind, 0, device_ticks(time_ns), payload)


def aicpu_node(stream, task, start_ns, end_ns, submit_ns, after_ns, compute_us, copy_us, dispatch_us):
    """One task of the AI CPU; start or end None: 0."""
    start, end = (0 if time is None else device_ticks(time) for time in (start_ns, end_ns))
    marks = 1000, 1000 + compute_us, 1000 + compute_us + copy_us
    body = struct.pack(
        "<HHIQQ3QQQIIQQQQIIIHBx", stream, task, 0, 0, start, *marks, 0, end, 0, 0, device_ticks(submit_ns), 0, 0,
        device_ticks(after_ns), 0, dispatch_us, 0, 0, 0,
    )  # fmt: skip
    return _aicpu(0, end_ns or 0, body)


def preprocess(time_ns, action, source, index, size):
    """Something was taken from a queue of input data."""
    return _aicpu(1, time_ns, struct.pack("<16s64sQQ", action.encode(), source.encode(), index, size))


def queue_wait(time_ns, tag, size, start_us, end_us):
    """A node waited for a queue."""
    return _aicpu(3, time_ns, struct.pack("<IIQQQ", tag, 0, size, start_us, end_us))


def comm_task(stream, task, item, group, size, plane=1, estimated=2.5, ranks=(0, 1)):
    """116 bytes: half a record of tasks of collectives."""
    return struct.pack(
        "<QQQIIIIQQdQQQIIHH8B8x", item, 0, group, *ranks, 8, 0, 77, 5, estimated, 0, 0, size, task, 0, stream, plane,
        0, 3, 1, 0, 255, 0, 0, 0,
    )  # fmt: skip


def comm_tasks(time_ns, *halves):
    """One record of the AI CPU with one or two tasks of collectives."""
    return _aicpu(13, time_ns, b"".join(halves))


def comm_op(time_ns, stream, task, group, data_type=3, algorithm=0, count=64, relay=0, retry=1):
    """An operation as the AI CPU knows it."""
    flags = relay | retry << 1
    return _aicpu(10, time_ns, struct.pack("<BBQQQIHI", flags, data_type, algorithm, count, group, 8, stream, task))


def comm_turn(stream, task, turn, turns, size, *stamps):
    """Seven moments of a turn of communication."""
    ticks = map(device_ticks, stamps)
    return _aicpu(4, stamps[0], struct.pack("<7QQIHHBBB", *ticks, size, 0, stream, task, 0, turns, turn))


def compute_turn(stream, task, turn, turns, size, *stamps):
    """Three moments of a turn of computing."""
    ticks = map(device_ticks, stamps)
    return _aicpu(5, stamps[0], struct.pack("<3QQIHHBBB", *ticks, size, 0, stream, task, 0, turns, turn))


def flip(time_ns, stream, task, number):
    """Numbers of tasks that the AI CPU gives begin anew."""
    return _aicpu(11, time_ns, struct.pack("<HHI", stream, task, number))


def mc2_group(group, ranks, kernel_stream, *others):
    """Payload of mc2_comm_info."""
    return struct.pack("<Q5I8I", group, ranks, 0, 0, kernel_stream, len(others), *others, *[0] * (8 - len(others)))

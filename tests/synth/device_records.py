"""What a device records: its hardware log, PMU counters and the track of task ids (cann-files.md 5)."""

import struct

from . import codes

BEGIN, END, PART_BEGIN, PART_END = 0, 1, 0x22, 0x23  # functions of the hardware log
TASK_PMU, BLOCK_PMU = 0x28, 0x29
MIXED = 4  # kind of a mixed kernel; 0 is a plain one of the cube, another one of the vector core


def head(function, count=0, sqe=0):
    """First half word of the hardware log and of PMU records; count: of all records so far."""
    return struct.pack("<H", function | (count % 16) << 6 | sqe << 10)


def log_tail(stream, task, stamp, sub_type=0, context=0, kind=0):
    """62 bytes of stars_soc after the head.

    >>> len(head(BEGIN) + log_tail(2, 7, 1000))
    64
    """
    return struct.pack(
        "<HHHQHHHH10I", codes.STARS_MAGIC, stream, task, stamp, sub_type, context, kind << 13, 0, *[0] * 10
    )


def task_pmu_tail(stream, task, kind, cycles, counters, begin, end, sub_type=0, context=0):
    """126 bytes of ffts_profile: one task."""
    return struct.pack(
        "<HHHQHHHHQQQ8Q2Q", codes.STARS_MAGIC, stream, task, 0, sub_type, context, kind << 13, 0, 0,
        cycles, 0, *counters, begin, end,
    )  # fmt: skip


def block_pmu_tail(stream, task, context, block, cycles, counters, begin, end):
    """126 bytes of ffts_profile: one block of a mixed task, on one of 48 cores."""
    return struct.pack(
        "<HHHQHHBBHIHHQQ8Q2Q", codes.STARS_MAGIC, stream, task, 0, codes.SUB_MIX_AIC, context, 1 | (block % 48) << 1,
        MIXED << 5, 0, 0, block % 2, block // 2, cycles, 0, *counters, begin, end,
    )  # fmt: skip


def flip_record(stamp, stream, task, number):
    """40 bytes of ts_track: the task ids of a stream begin anew."""
    return struct.pack("<BBHIQHHHH16x", 0, 0x0E, 0, 0, stamp, stream, number, 0, task)


def counters_of(cycles):
    """Eight PMU counters that belong to so many cycles.

    >>> counters_of(24_000)
    [2400, 12000, 1200, 3000, 6000, 1500, 24, 20]
    """
    return [cycles // part for part in (10, 2, 20, 8, 4, 16, 1000, 1200)]


class DeviceLog:
    """Collects what a device records, and writes it in the order of time.  Times are moments of the clock."""

    def __init__(self, files, folder, device, clock):
        self.files, self.folder, self.device, self.clock = files, folder, device, clock
        self.log, self.pmu, self.track = [], [], []
        self.log_count = self.pmu_count = 0

    def task(self, stream, task, sqe, begin, end):
        for function, stamp in ((BEGIN, self.clock.dev(begin)), (END, self.clock.dev(end))):
            self.log.append((stamp, function, sqe, log_tail(stream, task, stamp)))

    def part(self, stream, task, context, begin, end):
        """The inner pair of a mixed kernel."""
        for function, stamp in ((PART_BEGIN, self.clock.dev(begin)), (PART_END, self.clock.dev(end))):
            tail = log_tail(stream, task, stamp, codes.SUB_MIX_AIC, context, MIXED)
            self.log.append((stamp, function, codes.SQE_AICORE, tail))

    def task_pmu(self, stream, task, is_aiv, cycles, counters, begin, end):
        first, last = self.clock.dev(begin), self.clock.dev(end)
        self.pmu.append((last, TASK_PMU, task_pmu_tail(stream, task, int(is_aiv), cycles, counters, first, last)))

    def mixed_pmu(self, stream, task, context, begin, end, cycles, counters, blocks):
        """Counters of the inner range of a mixed kernel, of the whole and of each block."""
        first, last = self.clock.dev(begin), self.clock.dev(end)
        whole = task_pmu_tail(stream, task, MIXED, cycles, counters, first, last, codes.SUB_MIX_AIC, context)
        self.pmu.append((last, TASK_PMU, whole))
        halves = [value // 2 for value in counters]
        for block in range(blocks):
            tail = block_pmu_tail(stream, task, context, block, cycles // 2, halves, first, last)
            self.pmu.append((last, BLOCK_PMU, tail))

    def flip(self, stream, task, number, moment):
        stamp = self.clock.dev(moment)
        self.track.append((stamp, flip_record(stamp, stream, task, number)))

    def flush(self):
        """Write what was collected; to be called when every later record will also have a later time."""
        for count, (_, function, sqe, tail) in enumerate(sorted(self.log), self.log_count):
            self.files.add(self.folder, f"stars_soc.data.{self.device}", head(function, count, sqe) + tail)
        for count, (_, function, tail) in enumerate(sorted(self.pmu), self.pmu_count):
            self.files.add(self.folder, f"ffts_profile.data.{self.device}", head(function, count) + tail)
        for _, record in sorted(self.track, key=lambda item: item[0]):
            self.files.add(self.folder, f"ts_track.data.{self.device}", record)
        self.log_count, self.pmu_count = self.log_count + len(self.log), self.pmu_count + len(self.pmu)
        for group in (self.log, self.pmu, self.track):
            group.clear()

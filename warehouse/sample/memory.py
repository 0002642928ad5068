"""Allocations of one simulated rank: the caching allocator's (PTA) and the graph engine's (GE)."""

from __future__ import annotations

from dataclasses import dataclass

from warehouse.sample.official_file import CANN, FRAMEWORK, MEMORY, OfficialFile

_SEGMENT = 2 << 20  # the allocator reserves memory in pieces of this many bytes
_STREAM_POINTER = 897461056


@dataclass
class Block:
    """One allocation under way; times in ns."""

    name: str
    size: int
    start: int
    release: int | None = None


class Memory:
    """Collects what is allocated and writes the three memory tables a step at a time."""

    def __init__(self, file: OfficialFile, device: int, global_thread: int) -> None:
        self._file, self._device, self._thread = file, device, global_thread
        self._blocks: list[Block] = []
        self._engine: list[Block] = []
        self._engine_rows: list[tuple[int | None, ...]] = []
        self._allocated = self._active = self._reserved = 0
        self._engine_used = 0

    def allocate(self, name: str, size: int, start: int) -> Block:
        """Allocate for operator `name`; set `release` of the block that comes back when it is freed."""
        self._blocks.append(Block(name, size, start))
        return self._blocks[-1]

    def engine(self, name: str, size: int, start: int, release: int) -> None:
        """Workspace of a kernel, allocated and released by the graph engine."""
        self._engine.append(Block(name, size, start, release))

    def write_step(self, workspace_at: int) -> None:
        """Write everything allocated since the last call; all of it lies before whatever comes next."""
        totals: dict[tuple[int, str], tuple[int, int, int]] = {}
        events = [(block.start, 1, index, block) for index, block in enumerate(self._blocks)]
        for index, block in enumerate(self._blocks):
            if block.release is not None:
                events += [(block.release - 20, 2, index, block), (block.release, 3, index, block)]
        for index, block in enumerate(self._engine):
            events += [(block.start, 4, index, block), (block.release or 0, 5, index, block)]
        for time, action, index, block in sorted(events, key=lambda event: event[:3]):
            if action <= 3:
                self._allocated += {1: block.size, 3: -block.size}.get(action, 0)
                self._active += {1: block.size, 2: -block.size}.get(action, 0)
                self._reserved = max(self._reserved, -(-self._allocated // _SEGMENT) * _SEGMENT)
                now = self._allocated, self._reserved, self._active
                totals[index, {1: "start", 2: "active", 3: "release"}[action]] = now
                self._record("PTA", time, now, _STREAM_POINTER)
            else:
                self._engine_used += block.size if action == 4 else -block.size
                self._engine_event(block, time, action == 4)
                self._record("GE", time, (self._engine_used, _SEGMENT, 0), None)
        self._write_blocks(totals)
        workspace = self._file.string("WORKSPACE", MEMORY)
        self._file.add("MEMORY_RECORD", (workspace, workspace_at, 0, _SEGMENT, 0, _STREAM_POINTER, self._device))
        self._blocks, self._engine = [], []

    def finish(self) -> None:
        """Write the graph engine's allocations, which stand last in their table."""
        self._file.extend("OP_MEMORY", self._engine_rows)

    def _record(self, component: str, time: int, now: tuple[int, int, int], stream: int | None) -> None:
        text = self._file.string
        reserved = self._reserved + (_SEGMENT if self._engine_used else 0)
        both = (self._allocated + self._engine_used, reserved, self._active)
        self._file.add("MEMORY_RECORD", (text(component, MEMORY), time, *now, stream, self._device))
        self._file.add("MEMORY_RECORD", (text("PTA+GE", MEMORY), time, *both, stream, self._device))

    def _write_blocks(self, totals: dict[tuple[int, str], tuple[int, int, int]]) -> None:
        for index, block in sorted(enumerate(self._blocks), key=lambda pair: pair[1].start):
            name, start = self._file.string(block.name, FRAMEWORK), block.start
            at_start = totals[index, "start"]
            row: tuple[int | None, ...]
            if block.release is None:
                row = (name, block.size, start, *(None,) * 4, *at_start, *(None,) * 3)
            else:
                active = block.release - 20
                spans = (block.release, active, block.release - start, active - start)
                row = (name, block.size, start, *spans, *at_start, *totals[index, "release"])
            self._file.add("OP_MEMORY", (*row, _STREAM_POINTER, self._device))

    def _engine_event(self, block: Block, time: int, is_start: bool) -> None:
        text, name = self._file.string, self._file.string(block.name, CANN)
        action = text("allocate" if is_start else "release")
        totals = (self._engine_used, _SEGMENT, text("GE"), self._device)
        self._file.add("NPU_OP_MEM", (name, 0xABC000, action, block.size, time, self._thread, *totals))
        if not is_start:
            spans = (block.release, None, time - block.start, None)
            before, after = (self._engine_used + block.size, _SEGMENT, 0), (self._engine_used, _SEGMENT, 0)
            self._engine_rows.append((name, block.size, block.start, *spans, *before, *after, None, self._device))

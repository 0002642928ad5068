"""The reader of raw profile directories: path to record batches, facts and a ledger a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import RECORDS, batch
from warehouse.errors import InputError
from warehouse.readers.facts import RankFacts
from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.json_text import decimal
from warehouse.readers.plausible import OUT_OF_TIME, is_plausible
from warehouse.readers.raw_config import RawConfig, read_config
from warehouse.readers.raw_files import RawFiles
from warehouse.readers.raw_framework import HOST_ORDER, FrameworkPart
from warehouse.readers.raw_memory import MemoryPart
from warehouse.readers.raw_missing import note_missing
from warehouse.readers.raw_prof import ProfPart
from warehouse.readers.raw_python import PythonPart
from warehouse.readers.raw_rows import Numbers, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.recorded_host import RecordedHost
from warehouse.readers.recorded_marks import RecordedMarks
from warehouse.readers.recorded_state import describe_recording
from warehouse.readers.sorted_rows import MEMORY_BYTES, SortedRows


def peek_raw(files: RawFiles, profiler: dict[str, Any]) -> RankFacts:
    """What the configuration says about the rank, without reading its records."""
    config = read_config(files, profiler, Ledger())
    facts = RankFacts()
    _host_facts(config, facts)
    for device_id, folder in config.devices.items():
        facts.device_ids.append(device_id)
        if folder.chip_name is not None:
            facts.chip_names[device_id] = folder.chip_name
        facts.cores[device_id] = folder.cores
    if files.recording is not None:
        describe_recording(files.recording, profiler, facts)
    if facts.pid is None:
        facts.pid = _framework_pid(files)
    facts.level = next((folder.level for folder in config.folders() if folder.level is not None), None)
    return facts


def _framework_pid(files: RawFiles) -> int | None:
    """The process of the first operator or queue event."""
    for kind in ("op_range", "op_mark"):
        if kind in files.framework:
            first = _native.FrameworkDecoder(kind, [files.framework[kind]], batch_rows=1).next()
            if first is not None:
                return int(pa.record_batch(first).column("pid")[0].as_py())
    return None


def _host_facts(config: RawConfig, facts: RankFacts) -> None:
    for folder in config.folders():
        info = folder.info
        facts.host_name = facts.host_name or _text(info.get("hostname"))
        facts.host_uid = facts.host_uid or _text(info.get("hostUid"))
        facts.cann_version = facts.cann_version or _text(info.get("cannVersion"))
        facts.pid = facts.pid or decimal(info.get("pid"))
        facts.session_start_ns = facts.session_start_ns or folder.begin_ns
        facts.session_end_ns = facts.session_end_ns or folder.end_ns


def _spans(batch: pa.RecordBatch) -> tuple[Numbers, Numbers] | None:
    """Starts and ends of the records, for those of a moment twice the same; None if they have no times."""
    names = batch.schema.names
    if "time_ns" in names:
        (time,) = numbers(batch, "time_ns")
        return time, time
    if "start_ns" not in names:
        return None
    start, end = numbers(batch, "start_ns", "end_ns" if "end_ns" in names else "start_ns")
    if "release_ns" in names:  # of memory, which may never be released
        end = np.maximum.reduce([end, *numbers(batch, "release_ns", "active_release_ns")])
    return start, end


def _text(value: object) -> str | None:
    return str(value) if value not in (None, "") else None


class RawReader:
    """One raw run directory.  Everything is decoded when it is opened, sorted and, where it is much, spilled to
    disk; the streams then read what was sorted.  `memory_bytes` bounds what it holds, whatever the size of the run.

    InputError if a file cannot be read, or nothing says what its times mean.

    >>> with RawReader(find_raw(Path("run_ascend_pt")), {}) as reader:  # doctest: +SKIP
    ...     sum(batch.num_rows for batch in reader.read("host_event"))
    339
    """

    def __init__(
        self,
        files: RawFiles,
        profiler: dict[str, Any],
        memory_bytes: int = MEMORY_BYTES,
        decoded: Callable[[int], None] | None = None,
    ) -> None:
        """`memory_bytes`: of rows that wait to be sorted; `decoded` is told now and then how many bytes are decoded."""
        self.run = RawRun(files, profiler, memory_bytes, decoded)
        self._told: set[str] = set()
        try:
            self._host_events = SortedRows(HOST_ORDER, self.run.spill, RECORDS["host_event"])
            self._framework = FrameworkPart(self.run, self._host_events)
            self._python = PythonPart(self.run, self._framework, self._host_events)
            self._memory = MemoryPart(self.run, self._framework, self._host_events)
            self._prof = ProfPart(self.run, self._host_events, self._memory)
            self._recorded_marks = RecordedMarks(self.run)
            self._recorded_host: RecordedHost | None = None
            self._streams: dict[str, Callable[[], Iterator[pa.RecordBatch]]] = {
                "step": self._framework.steps,
                "host_event": self._host_events.batches,
                "stack_frame": self._framework.stack_frames,
                "gc_event": self._framework.gc_events,
                "memory_event": self._memory.events,
                "allocation": self._memory.allocations,
                "memory_record": self._memory.records,
            }
            self._load()
            self._streams |= self._prof.streams
            if self.run.recording is not None:
                self._streams["mark"] = self._recorded_marks.marks
        except BaseException:
            self.run.close()
            raise

    def _load(self) -> None:
        try:
            self._framework.load()
            self._python.load()
            self._memory.load()
            self._prof.load()
            self._recorded_marks.load()
            if self.run.recording is not None:
                counters = self._prof.counters
                self._recorded_host = RecordedHost(self.run, 0 if counters is None else counters.series_end)
                self._recorded_host.load()
                self.run.recording.finish()
            note_missing(self.run)
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith("/") else f"{self.run.root}: {text}") from error

    def __enter__(self) -> RawReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run.close()

    @property
    def ledger(self) -> Ledger:
        """What concerns the run as a whole; `run.ledgers` has one a file."""
        return self.run.ledger

    @property
    def ledgers(self) -> dict[Path, Ledger]:
        return self.run.ledgers

    @property
    def bytes_of(self) -> dict[Path, tuple[int, int]]:
        """Bytes of each file that were decoded and rejected."""
        return self.run.bytes_of_all()

    def thread_names(self) -> dict[tuple[int, int], str]:
        """(pid, tid) -> what its program calls a thread, as far as that is known."""
        return {} if self.run.recording is None else self.run.recording.thread_names()

    @property
    def has_queue(self) -> bool:
        return self._framework.has_queue

    def read(self, kind: str) -> Iterator[pa.RecordBatch]:
        """Batches of a record kind; nothing if the run has none."""
        stream = self._streams.get(kind)
        return iter(()) if stream is None else self._plausible(kind, stream())

    def _plausible(self, kind: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The batches without times that cannot be; they are noted when the stream is read first."""
        lost = 0
        for each in batches:
            good = each
            if (spans := _spans(each)) is not None:
                mask = is_plausible(*spans)
                if "start_ns" in each.schema.names:
                    mask |= each.column("start_ns").is_null().to_numpy(zero_copy_only=False)
                if not mask.all():
                    good = each.filter(pa.array(mask))
                    lost += each.num_rows - good.num_rows
            if good.num_rows:
                yield good
        if lost and kind not in self._told:
            self.run.ledger.note(WARNING, "time-order", f"{OUT_OF_TIME}; it was left out", table=kind, count=lost)
        self._told.add(kind)

    def counters(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""
        if self._prof.counters is not None:
            yield from self._prof.counters.series()
        if self._recorded_host is not None:
            yield from self._recorded_host.batches()

    def metric_names(self) -> list[int]:
        """String numbers of the metrics, those of the cube cores first."""
        metrics = self._prof.metrics
        return [] if metrics is None else metrics.names()

    def group_hashes(self) -> dict[str, str]:
        """Name of an operation -> the number that stands for its group, for one operation a group."""
        return self._prof.group_hashes()

    def texts(self, numbers: list[int]) -> list[str]:
        """Texts of a few string numbers, "" for one without text."""
        found = self.run.strings.texts_of(set(numbers))
        return [found.get(number, "") for number in numbers]

    def strings(self) -> Iterator[pa.RecordBatch]:
        return self.run.strings.batches()

    def words(self) -> pa.RecordBatch:
        return batch("string", [[], []])


__all__ = ["RawReader", "peek_raw"]

"""A recording as the streams of FRAMEWORK files: the same kinds and columns, so that everything after decoding is one
way for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.batches.chunk_folder import Chunk, ChunkFolder, open_chunk_folder, read_chunk
from warehouse.batches.recorded_ops import OP_TABLES, OpForms
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.raw_rows import NONE, Numbers, rows
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.recorded_clock import RecordedClock
from warehouse.readers.recorded_frames import FrameMender
from warehouse.readers.recorded_scripts import ScriptStacks
from warehouse.readers.recorded_stacks import OpStacks
from warehouse.readers.recorded_state import note_state
from warehouse.readers.recorded_texts import RecordedTexts
from warehouse.readers.recorded_threads import RecordedThreads
from warehouse.readers.sorted_rows import SpillFolder
from warehouse.wording import counted

# kind of FRAMEWORK file -> tables of the recording
KINDS = {
    "op_range": OP_TABLES,
    "op_mark": ("queue_mark",),
    "memory_usage": ("memory",),
    "python_tracer_func": ("frame",),
    "python_tracer_hash": ("string",),
    "gc_record": ("gc",),
}
_KIND_OF = {table: kind for kind, tables in KINDS.items() for table in tables}
GAP_DOMAIN = "npuwh"  # of marks that the recorder itself makes
_KINDS_LOST = ("events", "Python calls and returns")


class Recording:
    """Chunks of one process.  Times come out as ns; texts as numbers of `strings`.

    What cannot be read is left out and noted in the ledger of its file.
    """

    def __init__(
        self,
        path: Path,
        strings: RawStrings,
        spill: SpillFolder,
        ledgers: dict[Path, Ledger],
        bytes_of: dict[Path, tuple[int, int]],
        run_ledger: Ledger,
    ) -> None:
        self.folder: ChunkFolder = open_chunk_folder(path)
        self._bytes_of = bytes_of
        self._ledgers = ledgers
        self._run_ledger = run_ledger
        self._strings = strings
        self._spill = spill
        self._booked: set[Path] = set()
        self._known_texts: Numbers | None = None
        self._forms: OpForms | None = None
        self._module_codes: list[int] = []
        self.clock = RecordedClock([*self.folder.anchors, *self._anchors()])
        self._threads = RecordedThreads(self.read("thread"))
        note_state(self.folder, self.clock.is_known, run_ledger)

    def has(self, kind: str) -> bool:
        """Whether there is anything of a kind of FRAMEWORK file."""
        return any(chunk.size for table in KINDS.get(kind, ()) for chunk in self.folder.of(table))

    def file_of(self, kind: str) -> Path:
        """The first chunk of a kind of FRAMEWORK file."""
        return next(chunk.path for table in KINDS[kind] for chunk in self.folder.of(table))

    def framework(self, kind: str) -> Iterator[tuple[str, pa.RecordBatch]]:
        """(kind, batch) of a kind of FRAMEWORK file.  Op ranges come with `stack_frame` batches."""
        if kind == "op_range":
            yield from self._ops()
            return
        if kind == "python_tracer_func":
            for columns in self._mended():
                yield kind, self._frame(columns)
            return
        if kind == "python_tracer_hash":
            for batch in self._frame_names():
                yield kind, batch
            return
        convert = {
            "op_mark": self._queue_mark,
            "memory_usage": self._memory,
            "gc_record": self._gc,
        }[kind]
        for table in KINDS[kind]:
            for batch in self.read(table):
                yield kind, convert(batch)

    def marks(self) -> Iterator[pa.RecordBatch]:
        """mstx marks and ranges: start, end, pid, tid, end_pid, end_tid, message, domain, range_no."""
        for batch in self.read("mark"):
            pid, tid = self._thread(batch, "thread")
            end_pid, end_tid = self._thread(batch, "end_thread")
            yield rows(
                batch.num_rows,
                start=self._ns(batch, "start_ticks"),
                end=self._ns(batch, "end_ticks"),
                pid=pid,
                tid=tid,
                end_pid=end_pid,
                end_tid=end_tid,
                message=self._text(batch, "message"),
                domain=self._text(batch, "domain"),
                range_no=batch.column("range").to_numpy(),
            )

    def ops_with_inputs(
        self, is_wanted: Callable[[str], bool]
    ) -> Iterator[tuple[pa.RecordBatch, list[str], list[bytes]]]:
        """Operators with wanted names of which the inputs are known: start, end, pid, tid, end_pid, end_tid; the names;
        the descriptions of the inputs (batches/recorded_inputs.py)."""
        wanted = {number: text for number, text in self._plain_texts() if is_wanted(text)}
        for batch in self._whole_ops():
            name = batch.column("name").to_numpy().astype(np.int64)
            has_inputs = pc.greater(pc.binary_length(batch.column("tensors")), 0).to_numpy(zero_copy_only=False)
            chosen = batch.filter(pa.array(np.isin(name, list(wanted)) & has_inputs))
            if not chosen.num_rows:
                continue
            pid, tid = self._thread(chosen, "thread")
            end_pid, end_tid = self._thread(chosen, "end_thread")
            start, end = self._ns(chosen, "start_ticks"), self._ns(chosen, "end_ticks")
            batch_rows = rows(chosen.num_rows, start=start, end=end, pid=pid, tid=tid, end_pid=end_pid, end_tid=end_tid)
            yield (
                batch_rows,
                [wanted[each] for each in chosen.column("name").to_pylist()],
                chosen.column("tensors").to_pylist(),
            )

    def _plain_texts(self) -> Iterator[tuple[int, str]]:
        for batch in self.read("string"):
            for number, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                yield number, text.decode(errors="replace")

    def gaps(self) -> Iterator[pa.RecordBatch]:
        """Where a thread came faster than its records were written, as marks: start and end are the first and the last
        record that is missing."""
        domain = self._strings.own(GAP_DOMAIN)
        for batch in self.read("gap"):
            pid, tid = self._thread(batch, "thread")
            lost = zip(batch.column("count").to_pylist(), batch.column("ring").to_pylist(), strict=True)
            yield rows(
                batch.num_rows,
                start=self._ns(batch, "first_ticks"),
                end=self._ns(batch, "last_ticks"),
                pid=pid,
                tid=tid,
                end_pid=pid,
                end_tid=tid,
                message=np.array([self._strings.own(f"{count} {_KINDS_LOST[ring == 1]} lost") for count, ring in lost]),
                domain=domain,
            )

    def _ops(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        stacks = self._stacks()
        if stacks is not None:
            for frames in stacks.frames():
                yield "stack_frame", frames
        scripts = ScriptStacks(0 if stacks is None else stacks.count, self.texts_by_number, self._strings)
        row = 0
        for batch in self._whole_ops():
            python = None if stacks is None else stacks.of(row, row + batch.num_rows)
            row += batch.num_rows
            # as torch does: where a script runs its place in the script, elsewhere that in Python
            stack, frames = scripts.of(batch.column("stack").to_numpy().astype(np.int64))
            if frames is not None:
                yield "stack_frame", frames
            module = self._text(batch, "module")
            if python is not None:
                stack, module = pc.coalesce(stack, python[0]), pc.coalesce(module, python[1])
            yield "op_range", self._op(batch, stack, module)

    def _whole_ops(self) -> Iterator[pa.RecordBatch]:
        if self._forms is None:
            self._forms = OpForms(self.read("op_form"))
        for table in OP_TABLES:
            for batch in self.read(table):
                yield self._forms.whole(batch)

    def texts_by_number(self, wanted: set[int]) -> dict[int, str]:
        """Texts of a few numbers; nothing for those that are not there."""
        return {number: text for number, text in self._plain_texts() if number in wanted}

    def thread_names(self) -> dict[tuple[int, int], str]:
        """(pid, tid) -> what the program calls the thread."""
        return self._threads.names(self.texts_by_number)

    def _stacks(self) -> OpStacks | None:
        """The calls around each operator; None if no calls were recorded."""
        if not self.has("python_tracer_func"):
            return None
        stacks = OpStacks(self._spill)
        texts = self._texts
        for frames in self._mended():
            is_module = np.isin(frames["code"], self._module_codes)
            stacks.add_frames(frames["thread"], frames["time"], frames["event"], frames["code"], is_module)
        for batch in self._whole_ops():
            thread = batch.column("thread").to_numpy().astype(np.int64)
            stacks.add_ops(thread, batch.column("start_ticks").to_numpy())
        unnamed = self._strings.own("N/A")

        def text_of(code: Numbers) -> Numbers:
            known = texts[np.clip(code, 0, len(texts) - 1)]
            return np.where((code < len(texts)) & (known != NONE), known, unnamed)

        stacks.find(self._strings, text_of)
        return stacks

    def _op(self, batch: pa.RecordBatch, stack: pa.Array, modules: pa.Array) -> pa.RecordBatch:
        pid, tid = self._thread(batch, "thread")
        _, end_tid = self._thread(batch, "end_thread")
        return rows(
            batch.num_rows,
            start_tick=self._ns(batch, "start_ticks"),
            end_tick=self._ns(batch, "end_ticks"),
            sequence_no=_or_null(batch.column("sequence_no")),
            pid=pid,
            tid=tid,
            end_tid=end_tid,
            forward_thread_no=batch.column("forward_thread_no").to_numpy().astype(np.int64),
            scope=batch.column("scope").cast(pa.int64()),
            is_async=batch.column("is_async").cast(pa.int64()),
            name=self._text(batch, "name"),
            dtypes=self._text(batch, "dtypes"),
            shapes=self._text(batch, "shapes"),
            stack=stack,
            modules=modules,
        )

    def _queue_mark(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        pid, tid = self._thread(batch, "thread")
        return rows(
            batch.num_rows,
            tick=self._ns(batch, "time_ticks"),
            category=batch.column("category").cast(pa.int64()),
            correlation_no=batch.column("correlation_no"),
            tid=tid,
            pid=pid,
            name=self._text(batch, "name"),
        )

    def _memory(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        pid, tid = self._thread(batch, "thread")
        count = batch.num_rows
        return rows(
            count,
            address=batch.column("address").to_numpy().view(np.int64),
            tick=self._ns(batch, "time_ticks"),
            size_bytes=batch.column("size_bytes"),
            total_allocated_bytes=batch.column("allocated_bytes"),
            total_reserved_bytes=batch.column("reserved_bytes"),
            total_active_bytes=batch.column("active_bytes"),
            stream_ptr=batch.column("stream"),
            device_type=batch.column("device_type").cast(pa.int64()),
            device_no=batch.column("device_index").cast(pa.int64()),
            component=batch.column("component").cast(pa.int64()),
            action=batch.column("action").cast(pa.int64()),
            allocator=0,
            tid=tid,
            pid=pid,
        )

    def _mended(self) -> Iterator[dict[str, Numbers]]:
        """thread, time (ticks), code and event of calls and returns, each thread's matching."""
        mender = FrameMender(len(self._texts) - 1)
        names = {"thread": "thread", "time": "time_ticks", "code": "code", "event": "event", "depth": "depth"}
        for batch in self.read("frame"):
            yield mender.mend({ours: batch.column(name).to_numpy().astype(np.int64) for ours, name in names.items()})

    def _frame(self, columns: dict[str, Numbers]) -> pa.RecordBatch:
        pid, tid = self._threads.places(columns["thread"])
        return rows(
            len(tid),
            tick=self.clock.ns(columns["time"]),
            tid=tid,
            pid=pid,
            key=columns["code"],
            action=columns["event"],
        )

    def _gc(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        pid, _ = self._thread(batch, "thread")
        return rows(
            batch.num_rows,
            pid=pid,
            start_tick=self._ns(batch, "start_ticks"),
            end_tick=self._ns(batch, "end_ticks"),
        )

    def _frame_names(self) -> Iterator[pa.RecordBatch]:
        known = np.flatnonzero(self._texts != NONE)
        if len(known):
            yield rows(len(known), key=known, name=self._texts[known])

    def _anchors(self) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for batch in self.read("anchor"):
            found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return found

    @property
    def _texts(self) -> Numbers:
        """Number of a text in the recording -> ours.  Read when first asked for: by then those are there who watch for
        texts of a form."""
        if self._known_texts is None:
            self._known_texts = self._load_texts()
        return self._known_texts

    def _load_texts(self) -> Numbers:
        found = RecordedTexts(self.read("string"), self._strings)
        self._module_codes = found.modules
        if found.broken:
            self._run_ledger.note(WARNING, "bad-text", "texts that are no UTF-8 were repaired", count=found.broken)
        return found.numbers

    def read(self, table: str) -> Iterator[pa.RecordBatch]:
        """The batches of a table as they are recorded (batches/recorded.py); it is booked then."""
        for chunk in self.folder.of(table):
            yield from read_chunk(chunk)
            self._book(chunk)

    def _book(self, chunk: Chunk) -> None:
        if chunk.path in self._booked:
            return
        self._booked.add(chunk.path)
        kind = _KIND_OF.get(chunk.table, chunk.table)
        ledger = self._ledgers.setdefault(chunk.path, Ledger())
        ledger.found(kind, chunk.rows)
        ledger.load(kind, chunk.rows)
        self._bytes_of[chunk.path] = (chunk.good_bytes, chunk.size - chunk.good_bytes)
        if chunk.fault is not None:
            left = chunk.size - chunk.good_bytes
            severity = WARNING if chunk.is_complete else INFO
            text = f"{chunk.path.name} {chunk.fault}; {counted(left, 'byte')} rejected"
            ledger.note(severity, "torn-chunk", text, table=kind, first_offset=chunk.good_bytes)

    def _ns(self, batch: pa.RecordBatch, name: str) -> Numbers:
        return self.clock.ns(batch.column(name).to_numpy())

    def _text(self, batch: pa.RecordBatch, name: str) -> pa.Array:
        number = batch.column(name).to_numpy().astype(np.int64)
        known = len(self._texts) - 1  # the last is a name for lost calls
        own = np.where(number < known, self._texts[np.minimum(number, known)], NONE)
        return pa.array(own, mask=own == NONE)

    def _thread(self, batch: pa.RecordBatch, name: str) -> tuple[Numbers, Numbers]:
        return self._threads.places(batch.column(name).to_numpy())


def _or_null(column: pa.Array) -> pa.Array:
    return pc.if_else(pc.greater_equal(column, 0), column, pa.scalar(None, pa.int64()))

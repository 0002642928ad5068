"""A recording as the streams of FRAMEWORK files: the same kinds and columns, so that everything after decoding is one
way for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.batches.recorded_ops import OP_TABLES, OpForms
from warehouse.errors import InputError
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.raw_rows import NONE, Numbers, rows
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.recorded_clock import RecordedClock
from warehouse.readers.recorded_files import KINDS, RecordedFiles
from warehouse.readers.recorded_frames import C_CALL, CALL, FrameMender
from warehouse.readers.recorded_scripts import ScriptStacks
from warehouse.readers.recorded_sound import RecordCheck
from warehouse.readers.recorded_stacks import OpStacks
from warehouse.readers.recorded_texts import RecordedTexts
from warehouse.readers.recorded_threads import RecordedThreads
from warehouse.readers.sorted_rows import SpillFolder

GAP_DOMAIN = "npuwh"  # of marks that the recorder itself makes
_KINDS_LOST = ("events", "Python calls and returns")
_FRAME_BYTES = 21  # of a call or return in its chunk
_MOST_INVENTED = 1 << 20  # calls at least that may be put in for lost ones
_UNTOLD_LOSS = 10_000  # records of a thread: what is lost last is told last, and a killed process may not come to it
_TOLD_ERROR = 1e-5  # of lengths, from which on it is told how good the clock is


class Recording:
    """Chunks of one process.  Times come out as ns; texts as numbers of `strings`.

    What cannot be read, or contradicts the rest, is left out and noted in the ledger of its file.  InputError if
    nothing tells what the times mean, or the recording is of another version's format.
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
        self._files = RecordedFiles(path, ledgers, bytes_of, run_ledger)
        self.folder = self._files.folder
        self.read = self._files.read
        self._run_ledger = run_ledger
        self._strings = strings
        self._spill = spill
        self._known_texts: RecordedTexts | None = None
        self._forms: OpForms | None = None
        self._unnamed: Counter[str] = Counter()  # by table
        self._without_form = 0  # operators
        self._is_mended = False
        self.clock = RecordedClock.of(self.folder, self._anchors())
        self._note_clock()
        threads = list(self.read("thread"))
        is_whole = self._files.is_whole("thread")
        self._threads = RecordedThreads(threads, self.folder.pid, run_ledger, is_whole=is_whole)
        if self.clock.is_known:
            is_whole = self._files.is_whole("anchor")
            self._files.check = RecordCheck(self.clock, self._threads.listed, is_clock_whole=is_whole)

    def finish(self) -> None:
        """Book what nobody has asked for; to be called when everything has been read."""
        self._files.book_rest()
        if self._without_form:
            text = "forms of operators that are not there: shapes, types and scopes of these operators are not known"
            self._files.note(next(t for t in OP_TABLES if self.folder.of(t)), self._without_form, "missing-form", text)
        for table, count in self._unnamed.items():
            text = "texts that are not in the recording: names and the like are missing there"
            self._files.note(table, count, "missing-text", text)

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
                message=self._text("mark", batch, "message"),
                domain=self._text("mark", batch, "domain"),
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
            self._text("op", batch, "stack")  # counts those that are not there
            stack, frames = scripts.of(batch.column("stack").to_numpy().astype(np.int64))
            if frames is not None:
                yield "stack_frame", frames
            module = self._text("op", batch, "module")
            if python is not None:
                stack, module = pc.coalesce(stack, python[0]), pc.coalesce(module, python[1])
            yield "op_range", self._op(batch, stack, module)

    def _whole_ops(self) -> Iterator[pa.RecordBatch]:
        if self._forms is None:
            self._forms = OpForms(self.read("op_form"))
        before = self._forms.missing
        for table in OP_TABLES:
            yield from self.read(table, self._forms.whole)
        self._without_form = self._forms.missing - before

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
        for frames in self._mended():
            is_module = np.isin(frames["code"], self._texts.modules)
            stacks.add_frames(frames["thread"], frames["time"], frames["event"], frames["code"], is_module)
        for batch in self._whole_ops():
            thread = batch.column("thread").to_numpy().astype(np.int64)
            stacks.add_ops(thread, batch.column("start_ticks").to_numpy())
        stacks.find(self._strings, self._texts.own)
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
            name=self._text("op", batch, "name"),
            dtypes=self._text("op", batch, "dtypes"),
            shapes=self._text("op", batch, "shapes"),
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
            name=self._text("queue_mark", batch, "name"),
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
        chunks = self.folder.of("frame")
        most = max(_MOST_INVENTED, 4 * sum(chunk.size for chunk in chunks) // _FRAME_BYTES)
        mender = FrameMender(self._texts.lost, self._lost_frames(), self._missing_frames(), most)
        names = {"thread": "thread", "time": "time_ticks", "code": "code", "event": "event", "depth": "depth"}
        unnamed, left_out = 0, self._files.left_out["frame"]
        for batch in self.read("frame"):
            columns = {ours: batch.column(name).to_numpy().astype(np.int64) for ours, name in names.items()}
            is_call = (columns["event"] == CALL) | (columns["event"] == C_CALL)
            named = np.where(is_call, self._texts.named(columns["code"]), columns["code"])
            unnamed += int((named != columns["code"]).sum())
            before, left_out = left_out, self._files.left_out["frame"]
            mender.damaged += left_out - before
            yield mender.mend(columns | {"code": named})
        if not self._is_mended:
            self._is_mended = True
            self._note_mended(mender, unnamed)

    def _lost_frames(self) -> Counter[int]:
        """How many calls and returns of each thread were lost, as far as it is told."""
        told: Counter[int] = Counter()
        for batch in self.read("gap"):
            for thread, count, ring in zip(
                *(batch.column(n).to_pylist() for n in ("thread", "count", "ring")), strict=True
            ):
                told[thread] += count if ring == 1 else 0
        if self.folder.state != "complete" or (self.folder.of("gap") and not self._files.is_whole("gap")):
            for thread in self._threads.listed or ():
                told[thread] += _UNTOLD_LOSS
        return told

    def _missing_frames(self) -> int:
        """Calls and returns in chunks that are not there."""
        return sum(self.folder.listed[name] for name in self.folder.missing if name.startswith("frame-"))

    def _note_mended(self, mender: FrameMender, unnamed: int) -> None:
        text = "records that contradict those before them: their depth cannot come of what is known to be lost"
        self._files.lose("frame", mender.rejected, "impossible", text)
        self._files.note("frame", unnamed, "missing-text", "functions have no name in the recording")
        if mender.invented:
            text = "calls stand for some that were lost: only the depth of others tells of them"
            self._files.note("frame", mender.invented, "lost-calls", text)

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
        number, name = self._texts.all()
        yield rows(len(number), key=number, name=name)

    def _anchors(self) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for batch in self.read("anchor"):
            found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
        return found

    def _note_clock(self) -> None:
        clock = self.clock
        if clock.left_out:
            text = "anchors of the clock cannot be, or contradict the others: they are not used"
            self._run_ledger.note(WARNING, "bad-anchor", text, count=clock.left_out)
        if not clock.is_known and self._files.has_events:
            raise InputError(
                f"{self.folder.path}: nothing tells what its times mean: no anchors of its clock can be read"
            )
        if clock.is_known and clock.error_ratio > _TOLD_ERROR:
            within = f"{clock.count} anchors within {clock.span_ns / 1e6:.3g} ms"
            text = f"the recording is short for its clock ({within}): lengths are right within {clock.error_ratio:.1g}"
            self._run_ledger.note(INFO, "short-clock", text)

    @property
    def _texts(self) -> RecordedTexts:
        """Read when first asked for: by then those are there who watch for texts of a form."""
        if self._known_texts is None:
            self._known_texts = RecordedTexts(self.read("string"), self._strings, self._run_ledger)
        return self._known_texts

    def _ns(self, batch: pa.RecordBatch, name: str) -> Numbers:
        return self.clock.ns(batch.column(name).to_numpy())

    def _text(self, table: str, batch: pa.RecordBatch, name: str) -> pa.Array:
        number = batch.column(name).to_numpy().astype(np.int64)
        own = self._texts.of(number)
        is_missing = own == NONE
        if is_missing.any() and (lost := int((is_missing & (number != 0)).sum())):
            self._unnamed[table] += lost
        return pa.array(own, mask=is_missing)

    def _thread(self, batch: pa.RecordBatch, name: str) -> tuple[Numbers, Numbers]:
        return self._threads.places(batch.column(name).to_numpy())


def _or_null(column: pa.Array) -> pa.Array:
    return pc.if_else(pc.greater_equal(column, 0), column, pa.scalar(None, pa.int64()))

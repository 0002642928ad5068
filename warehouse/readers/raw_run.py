"""One raw run directory opened for reading: its files, what they say about themselves, and its streams as they are
decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from warehouse import _native
from warehouse.errors import InputError
from warehouse.readers.input_file import check_regular_file, size_of, why_unreadable
from warehouse.readers.issues import INFO, WARNING, Issue, Ledger
from warehouse.readers.raw_config import RawConfig, read_config
from warehouse.readers.raw_files import CONFIGURATION, FOLDER, DeviceFiles, RawFiles, StreamFiles, slice_number
from warehouse.readers.raw_repeats import repeats
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.recorded import Recording
from warehouse.readers.sorted_rows import MEMORY_BYTES, SpillFolder
from warehouse.wording import counted

_TOLD_BATCHES = 16  # between two words on how far a decoder is
_TENSOR_LISTS = "tensor_list"
_PARAMETERS = "param_tensor_info"
_SIDE_ROWS = ("stack_frame", _TENSOR_LISTS)


class RawRun:
    """Files, configuration, strings and ledgers of a run.

    `ledgers` has one ledger a data file: its records as the decoder counted them, its faults as issues.  `ledger` takes
    what concerns the run as a whole.  `bytes_of` tells how many bytes of each file decoders decoded and rejected.
    """

    def __init__(
        self,
        files: RawFiles,
        profiler: dict[str, Any],
        memory_bytes: int = MEMORY_BYTES,
        decoded: Callable[[int], None] | None = None,
    ) -> None:
        self.root = files.root
        self.ledger = Ledger()
        self.ledgers: dict[Path, Ledger] = {}
        self.bytes_of: dict[Path, tuple[int, int]] = {}
        self.spill = SpillFolder(memory_bytes)
        self._ahead = ThreadPoolExecutor(1, "decode")
        self._tell = decoded or (lambda _: None)
        self.strings = RawStrings(self.spill)
        self._tensor_lists = 0
        self._without_clock: list[tuple[Issue, list[Path], str]] = []  # directories of a PROF directory, and why
        self.files = files
        self.config: RawConfig = read_config(self.files, profiler, self.ledger)
        for path, reason in self.config.damaged.items():
            self.ledgers[path] = Ledger()
            self.ledgers[path].note(WARNING, "bad-configuration", reason, table=path.parent.name)
        for path in self.files.unknown:
            self.ledgers[path] = Ledger()
            self.ledgers[path].note(
                WARNING, "unknown-stream", f"{path.name} is not read: it is no stream of the format"
            )
        self.recording: Recording | None = None
        if files.recording is not None:
            self.recording = Recording(
                files.recording, self.strings, self.spill, self.ledgers, self.bytes_of, self.ledger
            )
        self._repeated: set[Path] = set()
        self._note_odd_slices()
        for path, kind in self.files.irregular.items():
            ledger = self.ledgers[path] = Ledger()
            ledger.note(WARNING, "not-a-file", f"{path.name} is not read: {why_unreadable(path, kind == FOLDER)}")
        if (path_of_parameters := self.files.framework.get(_PARAMETERS)) is not None:
            ledger = self.ledgers[path_of_parameters] = Ledger()
            ledger.found(_PARAMETERS, 0)
            text = "tensors of parameters and optimizers are not read: no table holds them"
            ledger.note(INFO, "not-read", text, table=_PARAMETERS)

    def _note_odd_slices(self) -> None:
        """Files that are there and hold nothing, as a full disk leaves them, and slices that repeat another of their
        stream: what they hold would count twice."""
        streams = [*self.files.host.values(), *(s for each in self.files.devices for s in each.streams.values())]
        parts = [paths for files in streams for _, paths in files.parts()]
        for path in [*self.files.framework.values(), *(path for paths in parts for path in paths)]:
            if size_of(path) == 0:
                text = f"{path.name} is empty: what was to be in it is lost"
                self.ledger.note(WARNING, "empty-file", text)
        for files in streams:
            for path, first in repeats(files.unaging + files.aging):
                text = f"{path.name} repeats {first.name} to the byte: it is not read, as what it holds would"
                self._repeated.add(path)
                self.ledgers[path] = Ledger()
                self.ledgers[path].note(WARNING, "repeated-slice", f"{text} count twice")

    def close(self) -> None:
        """Let go of threads and temporary files."""
        self._ahead.shutdown()
        self.spill.close()

    def note_no_clock(self, what: str, reason: InputError, folders: list[Path]) -> None:
        """Note that nothing tells when something happened that lies in these directories of a PROF directory."""
        issue = self.ledger.note(WARNING, "no-clock", f"{what}: {reason}")
        self._without_clock.append((issue, folders, str(reason)))

    def refuse_rest(self) -> None:
        """Book every stream that nobody read: what its values mean is not known well enough, or not for this run."""
        known = _native.ProfDecoder.streams()
        unread: dict[Path, int] = {}
        reasons = {folder: reason for _, folders, reason in reversed(self._without_clock) for folder in folders}
        for streams in (self.files.host, *(device.streams for device in self.files.devices)):
            for stream, files in streams.items():
                for path in files.unaging + files.aging:
                    if path not in self.ledgers:
                        unread[path] = size_of(path) or 0
                        ledger = self.ledgers[path] = Ledger()
                        ledger.found(stream, 0)
                        text = f"{stream} data are not read: {path.name} is left out"
                        if stream not in known:
                            text += " (the form of its records is not known)"
                        elif reason := reasons.get(path.parent.parent):
                            ledger.note(WARNING, "no-clock", f"{text}: {reason}", table=stream)
                            continue
                        ledger.note(WARNING, "not-read", text, table=stream)
        told: set[Path] = set()
        for issue, folders, _ in self._without_clock:
            sizes = [size for path, size in unread.items() if path.parent.parent in folders and path not in told]
            told |= {path for path in unread if path.parent.parent in folders}
            if sizes:
                issue.bytes = sum(sizes)
                issue.text += f"; {counted(len(sizes), 'file')} of {counted(issue.bytes, 'byte')} left unread"

    def bytes_of_all(self) -> dict[Path, tuple[int, int]]:
        """Bytes of every file of the run, decoded and rejected: configuration is read as a whole, and what no decoder
        saw is rejected."""
        found = dict(self.bytes_of)
        for path, kind in self.files.files():
            if path not in found:
                size = size_of(path) or 0
                is_read = kind == CONFIGURATION and path not in self.config.damaged
                found[path] = (size, 0) if is_read else (0, size)
        return found

    def lose(self, path: Path, stream: str, count: int, code: str, text: str) -> None:
        """Book records that were decoded, or are being decoded, as left out after all."""
        self.ledgers.setdefault(path, Ledger()).take_back(stream, count, code, text)

    def has_framework(self, kind: str) -> bool:
        """Whether there are records of a kind of FRAMEWORK file."""
        return kind in self.files.framework or (self.recording is not None and self.recording.has(kind))

    def framework_file(self, kind: str) -> Path:
        """A file that holds records of the kind, to book a loss on."""
        if self.recording is not None and self.recording.has(kind):
            return self.recording.file_of(kind)
        return self.files.framework[kind]

    def framework(self, kind: str) -> Iterator[tuple[str, pa.RecordBatch]]:
        """(kind, batch) of one FRAMEWORK file; nothing if there is none.  Op ranges come with `stack_frame` batches."""
        if self.recording is not None and self.recording.has(kind):
            yield from self.recording.framework(kind)
            return
        path = self.files.framework.get(kind)
        if path is not None:
            check_regular_file(path)
            decoder = _native.FrameworkDecoder(
                kind, [path], batch_rows=self.spill.batch_rows, strings=self.strings.table
            )
            yield from self._decoded(decoder, kind, kind)

    def host_stream(self, stream: str) -> Iterator[tuple[str, bool, pa.RecordBatch]]:
        """(kind, is from an `unaging` file, batch) of a host stream."""
        for is_unaging, paths in self.files.host.get(stream, StreamFiles()).parts():
            for kind, batch in self._prof(stream, paths, self.config.host.chip, "1.0", is_expanded=False):
                yield kind, is_unaging, batch

    def device_stream(self, device: DeviceFiles, stream: str) -> Iterator[tuple[str, pa.RecordBatch]]:
        """(kind, batch) of a device's stream."""
        config = self.config.devices[device.device_id]
        version = str(config.info.get("version", "1.0"))
        for _, paths in device.streams.get(stream, StreamFiles()).parts():
            yield from self._prof(stream, paths, config.chip, version, is_expanded=self.is_expanded)

    is_expanded = False  # expand_stream_spec says that stream numbers are longer; set before device streams are read

    def _prof(
        self, stream: str, paths: list[Path], chip: str, version: str, is_expanded: bool
    ) -> Iterator[tuple[str, pa.RecordBatch]]:
        if stream not in _native.ProfDecoder.streams():
            return
        paths = [path for path in paths if path not in self._repeated]
        if not paths:
            return
        for path in paths:
            check_regular_file(path)
        decoder = _native.ProfDecoder(
            stream, paths, platform_version=chip, version=version, is_expanded=is_expanded,
            batch_rows=self.spill.batch_rows, strings=self.strings.table,
        )  # fmt: skip
        yield from self._decoded(decoder, stream, None)

    def _decoded(self, decoder: _native.Decoder, stream: str, kind: str | None) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches with their kinds, what comes beside them before them; the decoder's ledger is booked at the end."""
        base = self._tensor_lists  # each decoder numbers its lists from 0
        before = sum(map(sum, self.bytes_of.values()))
        count = 0
        following = self._ahead.submit(decoder.next)
        try:
            while (native := following.result()) is not None:
                count += 1
                if count % _TOLD_BATCHES == 0:
                    self._tell(before + sum(file["bytes_seen"] for file in decoder.ledger()["files"]))
                name = kind if kind is not None else decoder.kind  # type: ignore[attr-defined]
                yield from self._side_rows(decoder, base)
                self.strings.take()
                following = self._ahead.submit(decoder.next)  # while this batch is worked on
                yield name, _moved(pa.record_batch(native), "tensors", base)
        except OSError as error:
            raise InputError(f"{self.root}: {error}") from error
        finally:
            wait([following])  # texts are numbered as they come: nobody else decodes meanwhile
        yield from self._side_rows(decoder, base)
        self.strings.take()
        self._book(stream, decoder.ledger())

    def _side_rows(self, decoder: _native.Decoder, base: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        for side in _SIDE_ROWS:
            while (native := decoder.take(side)) is not None:
                rows = pa.record_batch(native)
                if side == _TENSOR_LISTS:
                    self._tensor_lists += rows.num_rows
                    rows = _moved(rows, "id", base)
                yield side, rows

    def _book(self, stream: str, found: _native.DecoderLedger) -> None:
        paths = []
        for row in found["files"]:
            path = Path(row["path"])
            paths.append(path)
            ledger = self.ledgers.setdefault(path, Ledger())
            decoded, rejected = row["records_decoded"], row["records_rejected"]
            ledger.found(stream, decoded + rejected)
            ledger.load(stream, decoded)
            ledger.tables[stream].rejected += rejected
            self.bytes_of[path] = (row["bytes_decoded"], row["bytes_rejected"])
            if row["bytes_seen"] != row["size_bytes"]:
                text = f"{row['size_bytes'] - row['bytes_seen']} of {row['size_bytes']} bytes were not read"
                ledger.note(WARNING, "unread-bytes", text, table=stream)
        for fault in found["faults"]:
            path = paths[fault["file"]]
            ledger = self.ledgers[path]
            text = fault["text"] + (f"; {counted(fault['bytes'], 'byte')} rejected" if fault["bytes"] else "")
            if path.parent.name == "data":  # of a stream in slices
                text = f"slice {slice_number(path)}: {text}"
            if fault["code"] == "unsupported_chip":
                text += f"; platform_version is {self.config.host.chip!r}"
            issue = ledger.note(
                WARNING, fault["code"].replace("_", "-"), text, table=stream, count=fault["count"],
                first_offset=fault["first_offset"],
            )  # fmt: skip
            issue.rejected = fault["count"] if fault["bytes"] else 0


def _moved(batch: pa.RecordBatch, name: str, base: int) -> pa.RecordBatch:
    """The batch with `base` added to a column of numbers, if it has it."""
    place = batch.schema.get_field_index(name)
    if not base or place < 0:
        return batch
    columns = batch.columns
    columns[place] = pc.if_else(pc.greater_equal(columns[place], 0), pc.add(columns[place], base), columns[place])
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

"""One input into the warehouse: its rank, its sources with their counts, its issues, and between them its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from warehouse.errors import InputError
from warehouse.ingest.analysis import AnalysisSample, load_analysis
from warehouse.ingest.budget import RankMemory
from warehouse.ingest.candidate import Candidate
from warehouse.ingest.discover import ANALYSIS, METADATA, OTHER_PROF, TEXT_FILE, RankInput
from warehouse.ingest.discover import INFO as INFO_JSON
from warehouse.ingest.forms import NAMES
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.link import LinkStore
from warehouse.ingest.official_rank import load_rank
from warehouse.ingest.progress import RankProgress
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.report import ONLY_REFERENCE, Counts, Fault
from warehouse.ingest.sources import Fingerprints, Signature, signature
from warehouse.ingest.strings import StringMap
from warehouse.ingest.unmet import note_unmet
from warehouse.readers.facts import Cores
from warehouse.readers.input_file import is_readable, is_regular, resolved, shown, why_unreadable
from warehouse.readers.issues import ERROR, INFO, WARNING, Issue, Ledger, TableCount
from warehouse.readers.official import OfficialReader, open_analysis
from warehouse.readers.raw import RawReader
from warehouse.readers.raw_files import FOLDER
from warehouse.store import Loader
from warehouse.store.loader import Column

_SIMULATED = "SimNPU"
RAW_PROFILE, RECORDED = "raw profile", "recording"


@dataclass
class _Source:
    """A file on its way into `source`."""

    id: int
    path: Path
    kind: str
    ledger: Ledger
    state: str = "used"
    note: str | None = None
    content: str | None = None
    bytes: tuple[int, int] | None = None  # decoded, rejected


class RankWriter:
    """Loads one candidate and counts what it came to.  `progress` is told how many bytes of it are done."""

    def __init__(
        self, loader: Loader, catalogue: KernelCatalogue, progress: Callable[[int], None], memory: RankMemory
    ) -> None:
        self._loader = loader
        self._catalogue = catalogue
        self._report = progress
        self._memory = memory
        self.counts = Counts()

    def load(self, candidate: Candidate, run_id: int) -> None:
        """Write the rank and everything it has.  InputError if a file is bad or changes while it is read."""
        with Fingerprints(candidate.signatures) as fingerprints:
            self._load(candidate, run_id, fingerprints)

    def _load(self, candidate: Candidate, run_id: int, fingerprints: Fingerprints) -> None:
        self._progress = RankProgress(candidate.size(), self._report)
        rank_id = self._loader.reserve("rank", 1)
        files = candidate.input.files()
        first = self._loader.reserve("source", len(files) + len(candidate.input.left))
        sources = [
            _Source(first + place, path, kind, candidate.descriptions.get(path, Ledger()))
            for place, (path, kind) in enumerate(files)
        ]
        by_kind = {source.kind: source for source in sources}
        self._write_rank(candidate, rank_id, run_id)
        self._write_metadata(candidate, rank_id, sources[0].id)
        sample = AnalysisSample()
        if ANALYSIS in by_kind:
            sample = self._read_analysis(by_kind[ANALYSIS], rank_id, needed=not candidate.input.has_records)
        if candidate.input.raw is not None:
            self._read_raw(candidate, sources, rank_id, sample)
        if candidate.input.database is not None:
            self._read_profile(candidate, by_kind[candidate.input.database_kind], rank_id, sample)
        if not candidate.input.has_records:
            sources[0].ledger.note(WARNING, "only-reference", ONLY_REFERENCE)
        if contradiction := candidate.contradictions():
            sources[0].ledger.note(WARNING, "rank-number", contradiction)
        for source in sources:
            before = candidate.signatures.get(source.path)
            is_gone = before is not None and not is_regular(source.path)
            if not is_gone and not is_readable(source.path):  # noted where it was to be read
                reason = why_unreadable(source.path, source.kind == FOLDER)
                source.state, source.note = "failed", source.note or f"is not read: {reason}"
                continue
            if before is not None and not is_gone:
                source.content = fingerprints.of(source.path)
            if is_gone or signature(source.path) != before:
                raise InputError(
                    f"{shown(source.path)}: changed while it was read; ingest it again when nothing writes to it"
                )
        form = NAMES[candidate.input.form]
        for place, (path, kind) in enumerate(candidate.input.left):
            note = _WHY_LEFT.get(kind, f"the same profile is read from its {form}")
            left = _Source(first + len(files) + place, path, kind, Ledger(), "left", note)
            if not is_regular(path):
                left.note = "is not a regular file"
                left.ledger.note(WARNING, "bad-description", f"{shown(path)}: is not a regular file")
            sources.append(left)
        self._write_sources(sources, rank_id, candidate.input.path)
        self._progress.finished()

    def write_failure(self, each: RankInput, reason: str) -> None:
        """Book an input that could not be loaded."""
        files = each.files()
        first = self._loader.reserve("source", len(files))
        ledger = Ledger()
        ledger.note(ERROR, "bad-input", reason)
        sources = [
            _Source(first + place, path, kind, ledger if place == 0 else Ledger(), "failed", reason)
            for place, (path, kind) in enumerate(files)
        ]
        if not sources:
            self._write_issue(ledger.issues[0], None, None, each.path)
        self._write_sources(sources, None, each.path)

    def _write_rank(self, candidate: Candidate, rank_id: int, run_id: int) -> None:
        facts, each = candidate.facts, candidate.input
        device = facts.device_ids[0] if facts.device_ids else None
        chip = None if device is None else facts.chip_names.get(device)
        if chip is None and facts.chip_names:
            chip = next(iter(facts.chip_names.values()))
        columns: dict[str, Column] = {
            "id": rank_id,
            "run_id": run_id,
            "rank_no": candidate.rank_no,
            "rank_origin": candidate.rank_origin,
            "device_id": device,
            "chip_name": chip,
            "input_kind": _kind_of(each),
            "path": shown(each.path),
            "directory": each.directory,
            "is_simulated": int(any(_SIMULATED in name for name in facts.chip_names.values())),
        }
        for name in _FACTS:
            columns[name] = getattr(facts, name)
        self._loader.write("rank", columns)
        if facts.device_ids:
            chips = [facts.chip_names.get(each, chip) for each in facts.device_ids]
            cores = [facts.cores.get(each, Cores()) for each in facts.device_ids]
            described = {each.name: [getattr(of, each.name) for of in cores] for each in fields(Cores)}
            self._loader.write(
                "device", {"rank_id": rank_id, "device_id": facts.device_ids, "chip_name": chips, **described}
            )

    def _write_metadata(self, candidate: Candidate, rank_id: int, source_id: int) -> None:
        if candidate.facts.metadata:
            names, values = map(list, zip(*candidate.facts.metadata, strict=True))
            columns: dict[str, Column] = {"rank_id": rank_id, "source_id": source_id, "name": names, "value": values}
            self._loader.write("rank_metadata", columns)

    def _read_analysis(self, source: _Source, rank_id: int, *, needed: bool) -> AnalysisSample:
        """Reference rows; a bad analysis.db beside a profile is an issue of its own, not the profile's fault."""
        try:
            with self._loader.undoing(), open_analysis(source.path, source.ledger) as database:
                sample = load_analysis(self._loader, database, rank_id, source.id)
                source.ledger.settle()
                return sample
        except InputError as error:
            if needed:
                raise
            source.ledger, source.state, source.note = Ledger(), "failed", str(error)
            source.ledger.note(ERROR, "bad-input", str(error))
            return AnalysisSample()

    def _read_profile(self, candidate: Candidate, source: _Source, rank_id: int, sample: AnalysisSample) -> None:
        with OfficialReader(source.path) as reader, LinkStore(self._memory.table_bytes) as links:
            source.ledger = reader.ledger
            self._progress.found([reader.ledger])
            strings = StringMap(self._loader, reader)
            load = RankLoad(self._loader, reader, links, rank_id, source.id, strings, self._progress, candidate.size())
            load_rank(load, candidate.facts, self._catalogue, sample)
            note_unmet(load, candidate.profiler)
            reader.ledger.settle()
            if reader.changed():
                raise InputError(
                    f"{shown(source.path)}: changed while it was read; ingest it again when nothing writes to it"
                )

    def _read_raw(self, candidate: Candidate, sources: list[_Source], rank_id: int, sample: AnalysisSample) -> None:
        assert candidate.input.raw is not None
        raw, memory = candidate.input.raw, self._memory
        with (
            RawReader(raw, candidate.profiler, memory.reader_bytes, self._progress.decoded) as reader,
            LinkStore(memory.table_bytes) as links,
        ):
            self._progress.found(reader.ledgers.values())
            strings = StringMap(self._loader, reader)
            load = RankLoad(
                self._loader, reader, links, rank_id, sources[0].id, strings, self._progress, candidate.size()
            )
            hashes = AnalysisSample({**sample.group_hashes, **reader.group_hashes()})
            load_rank(load, candidate.facts, self._catalogue, hashes)
            for source in sources:
                if source.path in reader.ledgers:
                    source.ledger = reader.ledgers[source.path]
                source.bytes = reader.bytes_of.get(source.path)
            for issue in reader.ledger.issues:
                self._write_issue(issue, None, rank_id, candidate.input.path)

    def _write_sources(self, sources: list[_Source], rank_id: int | None, input_path: Path) -> None:
        for source in sources:
            facts = _facts_of(source.path)
            total = source.ledger.total() if source.state == "used" else TableCount()
            decoded, rejected = _bytes_of(source, facts.size)
            columns: dict[str, Column] = {
                "id": source.id,
                "rank_id": rank_id,
                "path": shown(resolved(source.path)),
                "kind": source.kind,
                "state": source.state,
                "size_bytes": facts.size,
                "modified_ns": facts.modified_ns,
                "fingerprint": source.content,
                "record_count": total.records,
                "loaded_count": total.loaded,
                "rejected_count": total.rejected,
                "note": source.note,
                "decoded_bytes": decoded,
                "rejected_bytes": rejected,
            }
            self._loader.write("source", columns)
            self.counts.records += total.records
            self.counts.rejected += total.rejected
            if source.state == "used":
                self._write_tables(source)
            if _is_unread(source, decoded, facts.size):
                self.counts.unread_files += 1
                self.counts.unread_bytes += facts.size
            for issue in source.ledger.issues:
                issue.bytes = issue.bytes or rejected or 0
                self._write_issue(issue, source.id, rank_id, input_path, source.path)

    def _write_tables(self, source: _Source) -> None:
        tables = source.ledger.tables
        if tables:
            columns: dict[str, Column] = {
                "source_id": source.id,
                "name": list(tables),
                "record_count": [count.records for count in tables.values()],
                "loaded_count": [count.loaded for count in tables.values()],
                "rejected_count": [count.rejected for count in tables.values()],
            }
            self._loader.write("source_table", columns)

    def _write_issue(
        self, issue: Issue, source_id: int | None, rank_id: int | None, input_path: Path, file: Path | None = None
    ) -> None:
        if issue.severity != INFO:
            fault = Fault(issue.severity, issue.code, issue.text, input_path, file, issue.count, issue.bytes)
            self.counts.faults.append(fault)
        self.counts.errors += issue.severity == ERROR
        self.counts.warnings += issue.severity == WARNING
        self.counts.ignored += issue.rejected if issue.severity == INFO else 0
        columns: dict[str, Column] = {
            "source_id": source_id,
            "rank_id": rank_id,
            "severity": issue.severity,
            "code": issue.code,
            "text": issue.text,
            "table_name": issue.table,
            "first_offset": issue.first_offset,
            "count": issue.count,
            "rejected_count": issue.rejected,
        }
        self._loader.write("issue", columns)


_WHY_LEFT = {TEXT_FILE: "text files are not read", OTHER_PROF: "another PROF directory of the run is read"}


def _is_unread(source: _Source, decoded: int | None, size: int) -> bool:
    """Whether nothing of a file could be taken that somebody may miss."""
    if source.state == "left":
        return source.kind == OTHER_PROF
    is_missed = any(issue.severity != INFO for issue in source.ledger.issues)
    return source.state == "failed" or (decoded == 0 and size > 0 and is_missed)


def _kind_of(each: RankInput) -> str | None:
    """What is read of an input."""
    if each.raw is None:
        return each.database_kind if each.database else ANALYSIS
    return RECORDED if each.raw.recording is not None and each.raw.prof is None else RAW_PROFILE


def _bytes_of(source: _Source, size: int) -> tuple[int, int] | tuple[None, None]:
    """Bytes of a file that were decoded and rejected; of databases, and of what was not read, there is no saying.  A
    description is read as a whole, or not at all."""
    if source.bytes is not None:
        return source.bytes
    if source.state != "used" or source.kind not in (INFO_JSON, METADATA):
        return None, None
    return (0, size) if any(issue.code == "bad-description" for issue in source.ledger.issues) else (size, 0)


def _facts_of(path: Path) -> Signature:
    """What there is to say about a file, even if it is gone."""
    try:
        return signature(path)
    except InputError:
        return Signature(0, 0)


_FACTS = (
    "host_name", "host_uid", "pid", "level", "framework_version", "cann_version", "schema_version", "session_start_ns",
    "session_end_ns",
)  # fmt: skip

"""The public entry: paths in, one warehouse out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from warehouse.errors import InputError, UsageError, WarehouseFileError
from warehouse.ingest.budget import DEFAULT_BYTES, Budget, budget
from warehouse.ingest.candidate import Candidate, examine
from warehouse.ingest.discover import RankInput, discover, kind_of
from warehouse.ingest.faults import of_one_input
from warehouse.ingest.forms import chosen_forms
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.progress import Progress
from warehouse.ingest.rank_writer import RankWriter
from warehouse.ingest.report import Counts, IngestReport, told
from warehouse.ingest.runs import run_for
from warehouse.ingest.sources import Existing
from warehouse.ingest.workers import Workers
from warehouse.profile_folder import run_around
from warehouse.readers.input_file import resolved, shown
from warehouse.store import Loader, Removed, is_warehouse, more_rows, new_warehouse

_SMALL_BYTES = 64 << 20  # of inputs: other processes would take longer to begin than to decode


def ingest(
    paths: Sequence[Path | str],
    output: Path | str | None = None,
    force: bool = False,
    progress: Progress | None = None,
    forms: str | None = None,
    memory_bytes: int = DEFAULT_BYTES,
    jobs: int | None = None,
) -> IngestReport:
    """Load every profile below the paths into the warehouse `output`, making it if it does not exist.

    `output` None: `<name of the path>.db` in the working directory, `<name>_npuwh.db` for a path that is a database.
    Inputs that are in the warehouse already are left
    alone; those that changed since are refused, or replaced with `force`.  A bad input becomes an issue, the others
    load.  `progress` is called with (input, bytes done, bytes of all inputs) as they are read.
    `forms`, such as "db" or "db,raw": what is read of a profile, the preferred form first; see `chosen_forms`.
    `memory_bytes` is what all processes together may take, whatever the input; `jobs` how many ranks are decoded at the
    same time, as far as memory goes (None: as there are processors).  Neither changes what is written.

    UsageError if no output can be chosen, a form is not read or the memory is too little; InputError if no input could
    be loaded, nothing being made then; WarehouseFileError if the output is something else; WriteError if it cannot be
    written.

    >>> ingest(["runs/"], "runs.db").exit_code  # doctest: +SKIP
    0
    """
    inputs = [Path(path) for path in paths]
    if not inputs:
        raise UsageError("give at least one directory or database to ingest")
    order = chosen_forms(forms)
    target = choose_output(inputs, None if output is None else Path(output))
    exists = target.exists() or target.is_symlink()
    if exists and not is_warehouse(target):
        raise WarehouseFileError(f"{target}: exists and is not a warehouse made by npuwh; it is not touched")
    found = discover(inputs, order)
    if not found.inputs:
        names = ", ".join(map(shown, inputs))
        reasons = "".join(f"; {told(path, reason)}" for path, reason in found.failures)
        if found.text_only:
            reasons += f"; {shown(found.text_only[0])}: holds text files, which are not read"
        raise InputError(
            f"{names}: holds no profile (FRAMEWORK, PROF_*, ascend_pytorch_profiler[_N].db, msprof_<time>.db or "
            f"analysis.db){reasons}"
        )
    plan = _plan(found.inputs, Existing.read(target) if exists else Existing(), force)
    plan.lost += found.failures
    report = _carry_out(plan, target, exists, progress or _silent, memory_bytes, jobs)
    if report.exit_code == 2:
        raise InputError(_why_nothing(report))
    return report


def choose_output(inputs: list[Path], output: Path | None) -> Path:
    """The output, or the default for one input; UsageError if it would lie inside an input, or nowhere.

    The default is never the name of the input or of a profiler's file.

    >>> choose_output([Path("no-such-place/job")], None).name
    'job.db'
    >>> choose_output([Path("no-such-place/msprof_20240102")], None).name
    'msprof_20240102_npuwh.db'
    """
    if output is None:
        if len(inputs) > 1:
            raise UsageError("several inputs: say with -o where the warehouse goes")
        source = resolved(inputs[0])
        name = source.stem if source.is_file() else source.name
        if not name:
            raise UsageError(f"{shown(inputs[0])}: has no name to call the warehouse by; say with -o where it goes")
        output = Path(f"{shown(name)}.db")
        if output.name == source.name or kind_of(output.name):  # nobody should take it for a profile
            output = Path(f"{shown(name)}_npuwh.db")
    place = resolved(output)
    for source in map(resolved, inputs):
        if place == source or (source.is_dir() and place.is_relative_to(source)):
            raise UsageError(
                f"{output}: would lie in the input {shown(source)}, which is never written to; choose with -o"
            )
    if around := run_around(place.parent):
        raise UsageError(
            f"{output}: would lie in the profile {shown(around)}, and profiles are never written to; choose with -o"
        )
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; give -o the name of a file")
    if not place.parent.is_dir():
        raise UsageError(f"{output}: the directory {place.parent} does not exist")
    return output


@dataclass
class _Plan:
    """What is to be done with each input; `todo` holds the id of the rank that an input replaces."""

    todo: list[tuple[Candidate, int | None]] = field(default_factory=list)
    unchanged: list[Path] = field(default_factory=list)
    refused: list[tuple[Path, str]] = field(default_factory=list)
    bad: list[tuple[RankInput, str]] = field(default_factory=list)
    lost: list[tuple[Path, str]] = field(default_factory=list)


class _ReplacementError(Exception):
    """A changed input turned out to be bad after what it replaces was deleted."""

    def __init__(self, candidate: Candidate, reason: str) -> None:
        super().__init__(reason)
        self.candidate = candidate
        self.reason = reason


def _plan(inputs: list[RankInput], existing: Existing, force: bool) -> _Plan:
    plan = _Plan()
    for each in inputs:
        rank_id = existing.ranks.get(shown(each.path))
        try:
            if rank_id is not None and existing.holds(rank_id, each):
                plan.unchanged.append(each.path)
            elif rank_id is not None and not force:
                plan.refused.append((each.path, "changed since it was ingested; --force replaces what was loaded"))
            else:
                with of_one_input():
                    plan.todo.append((examine(each), rank_id))
        except InputError as error:
            plan.bad.append((each, str(error)))
    plan.todo.sort(key=lambda item: item[0].sort_key())
    return plan


def _carry_out(
    plan: _Plan, target: Path, exists: bool, progress: Progress, memory_bytes: int, jobs: int | None
) -> IngestReport:
    """Load what is to be loaded; once more without it if a replacement fails, so that what was there stays."""
    while True:
        report = IngestReport(target, exists, unchanged=plan.unchanged, refused=plan.refused, failed=list(plan.lost))
        report.failed += [(each.path, reason) for each, reason in plan.bad]
        memory = budget(memory_bytes, _jobs([candidate for candidate, _ in plan.todo], jobs))
        if not plan.todo:
            return report
        try:
            with _loader(plan, target, exists, memory) as loader:
                _load(loader, plan, report, progress, memory)
        except _ReplacementError as error:
            plan.todo = [item for item in plan.todo if item[0] is not error.candidate]
            plan.bad.append((error.candidate.input, error.reason))
        else:
            return report


def _loader(plan: _Plan, target: Path, exists: bool, memory: Budget) -> AbstractContextManager[Loader]:
    """Of a new warehouse, or of more rows for one that is there, without what they replace."""
    if not exists:
        return new_warehouse(target, memory.keys_bytes, memory.ahead_bytes)
    inputs = [*(candidate.input for candidate, _ in plan.todo), *(each for each, _ in plan.bad)]
    replaced = [rank_id for _, rank_id in plan.todo if rank_id is not None]
    size = sum(candidate.size() for candidate, _ in plan.todo)
    removed = Removed(replaced, [name for each in inputs for name in _names(each)])
    return more_rows(target, removed, size, memory.keys_bytes, memory.ahead_bytes)


def _load(loader: Loader, plan: _Plan, report: IngestReport, progress: Progress, memory: Budget) -> None:
    catalogue = KernelCatalogue(loader)
    failures = list(plan.bad)
    candidates = [candidate for candidate, _ in plan.todo]
    with _loading(loader, catalogue, candidates, report.output.parent, progress, memory) as load_rank:
        for place, (candidate, rank_id) in enumerate(plan.todo):
            try:
                with of_one_input(), loader.undoing():
                    counts = load_rank(place, run_for(loader, candidate))
            except InputError as error:
                if rank_id is not None:
                    raise _ReplacementError(candidate, str(error)) from error
                report.failed.append((candidate.input.path, str(error)))
                failures.append((candidate.input, str(error)))
                catalogue.forget()
                continue
            (report.added if rank_id is None else report.replaced).append(candidate.input.path)
            report.take(counts)
    if not report.added and not report.replaced:
        raise InputError(_why_nothing(report))
    for each, reason in failures:
        RankWriter(loader, catalogue, lambda _: None, memory.rank).write_failure(each, reason)


@contextmanager
def _loading(
    loader: Loader,
    catalogue: KernelCatalogue,
    candidates: list[Candidate],
    folder: Path,
    progress: Progress,
    memory: Budget,
) -> Iterator[Callable[[int, int], Counts]]:
    """A function that loads the candidate at a place into a run: here, or as other processes decode it."""
    sizes = [candidate.size() for candidate in candidates]

    def told(place: int, begin: int) -> Callable[[int], None]:
        name = shown(candidates[place].input.path)
        progress(name, begin, sum(sizes))
        return lambda done: progress(name, done, sum(sizes))

    def load_here(place: int, run_id: int) -> Counts:
        before = sum(sizes[:place])
        tell = told(place, before)
        writer = RankWriter(loader, catalogue, lambda done: tell(before + done), memory.rank)
        writer.load(candidates[place], run_id)
        return writer.counts

    if not memory.workers:
        yield load_here
        return
    with Workers(memory.workers, candidates, memory.rank, folder) as workers:
        yield lambda place, run_id: workers.load(place, loader, catalogue, run_id, told(place, workers.done()))


def _jobs(candidates: list[Candidate], wanted: int | None) -> int:
    """How many processes may decode: as many as wanted, else as there are processors, unless the inputs are small."""
    if wanted is not None:
        return min(wanted, max(1, len(candidates)))
    if sum(candidate.size() for candidate in candidates) < _SMALL_BYTES:
        return 1
    return max(
        1,
        min(len(candidates), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1),
    )


def _names(each: RankInput) -> list[str]:
    return [shown(resolved(path)) for path, _ in each.files()]


def _why_nothing(report: IngestReport) -> str:
    return "; ".join(told(path, reason) for path, reason in (*report.failed, *report.refused))


def _silent(_what: str, _done: int, _total: int) -> None:
    pass

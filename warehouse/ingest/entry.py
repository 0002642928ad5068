"""The public entry: paths in, one warehouse out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from warehouse.errors import InputError, UsageError, WarehouseFileError
from warehouse.ingest.candidate import Candidate, examine
from warehouse.ingest.discover import RankInput, discover
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.link import LinkStore
from warehouse.ingest.rank_writer import RankWriter
from warehouse.ingest.report import IngestReport
from warehouse.ingest.runs import run_for
from warehouse.ingest.sources import Existing
from warehouse.store import Loader, add_to, delete_rank, is_warehouse, new_warehouse

Progress = Callable[[str, int], None]


def ingest(
    paths: Sequence[Path | str],
    output: Path | str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Load every profile below the paths into the warehouse `output`, making it if it does not exist.

    `output` None: `<name of the path>.db` in the working directory.  Inputs that are in the warehouse already are left
    alone; those that changed since are refused, or replaced with `force`.  A bad input becomes an issue, the others load.
    `progress` is called with (table, rows written) as rows are written, and with (input, 0) when an input begins.

    UsageError if no output can be chosen; InputError if no input could be loaded, nothing being made then;
    WarehouseFileError if the output is something else; WriteError if it cannot be written.

    >>> ingest(["runs/"], "runs.db").exit_code  # doctest: +SKIP
    0
    """
    inputs = [Path(path) for path in paths]
    if not inputs:
        raise UsageError("give at least one directory or database to ingest")
    target = choose_output(inputs, None if output is None else Path(output))
    found = discover(inputs)
    report = IngestReport(target, failed=list(found.failures))
    if not found.inputs:
        names = ", ".join(map(str, inputs))
        reasons = "".join(f"; {path}: {reason}" for path, reason in found.failures)
        raise InputError(
            f"{names}: holds no profile (ascend_pytorch_profiler[_N].db, msprof_<time>.db or analysis.db){reasons}"
        )
    exists = target.exists() or target.is_symlink()
    if exists and not is_warehouse(target):
        raise WarehouseFileError(f"{target}: exists and is not a warehouse made by npuwh; it is not touched")
    todo = _sort_out(found.inputs, Existing.read(target) if exists else Existing(), force, report)
    if todo:
        with (add_to(target) if exists else new_warehouse(target)) as loader:
            _load(loader, todo, report, progress or _silent)
    if report.exit_code == 2:
        raise InputError(_why_nothing(report))
    return report


def choose_output(inputs: list[Path], output: Path | None) -> Path:
    """The output, or the default for one input; never inside an input."""
    if output is None:
        if len(inputs) > 1:
            raise UsageError("several inputs: say with -o where the warehouse goes")
        source = inputs[0].resolve()
        name = source.name if source.is_dir() else source.stem
        if not name:
            raise UsageError(f"{inputs[0]}: has no name to call the warehouse by; say with -o where it goes")
        output = Path(f"{name}.db")
    place = output.resolve()
    for source in (path.resolve() for path in inputs):
        if place == source or (source.is_dir() and place.is_relative_to(source)):
            raise UsageError(f"{output}: would lie inside the input {source}, which is never written to; choose with -o")
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; give -o the name of a file")
    if not place.parent.is_dir():
        raise UsageError(f"{output}: the directory {place.parent} does not exist")
    return output


def _sort_out(
    inputs: list[RankInput], existing: Existing, force: bool, report: IngestReport
) -> list[tuple[Candidate, int | None]]:
    """What is to be loaded, with the id of the rank it replaces."""
    todo = []
    for each in inputs:
        rank_id = existing.ranks.get(str(each.path))
        try:
            if rank_id is not None:
                if existing.holds(rank_id, each):
                    report.unchanged.append(each.path)
                    continue
                if not force:
                    report.refused.append((each.path, "changed since it was ingested; --force replaces what is loaded"))
                    continue
            todo.append((examine(each), rank_id))
        except InputError as error:
            report.failed.append((each.path, _reason(error, each.path)))
    return todo


def _load(
    loader: Loader, todo: list[tuple[Candidate, int | None]], report: IngestReport, progress: Progress
) -> None:
    for _, rank_id in todo:
        if rank_id is not None:
            delete_rank(loader, rank_id)
    with LinkStore() as links:
        catalogue = KernelCatalogue(loader, links)
        for candidate, rank_id in sorted(todo, key=lambda item: item[0].sort_key()):
            progress(str(candidate.input.path), 0)
            writer = RankWriter(loader, links, catalogue, progress)
            try:
                with loader.undoing():
                    writer.load(candidate, run_for(loader, candidate))
            except InputError as error:
                if rank_id is not None:
                    raise  # what it replaces is deleted already: the whole change is undone
                report.failed.append((candidate.input.path, _reason(error, candidate.input.path)))
                catalogue.forget()
                writer.write_failure(candidate, str(error))
                continue
            (report.added if rank_id is None else report.replaced).append(candidate.input.path)
            report.records += writer.records
            report.rejected += writer.rejected
            report.warnings += writer.warnings
    if not report.added and not report.replaced:
        raise InputError(_why_nothing(report))


def _reason(error: InputError, path: Path) -> str:
    """The error's text without the path, which stands before it already."""
    return str(error).removeprefix(f"{path}: ")


def _why_nothing(report: IngestReport) -> str:
    return "; ".join(f"{path}: {reason}" for path, reason in (*report.failed, *report.refused))


def _silent(_what: str, _rows: int) -> None:
    pass

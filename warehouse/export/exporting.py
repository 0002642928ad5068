"""One export: choose ranks and kinds, write every file, put all in place together."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from warehouse import store
from warehouse.errors import UsageError, WarehouseFileError
from warehouse.export.msprof_folder import msprof_path, same_but_stamp
from warehouse.export.nothing import why_nothing
from warehouse.export.placing import Placing
from warehouse.export.registry import RankFile, WholeFile, chosen_kinds, unwritable_files, whole_files
from warehouse.export.selection import ChosenRank, Numbers, Selection, choose
from warehouse.export.source import ExportSource, open_source

OUTPUT_FOLDER = "ASCEND_PROFILER_OUTPUT"
# called before each file with what it is, how many are done, and how many there are
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ExportedFile:
    """One file that was made; `rank_no` None for one about several ranks."""

    path: Path
    kind: str
    rank_no: int | None
    rows: int


@dataclass
class ExportReport:
    """What an export made, and what not: names below the output directory.

    `absent` would have no rows, each with its kind; `left_out` cannot be narrowed to the ranks, steps or times that
    were chosen, each with the reason.
    """

    files: list[ExportedFile] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Task:
    name: str
    kind: str
    rank_no: int | None
    write: Callable[[Path], int]
    is_kept_empty: bool = False
    other_forms: tuple[str, ...] = ()
    older: str | None = None  # pattern of the names that it had in earlier exports


def export(
    warehouse: Path | str,
    to: Path | str,
    kinds: Sequence[str] = ("text", "trace"),
    *,
    run: Numbers = None,
    rank: Numbers = None,
    step: Numbers = None,
    from_ns: int | None = None,
    to_ns: int | None = None,
    gzip: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> ExportReport:
    """Write deliverables of the warehouse below the directory `to`.

    `kinds`: `text` (every text deliverable), `msprof` (those of msprof itself), one of them by name, `trace` (one
    Chrome trace of all chosen ranks, `gzip` packs it), `parquet` (a file a view, also without rows).  `force` replaces
    files of an earlier export that somebody changed since.  `run` is run.id,
    `rank` and `step` are numbers, one or several; [from_ns, to_ns) are ns since the Unix epoch and take what overlaps
    them.  Text lies at `to/<run directory of the rank>/ASCEND_PROFILER_OUTPUT/<vendor's file name>` (deliverables.md
    section 0), msprof's files in the same run directory at `<PROF directory>/mindstudio_profiler_output/`; what has no
    rows gets no file.

    UsageError: unknown kind, run, rank or step; nothing that was asked for has rows; `to` is or lies in an input; a
    file that npuwh did not make, or that was changed since, is in the way.
    WriteError: disk full and the like.  Either all files appear or none.

    >>> export("W.db", "out", ["kernel_details"], rank=0).files[0].rows  # doctest: +SKIP
    66
    """
    files, whole = chosen_kinds(kinds)
    with store.reading(warehouse), open_source(warehouse) as source:
        connection = source.connection
        store.require_views(connection, warehouse)
        wanted = Selection(run, rank, step, from_ns, to_ns)
        ranks = choose(connection, wanted)
        try:
            folders = rank_folders(connection)
        except WarehouseFileError as error:
            raise WarehouseFileError(f"{warehouse}: {error}") from error
        tasks = [_rank_task(source, each, folders[each.id], file) for each in ranks for file in files]
        left_out = unwritable_files(whole, ranks, is_part=len(ranks) < len(folders))
        tasks += [
            _whole_task(source, ranks, file)
            for kind in whole
            for file in whole_files(kind, gzip)
            if file.file not in left_out
        ]
        report = ExportReport(left_out=left_out)
        with Placing(Path(to), _inputs(connection), force) as placing:
            _write(Path(to), placing, tasks, report, progress or _silent)
            if not report.files:
                reason = why_nothing(connection, ranks, wanted, list(report.absent))
                raise UsageError(f"{warehouse}: nothing was written: {reason}")
        return report


def _write(to: Path, placing: Placing, tasks: list[_Task], report: ExportReport, progress: Progress) -> None:
    for name in report.left_out:
        placing.drop(name)
    for task in tasks:  # before the work
        placing.check(task.name)
    for done, task in enumerate(tasks):
        progress(task.name, done, len(tasks))
        rows = task.write(placing.growing(task.name))
        for name in (*task.other_forms, *placing.ours_like(task.older)):
            placing.drop(name)
        if rows or task.is_kept_empty:
            report.files.append(ExportedFile(to / task.name, task.kind, task.rank_no, rows))
        else:
            placing.drop(task.name)
            report.absent[task.name] = task.kind
    progress("", len(tasks), len(tasks))


def _rank_task(source: ExportSource, rank: ChosenRank, folder: str, file: RankFile) -> _Task:
    def write(path: Path) -> int:
        return file.write(source, rank, path)

    if file.is_msprof:
        name = f"{folder}/{msprof_path(source.connection, rank, file.file)}"
        return _Task(name, file.kind, rank.rank_no, write, older=same_but_stamp(name))
    return _Task(f"{folder}/{OUTPUT_FOLDER}/{file.file}", file.kind, rank.rank_no, write)


def _whole_task(source: ExportSource, ranks: list[ChosenRank], file: WholeFile) -> _Task:
    def write(path: Path) -> int:
        return file.write(source, ranks, path)

    return _Task(file.file, file.kind, None, write, file.is_kept_empty, file.other_forms)


def rank_folders(connection: sqlite3.Connection) -> dict[int, str]:
    """Folder of each rank of the warehouse by rank.id: its run directory; with parents in front where two would share
    it.

    The parents are as many as it takes to tell those ranks apart, whichever of them are exported.

    >>> rank_folders(connection)  # doctest: +SKIP
    {1: 'monday/node0_41000_20231125090304041_ascend_pt', 2: 'tuesday/node0_41000_20231125090304041_ascend_pt'}
    """
    groups: defaultdict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for rank_id, directory, path in connection.execute(
        *store.select("rank", ["id", "directory", "path"], order=["id"])
    ):
        groups[directory].append((rank_id, _parents(path, directory)))
    folders = {}
    for directory, members in groups.items():
        depth = 0
        longest = max(len(parents) for _, parents in members)
        while depth < longest and len({parents[len(parents) - depth :] for _, parents in members}) < len(members):
            depth += 1
        for rank_id, parents in members:
            folder = str(PurePosixPath(*parents[len(parents) - depth :], directory))
            if "\0" in folder:
                raise WarehouseFileError(f"the directory of rank {rank_id} ('{folder}') is no name of a folder")
            folders[rank_id] = folder
    return folders


def _parents(path: str, directory: str) -> tuple[str, ...]:
    """The folders above a rank's run directory (above the file, if the input was a bare file)."""
    parts = [part for part in Path(path).parts if part not in ("/", "..", ".")]
    while parts and parts[-1] != directory and len(parts) > 1:
        if directory in parts:
            parts.pop()
        else:
            break
    return tuple(parts[:-1])


def _inputs(connection: sqlite3.Connection) -> list[Path]:
    """Run directories an export must not write to; beside an input that is a single file there is room."""
    paths = [Path(path) for (path,) in connection.execute(*store.select("rank", ["path"]))]
    return [path for path in paths if "\0" not in str(path) and not _is_file(path)]  # no path has a NUL in it


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # it lies where we may not look
        return False


def _silent(what: str, done: int, total: int) -> None:
    return None

"""Everything that can be exported: a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from warehouse import store
from warehouse.errors import UsageError
from warehouse.export.communication_file import write_communication, write_communication_matrix
from warehouse.export.csv_file import write_csv
from warehouse.export.parquet_views import obstacle, parquet_views
from warehouse.export.selection import ChosenRank
from warehouse.export.source import ExportSource
from warehouse.export.trace_own import write_trace
from warehouse.export.trace_vendor import write_msprof_trace, write_vendor_trace

# writes one rank's part to a path and tells how many rows it has; 0 = no file is made
RankWriter = Callable[[ExportSource, ChosenRank, Path], int]


@dataclass(frozen=True)
class RankFile:
    """A file that each rank has, named as the vendor names it: in its ASCEND_PROFILER_OUTPUT, or (`is_msprof`) in the
    mindstudio_profiler_output of its PROF directory."""

    kind: str
    file: str
    write: RankWriter
    is_msprof: bool = False


def _csv(kind: str) -> RankFile:
    view = store.view(f"export_{kind}")
    return RankFile(kind, view.file or "", partial(write_csv, view=view.name))


# files that the framework takes over from msprof as they are
_TAKEN_OVER = ("task_time", "op_statistic", "l2_cache", "soc_pmu", "nic", "roce", "pcie", "hccs")


def rank_files() -> list[RankFile]:
    """The files of a rank in the order in which they are written; together they are the kind `text`.

    >>> [each.kind for each in rank_files()][:2]
    ['trace_view', 'operator_details']
    """
    return [
        RankFile("trace_view", "trace_view.json", write_vendor_trace),
        _csv("operator_details"),
        _csv("kernel_details"),
        _csv("op_statistic"),
        _csv("api_statistic"),
        _csv("task_time"),
        _csv("step_trace_time"),
        _csv("operator_memory"),
        _csv("memory_record"),
        _csv("npu_module_mem"),
        _csv("data_preprocess"),
        *(_csv(kind) for kind in ("l2_cache", "soc_pmu", "nic", "roce", "pcie", "hccs")),
        RankFile("communication", "communication.json", write_communication),
        RankFile("communication_matrix", "communication_matrix.json", write_communication_matrix),
    ]


def msprof_files() -> list[RankFile]:
    """msprof's own files of a rank; together they are the kind `msprof`.

    They are the trace, every view `msprof_...` that makes a file, and of the framework's files those that it takes over
    unchanged.

    >>> [each.file for each in msprof_files()][:2]
    ['msprof.json', 'aicpu.csv']
    """
    views = store.views()
    own = [name for name in sorted(views) if name.startswith("msprof_") and views[name].file]
    taken = [f"export_{kind}" for kind in _TAKEN_OVER if f"export_{kind}" in views]
    return [
        RankFile("msprof_trace", "msprof.json", write_msprof_trace, is_msprof=True),
        *(RankFile(name, views[name].file or "", partial(write_csv, view=name), is_msprof=True) for name in own),
        *(
            RankFile(f"msprof_{name[7:]}", views[name].file or "", partial(write_csv, view=name), is_msprof=True)
            for name in taken
        ),
    ]


@dataclass(frozen=True)
class WholeFile:
    """A file about all chosen ranks together.

    `is_kept_empty`: it is made without rows, too; `other_forms` are names that an earlier export may have given the
    same content.
    """

    kind: str
    file: str
    write: Callable[[ExportSource, list[ChosenRank], Path], int]
    is_kept_empty: bool = False
    other_forms: tuple[str, ...] = ()


def whole_files(kind: str, gzip: bool = False) -> list[WholeFile]:
    """The files of a kind that is about all chosen ranks.

    >>> [each.file for each in whole_files("trace", gzip=True)]
    ['trace.json.gz']
    """
    if kind == "trace":
        plain, packed = "trace.json", "trace.json.gz"
        name, other = (packed, plain) if gzip else (plain, packed)
        return [WholeFile(kind, name, partial(write_trace, gzip=gzip), other_forms=(other,))]
    return [
        WholeFile(kind, _parquet_name(view), partial(_write_parquet, view=view), is_kept_empty=True)
        for view in parquet_views()
    ]


def unwritable_files(kinds: Iterable[str], ranks: Sequence[ChosenRank], is_part: bool) -> dict[str, str]:
    """The files of those kinds that cannot be narrowed to what is chosen, each with the reason; `is_part`: some ranks
    of the warehouse are not chosen.

    >>> unwritable_files(["trace"], [], is_part=True)
    {}
    """
    if "parquet" not in kinds:
        return {}
    found = {_parquet_name(view): obstacle(view, ranks, is_part) for view in parquet_views()}
    return {name: reason for name, reason in found.items() if reason}


def _write_parquet(source: ExportSource, ranks: Sequence[ChosenRank], path: Path, view: str) -> int:
    from warehouse.export.parquet_file import write_parquet  # pyarrow takes longer to load than a small export

    return write_parquet(source, ranks, path, view)


def _parquet_name(view: str) -> str:
    return f"parquet/{view}.parquet"


def _words(file: RankFile) -> tuple[str, ...]:
    """What a file may be asked for with; where both have a file of a name, the name alone is the framework's."""
    if not file.is_msprof:
        return ("text", file.kind, file.file)
    is_shared = any(file.file == each.file for each in rank_files())
    return ("msprof", file.kind) if is_shared else ("msprof", file.kind, file.file, Path(file.file).stem)


WHOLE_KINDS = ("trace", "parquet")


def kind_names() -> list[str]:
    """Every word that `export` takes.

    >>> kind_names()[:2], kind_names()[-2:]
    (['text', 'trace_view'], ['trace', 'parquet'])
    """
    kinds = [each.kind for each in rank_files()]
    return ["text", *kinds, "msprof", *(each.kind for each in msprof_files()), *WHOLE_KINDS]


def chosen_kinds(kinds: Iterable[str]) -> tuple[list[RankFile], list[str]]:
    """The rank files and the whole kinds that are meant, each once; UsageError for an unknown one.

    A file's own name is a kind, too.

    >>> chosen_kinds(["kernel_details.csv", "trace"])[1]
    ['trace']
    """
    files, wanted, whole = [*rank_files(), *msprof_files()], set(), []
    for kind in kinds:
        names = {each.kind for each in files if kind in _words(each)}
        if kind in WHOLE_KINDS:
            whole.append(kind)
        elif not names:
            near = store.did_you_mean(kind, kind_names())
            raise UsageError(f"'{kind}' cannot be exported{near} (kinds are {' '.join(kind_names())})")
        wanted |= names
    return [each for each in files if each.kind in wanted], [kind for kind in WHOLE_KINDS if kind in whole]

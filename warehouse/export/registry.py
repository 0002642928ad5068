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
from warehouse.export.parquet_file import obstacle, parquet_views, write_parquet
from warehouse.export.selection import ChosenRank
from warehouse.export.source import ExportSource
from warehouse.export.trace_own import write_trace
from warehouse.export.trace_vendor import write_vendor_trace

# writes one rank's part to a path and tells how many rows it has; 0 = no file is made
RankWriter = Callable[[ExportSource, ChosenRank, Path], int]


@dataclass(frozen=True)
class RankFile:
    """A file that each rank has in its ASCEND_PROFILER_OUTPUT, named as the vendor names it."""

    kind: str
    file: str
    write: RankWriter


def _csv(kind: str) -> RankFile:
    view = store.view(f"export_{kind}")
    return RankFile(kind, view.file or "", partial(write_csv, view=view.name))


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
        RankFile("communication", "communication.json", write_communication),
        RankFile("communication_matrix", "communication_matrix.json", write_communication_matrix),
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
        WholeFile(kind, _parquet_name(view), partial(write_parquet, view=view), is_kept_empty=True)
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


def _parquet_name(view: str) -> str:
    return f"parquet/{view}.parquet"


WHOLE_KINDS = ("trace", "parquet")


def kind_names() -> list[str]:
    """Every word that `export` takes.

    >>> kind_names()[:2], kind_names()[-2:]
    (['text', 'trace_view'], ['trace', 'parquet'])
    """
    return ["text", *(each.kind for each in rank_files()), *WHOLE_KINDS]


def chosen_kinds(kinds: Iterable[str]) -> tuple[list[RankFile], list[str]]:
    """The rank files and the whole kinds that are meant, each once; UsageError for an unknown one.

    A file's own name is a kind, too.

    >>> chosen_kinds(["kernel_details.csv", "trace"])[1]
    ['trace']
    """
    files, wanted, whole = rank_files(), set(), []
    for kind in kinds:
        names = {each.kind for each in files if kind in ("text", each.kind, each.file)}
        if kind in WHOLE_KINDS:
            whole.append(kind)
        elif not names:
            raise UsageError(f"'{kind}' cannot be exported: choose of {' '.join(kind_names())}")
        wanted |= names
    return [each for each in files if each.kind in wanted], [kind for kind in WHOLE_KINDS if kind in whole]

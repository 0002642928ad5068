"""Where the files of msprof lie, and how they are called: in the PROF directory of their rank, with a time stamp."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime, timezone
from pathlib import PurePosixPath

from warehouse import store
from warehouse.export.selection import ChosenRank

_FOLDER = "mindstudio_profiler_output"
_PROF = re.compile(r"PROF_\w+")


def msprof_path(connection: sqlite3.Connection, rank: ChosenRank, file: str) -> str:
    """Place of one of msprof's files below the folder of its rank (deliverables.md section 15).

    A rank whose input lay in no PROF directory has no such folder.  msprof stamps its files with the time at which it
    writes them; ours have the end of the recording, in UTC, so that the same data has the same names.

    >>> msprof_path(connection, rank, "op_summary.csv")  # doctest: +SKIP
    'PROF_000001_20231125090304041_AAAAAAAA/mindstudio_profiler_output/op_summary_20231125090416.csv'
    """
    name = PurePosixPath(file)
    stamped = f"{name.stem}_{_stamp(connection, rank)}{name.suffix}"
    return str(PurePosixPath(_prof(connection, rank), _FOLDER, stamped))


def same_but_stamp(path: str) -> str:
    """Pattern (fnmatch) of files that differ from one of msprof's by their stamps alone.

    >>> same_but_stamp("a/mindstudio_profiler_output/npu_mem_20231125090416.csv")
    'a/mindstudio_profiler_output/npu_mem_[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].csv'
    """
    head, _, tail = path.rpartition("_")
    escaped = re.sub(r"([*?[])", r"[\1]", head)
    return f"{escaped}_{'[0-9]' * 14}{PurePosixPath(tail).suffix}"


def _prof(connection: sqlite3.Connection, rank: ChosenRank) -> str:
    """Name of the PROF directory that the rank was read from, "" without: below its run directory, else above."""
    query = store.select("source", ["path"], [("rank_id", "=", rank.id), ("state", "=", "used")], order=["id"])
    paths = [PurePosixPath(path) for (path,) in connection.execute(*query)]
    depth = len(PurePosixPath(rank.path).parts)
    for first in (depth, 0):
        for path in paths:
            for part in reversed(path.parts[first:-1]):
                if _PROF.fullmatch(part):
                    return part
    return ""


def _stamp(connection: sqlite3.Connection, rank: ChosenRank) -> str:
    ((end,),) = connection.execute(*store.select("rank", ["session_end_ns"], [("id", "=", rank.id)]))
    if end is None:
        query = store.select("event_extent", ["max_end_ns"], [("rank_id", "=", rank.id)])
        end = max((last for (last,) in connection.execute(*query) if last is not None), default=0)
    try:
        return datetime.fromtimestamp(max(end, 0) // 1_000_000_000, timezone.utc).strftime("%Y%m%d%H%M%S")
    except (OverflowError, OSError, ValueError):  # an absurd time in a damaged warehouse
        return "0" * 14

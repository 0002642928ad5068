"""What a recording says of itself: when and by what it was made, what it lacks, whether it is still being written."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from warehouse.batches.chunk_folder import ChunkFolder, open_chunk_folder, read_chunk
from warehouse.batches.recorded_manifest import Anchor
from warehouse.errors import InputError
from warehouse.readers.facts import RankFacts
from warehouse.readers.input_file import shown
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.recorded_clock import RecordedClock

_NAMES_TOLD = 3
_PID = re.compile(r"_(\d{1,9})_\d{17}_ascend_pt$")  # in the name of a run directory
_ENDED_BY = {"disk full": "the disk was full", "disk limit": "its limit of disk space was reached"}
_KILLED = "its process ended before it could complete it"
_EARLY_ENDS = ("disk-budget", "disk-error")
_LONGEST_TROUBLE = 1000
_MOST_TROUBLES = 100  # that a recording tells of itself
_UNOBSERVED = (
    "operators of threads are not recorded: profile() records the thread that starts it and those that call "
    "enable_profiler_in_child_thread; npuwh record takes all"
)


def describe_recording(path: Path, profiler: dict[str, Any], facts: RankFacts) -> None:
    """Fill in what the folder of chunks at `path` and `profiler_info` tell.

    InputError if it cannot be read, is still being written, or has nothing in it.
    """
    folder = open_chunk_folder(path)
    if _is_being_written(folder):
        raise InputError(
            f"{shown(path)}: is still being recorded, by process {folder.pid}; read it when that has ended"
        )
    if not any(chunk.size for chunk in folder.chunks):
        raise InputError(f"{shown(path)}: has no records" + " (yet)" * _may_have_more(folder))
    facts.pid = facts.pid or folder.pid
    version = profiler.get("torch_version", folder.facts.get("torch_version"))
    if facts.framework_version is None and isinstance(version, str):
        facts.framework_version = version
    anchors: list[Anchor] = []
    for chunk in folder.of("anchor"):
        for batch in read_chunk(chunk):
            anchors += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    clock = RecordedClock.of(folder, anchors)
    if clock.is_known and facts.session_start_ns is None:
        facts.session_start_ns, facts.session_end_ns = clock.ns(np.array([clock.first, clock.last])).tolist()


def note_state(folder: ChunkFolder, ledger: Ledger) -> None:
    """Issues for what the recording lacks, and for what its manifest cannot mean."""
    for text in folder.faults:
        ledger.note(WARNING, "bad-manifest", text)
    if folder.state != "complete":
        why = _ENDED_BY.get(folder.ended_by or "") or folder.reason or _KILLED
        why += f" ({folder.reason})" if folder.reason and folder.reason != why else ""
        ledger.note(WARNING, "incomplete-recording", f"the recording ends early: {why}")
    unobserved = folder.facts.get("unobserved_threads")
    if isinstance(unobserved, list) and unobserved:
        ledger.note(INFO, "unobserved-threads", _UNOBSERVED, count=len(unobserved))
    why = "they came faster than they were written"
    if folder.state in _EARLY_ENDS:
        why += ", or after its early end"
    for lost, refused, what in (
        (folder.lost_events, folder.refused_events, "events"),
        (folder.lost_frames, folder.refused_frames, "Python calls and returns"),
    ):
        if refused:
            text = f"{what} were lost: there was no memory for the records of their threads"
            ledger.note(WARNING, "lost-records", text, count=refused)
        if lost > refused:
            ledger.note(WARNING, "lost-records", f"{what} were lost: {why}", count=lost - refused)
    troubles = folder.facts.get("troubles")
    for trouble in troubles[:_MOST_TROUBLES] if isinstance(troubles, list) else ():
        ledger.note(WARNING, "recording-trouble", str(trouble)[:_LONGEST_TROUBLE])
    for name in folder.missing[:_NAMES_TOLD]:
        ledger.note(WARNING, "missing-chunk", f"{name} is in the manifest but not there")
    more = len(folder.missing) - _NAMES_TOLD
    if more > 0:
        ledger.note(WARNING, "missing-chunk", "more chunks are in the manifest but not there", count=more)


def _is_being_written(folder: ChunkFolder) -> bool:
    """Whether its process, as the manifest has it, holds a chunk open; on another host there is no telling."""
    if folder.state != "recording" or folder.pid is None:
        return False
    below = f"{os.path.realpath(folder.path)}/"
    try:
        with os.scandir(f"/proc/{folder.pid}/fd") as descriptors:
            return any(_target(Path(each.path)).startswith(below) for each in descriptors)
    except OSError:  # it is gone, or not ours
        return False


def _may_have_more(folder: ChunkFolder) -> bool:
    """Whether the process that was to write it, as its manifest or the name of its run has it, is there."""
    named = _PID.search(folder.path.absolute().parent.name)
    pid = folder.pid or (int(named[1]) if named else 0)
    return folder.state == "recording" and Path(f"/proc/{pid}").exists()


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""

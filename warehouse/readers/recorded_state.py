"""What a recording says of itself: when and by what it was made, what it lacks, whether it is still being written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from warehouse.batches.chunk_folder import ChunkFolder, open_chunk_folder, read_chunk
from warehouse.errors import InputError
from warehouse.readers.facts import RankFacts
from warehouse.readers.input_file import shown
from warehouse.readers.issues import INFO, WARNING, Ledger

_EARLY_ENDS = ("disk-budget", "disk-error")
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
    if not folder.chunks:
        raise InputError(f"{shown(path)}: is a recording in which nothing was recorded")
    facts.pid = facts.pid or folder.pid
    version = profiler.get("torch_version", folder.facts.get("torch_version"))
    if facts.framework_version is None and isinstance(version, str):
        facts.framework_version = f"torch {version}"
    anchors = list(folder.anchors)
    for chunk in folder.of("anchor"):
        for batch in read_chunk(chunk):
            anchors += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    if anchors and facts.session_start_ns is None:  # (ticks, raw ns, wall clock ns), the wall clock of the first alone
        _, first_raw_ns, facts.session_start_ns = min(anchors)
        facts.session_end_ns = facts.session_start_ns + max(anchors)[1] - first_raw_ns


def note_state(folder: ChunkFolder, is_clock_known: bool, ledger: Ledger) -> None:
    """Issues for what the recording lacks."""
    if folder.state != "complete":
        why = folder.reason or "its process ended before it could complete it"
        ledger.note(WARNING, "incomplete-recording", f"the recording ends early: {why}")
    unobserved = folder.facts.get("unobserved_threads")
    if isinstance(unobserved, list) and unobserved:
        ledger.note(INFO, "unobserved-threads", _UNOBSERVED, count=len(unobserved))
    for lost, what in ((folder.lost_events, "events"), (folder.lost_frames, "Python calls and returns")):
        if lost:
            text = f"{what} were lost: they came faster than they were written"
            if folder.state in _EARLY_ENDS:
                text += ", or after its early end"
            ledger.note(WARNING, "lost-records", text, count=lost)
    troubles = folder.facts.get("troubles")
    for trouble in troubles[:_MOST_TROUBLES] if isinstance(troubles, list) else ():
        ledger.note(WARNING, "recording-trouble", str(trouble))
    for name in folder.missing:
        ledger.note(WARNING, "missing-chunk", f"{name} is in the manifest but not there")
    if not is_clock_known and any(chunk.size for chunk in folder.chunks):
        ledger.note(WARNING, "no-clock", "nothing tells what a tick is: times are ticks")


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


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""

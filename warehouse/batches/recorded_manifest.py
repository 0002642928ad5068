"""manifest.json of a recording: what it may say, and what of a damaged one is still to be used."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warehouse.batches.recorded import RECORDED
from warehouse.errors import InputError

MANIFEST = "manifest.json"
FORMAT = 2  # as collector_ext/core/manifest.cpp writes it
CHUNK_NAME = re.compile(rf"(?P<table>{'|'.join(RECORDED)})-(?P<number>\d{{1,9}})\.arrows(?P<open>\.part)?")
STATES = ("recording", "complete", "disk-budget", "disk-error")
ENDINGS = ("stop", "disk full", "disk limit", "disk error")
TICKS = ("counter", "monotonic_raw_ns")
SLOWEST, FASTEST = 1e6, 1e10  # ticks a second of any counter
_LARGEST_BYTES = 64 << 20
_LONGEST_TEXT = 500
_LARGEST_PID = 1 << 31
_MOST_LOST = 1 << 62
_EARLIEST_NS, _LATEST_NS = 946_684_800 * 10**9, 4_102_444_800 * 10**9  # 2000 to 2100

Anchor = tuple[int, int, int]


@dataclass
class Manifest:
    """What it says, where that can be; `faults` tells the rest, a text each.

    `state` is one of STATES: "recording" if nobody ended it; `ended_by` one of ENDINGS.  `anchors` are (ticks,
    CLOCK_MONOTONIC_RAW ns, CLOCK_REALTIME ns); `listed` has the rows of each chunk by its file name.
    """

    state: str = "recording"
    reason: str = ""
    ended_by: str | None = None
    pid: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    ticks: str = "counter"
    ticks_per_second: float | None = None
    anchors: list[Anchor] = field(default_factory=list)
    lost_events: int = 0
    lost_frames: int = 0
    refused_events: int = 0  # of the lost ones those that there was no memory for
    refused_frames: int = 0
    listed: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def read(self, path: Path) -> None:
        """Take what the file says.  InputError for a format that another version of npuwh writes."""
        try:
            content = json.loads(_bytes_of(path))
        except (OSError, ValueError, RecursionError) as error:
            why = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({_line(str(error))})"
            self.faults.append(f"{MANIFEST} {why}")
            return
        if not isinstance(content, dict):
            self.faults.append(f"{MANIFEST} holds no object")
            return
        _check_format(path, content.get("format", FORMAT))
        self._take(content)

    def _take(self, content: dict[str, Any]) -> None:
        self.state = self._one_of(content, "state", STATES, self.state)
        self.ticks = self._one_of(content, "ticks", TICKS, self.ticks)
        self.ended_by = self._one_of(content, "ended_by", ENDINGS, "") or None
        reason = content.get("reason", "")
        if isinstance(reason, str):
            self.reason = _line(reason)
        else:
            self._fault("reason", reason)
        self.pid = self._number(content, "pid", 1, _LARGEST_PID)
        rate = content.get("ticks_per_second")
        if isinstance(rate, (int, float)) and not isinstance(rate, bool) and SLOWEST <= rate <= FASTEST:
            self.ticks_per_second = float(rate)
        elif rate is not None:
            self._fault("ticks_per_second", rate)
        self.facts = self._object(content, "facts")
        lost = self._object(content, "lost")
        self.lost_events = self._number(lost, "events", 0, _MOST_LOST) or 0
        self.lost_frames = self._number(lost, "frames", 0, _MOST_LOST) or 0
        self.refused_events = self._number(lost, "events_without_memory", 0, self.lost_events) or 0
        self.refused_frames = self._number(lost, "frames_without_memory", 0, self.lost_frames) or 0
        self._take_anchors(content.get("anchors", []))
        self._take_chunks(content.get("chunks", []))

    def _take_anchors(self, anchors: object) -> None:
        if not isinstance(anchors, list):
            self._fault("anchors", anchors)
            return
        for each in anchors:
            if isinstance(each, list) and len(each) == 3 and is_anchor(*each):
                self.anchors.append((each[0], each[1], each[2]))
            else:
                self._fault("anchors", each)

    def _take_chunks(self, chunks: object) -> None:
        if not isinstance(chunks, list):
            self._fault("chunks", chunks)
            return
        odd = 0
        for each in chunks:
            name, rows = (each.get("file"), each.get("rows")) if isinstance(each, dict) else (None, None)
            count = rows if type(rows) is int and 0 <= rows < _MOST_LOST else -1
            if not isinstance(name, str) or CHUNK_NAME.fullmatch(name) is None:
                odd += 1
                continue
            odd += name in self.listed or count < 0
            self.listed.setdefault(name, count)
        if odd:
            self.faults.append(f"{MANIFEST}: chunks has {odd:,} entries that cannot be")

    def _one_of(self, content: dict[str, Any], name: str, allowed: Iterable[str], instead: str) -> str:
        found = content.get(name, instead)
        if isinstance(found, str) and found in (*allowed, instead):
            return found
        self._fault(name, found)
        return instead

    def _number(self, content: dict[str, Any], name: str, least: int, most: int) -> int | None:
        found = content.get(name)
        if type(found) is int and least <= found <= most:
            return found
        if found is not None:
            self._fault(name, found)
        return None

    def _object(self, content: dict[str, Any], name: str) -> dict[str, Any]:
        found = content.get(name, {})
        if isinstance(found, dict):
            return found
        self._fault(name, found)
        return {}

    def _fault(self, name: str, value: object) -> None:
        self.faults.append(f"{MANIFEST}: {name} cannot be {_line(_shown(value))[:60]}")


def is_anchor(ticks: object, raw_ns: object, real_ns: object) -> bool:
    """Whether these can be one moment on three clocks.

    >>> is_anchor(5, 10, 1_700_000_000 * 10**9), is_anchor(5, 10, 20), is_anchor(True, 10, 1_700_000_000 * 10**9)
    (True, False, False)
    """
    return (
        type(ticks) is int
        and type(raw_ns) is int
        and type(real_ns) is int
        and 0 <= ticks < _MOST_LOST
        and 0 <= raw_ns < _LATEST_NS
        and _EARLIEST_NS <= real_ns < _LATEST_NS
    )


def _check_format(path: Path, told: object) -> None:
    if type(told) is int and told != FORMAT:
        text = f"{path.parent}: is a recording of format {_shown(told)[:20]}, and this npuwh reads format {FORMAT}"
        raise InputError(f"{text}; ingest it with the version of npuwh that recorded it")


def _bytes_of(path: Path) -> bytes:
    """Content of a plain file; never waits for one that is none, as a pipe."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    with os.fdopen(number, "rb") as file:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError("it is no regular file")
        if facts.st_size > _LARGEST_BYTES:
            raise OSError(f"it has {facts.st_size:,} bytes")
        return file.read(_LARGEST_BYTES)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # a number with more digits than Python writes
        return f"a {type(value).__name__} without end"


def _line(text: str) -> str:
    """The text as one line that every file can hold."""
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text[:_LONGEST_TEXT])
    return shown.encode("utf-8", "replace").decode()

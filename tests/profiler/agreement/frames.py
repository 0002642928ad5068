"""Python frames as two profilers tell of them, in one form: calls below a function, in order, with their depth; and the
stacks of operators."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.profiler.agreement.observed import tables, texts_of

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_OUR_MODULE = re.compile(r"\0(\w+)######(\d+)")
_THEIR_MODULE = re.compile(r"nn\.Module: (\w+)_(\d+)")
_CALL, _RETURN, _C_CALL, _C_RETURN = range(4)


@dataclass
class Call:
    """One call; `end` None: open when the recording ended."""

    name: str
    tid: int
    start: int
    depth: int
    end: int | None = None


def recorded_calls(run: Path) -> list[Call]:
    """Calls of a recording of ours, each thread's in order."""
    rows = tables(run)
    text = texts_of(rows)
    tid = {row["thread"]: row["tid"] for row in rows["thread"]}
    open_calls: dict[int, list[Call]] = defaultdict(list)
    found = []
    for row in rows["frame"]:
        stack = open_calls[row["thread"]]
        if row["event"] in (_RETURN, _C_RETURN):
            if stack:
                stack.pop().end = row["time_ticks"]
            continue
        assert row["depth"] == len(stack), row
        call = Call(text[row["code"]], tid[row["thread"]], row["time_ticks"], len(stack))
        stack.append(call)
        found.append(call)
    return found


def kineto_calls(results: Any) -> list[Call]:
    """Calls of a run of torch.profiler, each thread's in order."""
    events = [event for event in results.events() if event.activity_type() == "python_function"]
    by_thread: dict[int, list[Any]] = defaultdict(list)
    for event in events:
        by_thread[event.device_resource_id()].append(event)
    found = []
    for tid, some in by_thread.items():
        around: list[Call] = []
        for event in sorted(some, key=lambda event: (event.start_ns(), -event.end_ns())):
            while around and around[-1].end is not None and around[-1].end < event.end_ns():
                around.pop()
            call = Call(event.name(), tid, event.start_ns(), len(around), event.end_ns())
            around.append(call)
            found.append(call)
    return found


def below(calls: Iterable[Call], name: str) -> list[tuple[int, str]]:
    """(depth below, name) of the calls within the first call of a function, whatever file it stands in."""
    calls = list(calls)
    top = next(call for call in calls if call.name.endswith(f": {name}"))
    inside: list[tuple[int, str]] = []
    for call in calls[calls.index(top) + 1 :]:
        if call.tid != top.tid or call.depth <= top.depth:
            break
        inside.append((call.depth - top.depth, call.name))
    return inside


def plain(names: Iterable[str]) -> Iterator[str]:
    """Names without what differs from run to run: addresses go, modules are numbered as they come, and files are told
    without the folders that modules are looked for in."""
    modules: dict[tuple[str, str], str] = {}
    for name in names:
        if module := _OUR_MODULE.fullmatch(name) or _THEIR_MODULE.fullmatch(name):
            number = sum(1 for kind, _ in modules if kind == module[1])
            yield modules.setdefault((module[1], module[2]), f"nn.Module: {module[1]}_{number}")
        else:
            yield _ADDRESS.sub(" at 0x…", _shortened(name))


def _shortened(name: str) -> str:
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        if name.startswith(f"{folder}/"):
            return name.removeprefix(f"{folder}/")
    return name

"""What an observer saw, in one form for both: operators of a window, by thread, with their nesting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warehouse.batches.chunk_folder import open_chunk_folder, read_chunk
from warehouse.batches.recorded_ops import OP_TABLES, OpForms

WINDOW = "window of comparison"
_EVALUATE = "autograd::engine::evaluate_function: "


@dataclass(frozen=True)
class Op:
    """One range; times in the observer's own clock."""

    name: str
    tid: int
    start: int
    end: int
    sequence: int
    forward_thread: int
    scope: int
    is_async: bool
    dtypes: tuple[str, ...]
    shapes: tuple[str, ...]
    depth: int | None = None


Nested = tuple[str, int, int, int, bool, tuple[str, ...], tuple[str, ...], tuple[str, ...]]


def tables(run: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of a recording by table; `op` has those of all ranges, whole."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    folder = open_chunk_folder(run / "NPUWH_RECORDING")
    forms = OpForms(batch for chunk in folder.of("op_form") for batch in read_chunk(chunk))
    for chunk in folder.chunks:
        for batch in read_chunk(chunk):
            if chunk.table in OP_TABLES:
                found["op"] += forms.whole(batch).to_pylist()
            else:
                found[chunk.table] += batch.to_pylist()
        assert chunk.fault is None, (chunk.path, chunk.fault)
    return found


def texts_of(rows: dict[str, list[dict[str, Any]]]) -> dict[int, str]:
    """Number of a text -> text."""
    return {0: "", **{row["string"]: row["text"].decode() for row in rows["string"]}}


def recorded_ops(run: Path) -> list[Op]:
    """Operators of a recording of ours."""
    rows = tables(run)
    text = texts_of(rows)
    tid = {row["thread"]: row["tid"] for row in rows["thread"]}
    return [
        Op(
            text[row["name"]],
            tid[row["thread"]],
            row["start_ticks"],
            row["end_ticks"],
            row["sequence_no"],
            row["forward_thread_no"],
            row["scope"],
            bool(row["is_async"]),
            tuple(text[row["dtypes"]].split(";")) if row["dtypes"] or row["shapes"] else (),
            tuple(text[row["shapes"]].split(";")) if row["dtypes"] or row["shapes"] else (),
            row["depth"],
        )
        for row in rows["op"]
    ]


def kineto_ops(results: Any) -> list[Op]:
    """Operators of a run of torch.profiler (`prof.profiler.kineto_results`), in the words of our files: an input that
    is neither tensor nor scalar is `None`, sizes are joined by commas, and only tensors have them."""
    return [
        Op(
            event.name(),
            event.device_resource_id(),
            event.start_ns(),
            event.end_ns(),
            event.sequence_nr(),
            event.fwd_thread_id(),
            event.scope(),
            event.is_async(),
            tuple(kind or "None" for kind in event.dtypes()),
            tuple(_sizes(sizes) for sizes in event.shapes()),
        )
        for event in results.events()
        if event.activity_type() in ("cpu_op", "user_annotation")
    ]


def _sizes(sizes: list[Any]) -> str:
    return "" if sizes and isinstance(sizes[0], list) else ",".join(map(str, sizes))


def window_of(ops: Iterable[Op]) -> list[Op]:
    """What began within the window, the window's own range left out."""
    ops = list(ops)
    (window,) = (op for op in ops if op.name == WINDOW)
    return [op for op in ops if op is not window and window.start <= op.start <= window.end]


def nested(ops: Iterable[Op]) -> dict[int, list[Nested]]:
    """Thread -> operators in the order they began, each with the names around it, outermost first."""
    by_thread: dict[int, list[Op]] = defaultdict(list)
    for op in ops:
        by_thread[op.tid].append(op)
    return {tid: list(_nested(sorted(some, key=lambda op: (op.start, -op.end)))) for tid, some in by_thread.items()}


def with_numbers_of_nodes(ops: Iterable[Op]) -> list[Op]:
    """As torch.profiler does after recording: the engine's range around a backward node gets the node's sequence number
    and forward thread, and what has no sequence number has no forward thread.  We keep what the framework tells."""
    found: list[Op] = []
    for op in sorted(ops, key=lambda op: (op.tid, -op.start, op.end)):  # the node within comes first
        if found and op.name.startswith(_EVALUATE) and found[-1].name == op.name.removeprefix(_EVALUATE):
            op = replace(op, sequence=found[-1].sequence, forward_thread=found[-1].forward_thread)  # noqa: PLW2901
        found.append(op)
    return [op if op.sequence >= 0 else replace(op, forward_thread=0) for op in found]


def _nested(ops: list[Op]) -> Iterator[Nested]:
    around: list[Op] = []
    base = min((op.depth for op in ops if op.depth is not None), default=0)
    for op in ops:
        while around and around[-1].end < op.end:
            around.pop()
        if op.depth is not None and not op.is_async:
            assert op.depth - base == len(around), (op, around)
        names = tuple(each.name for each in around)
        yield op.name, op.sequence, op.forward_thread, op.scope, op.is_async, op.dtypes, op.shapes, names
        if not op.is_async:
            around.append(op)

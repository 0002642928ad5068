"""The rows of analysis.db for one simulated step (ascend-db.md section 10, deliverables.md section 11)."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from warehouse.sample.collective import Collective, Transfer
from warehouse.sample.official_file import OfficialFile
from warehouse.sample.rank import Rank

Span = tuple[int, int]
_KINDS = ("send", "reduce", "allreduce", "receive", "allgather")


def write_step(file: OfficialFile, rank: Rank, number: int, host: Span, collectives: list[Collective]) -> None:
    """Write one step; `host` is its host range in ns."""
    _write_step_trace(file, rank, number, host, collectives)
    if rank.options.describes:
        for done in collectives:
            _write_times(file, rank, number, done)
            _write_bandwidth(file, number, done)
        _write_matrix(file, number, collectives)


def _write_step_trace(file: OfficialFile, rank: Rank, number: int, host: Span, collectives: list[Collective]) -> None:
    start = min((span[0] for span in rank.node_tasks), default=host[0])
    end = max([host[1], *(span[1] for span in rank.node_tasks)])
    inside = [span for span in rank.computing if start <= span[0] <= end]
    moving = [(done.start, done.end) for done in collectives if start <= done.start <= end]
    computing, communication = _union(inside), _union(moving)
    busy = _union(inside + moving)
    free = sum(after[0] - before[1] for before, after in pairwise(busy))
    hidden = _length(computing) + _length(communication) - _length(busy)
    receiving = sum(done.end - done.start for done in collectives if "receive" in done.name)
    shown = _length(communication) - hidden
    row = (
        str(number), *(value / 1000 for value in (_length(computing), shown, hidden, _length(communication), free)),
        (busy[-1][1] - busy[0][0] - receiving) / 1000, receiving / 1000, max(shown - receiving, 0) / 1000,
        (busy[0][0] - host[0]) / 1000,
    )  # fmt: skip
    file.add("StepTraceTime", row if rank.options.old else (rank.device, *row))


def _union(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _length(spans: list[Span]) -> int:
    return sum(end - start for start, end in spans)


def _where(number: int, done: Collective) -> tuple[str, str]:
    return f"step{number}", "p2p" if any(word in done.name for word in ("send", "receive")) else "collective"


def _write_times(file: OfficialFile, rank: Rank, number: int, done: Collective) -> None:
    master = 1 if rank.options.old else 0
    moved = [transfer.duration for transfer in done.transfers if transfer.plane == master and transfer.link != "LOCAL"]
    elapse, transit, wait = (done.end - done.start) / 1e6, sum(moved) / 1e6, done.wait / 1e6
    row = (done.start / 1000, elapse, transit, wait, wait, elapse - transit - wait)
    file.add("CommAnalyzerTime", (done.name, done.group.hash, *row, *_where(number, done)))


def _write_bandwidth(file: OfficialFile, number: int, done: Collective) -> None:
    sizes: defaultdict[int, list[int]] = defaultdict(list)
    for transfer in done.transfers:
        if transfer.link == "HCCS":
            sizes[transfer.size].append(transfer.duration)
    moved = sum(size * len(spans) for size, spans in sizes.items()) / 1e6
    time = sum(map(sum, sizes.values())) / 1e6
    rate = round(moved / time, 4) if time else 0
    key = (done.name, done.group.hash)
    for size, spans in sizes.items():
        part = (size / 1e6, len(spans), sum(spans) / 1e6)
        file.add("CommAnalyzerBandwidth", (*key, "HCCS", moved, time, rate, 0, *part, *_where(number, done)))
    if sizes:
        file.add("CommAnalyzerBandwidth", (*key, "SDMA", moved, time, rate, 0, 0, 0, 0, *_where(number, done)))


def _write_matrix(file: OfficialFile, number: int, collectives: list[Collective]) -> None:
    links: defaultdict[tuple[str, ...], dict[str, tuple[float, float]]] = defaultdict(dict)
    for done in collectives:
        lowered = done.name.lower()
        kind = min((k for k in _KINDS if k in lowered), key=lambda k: (lowered.index(k), _KINDS.index(k)))
        step, group_type = _where(number, done)
        for transfer in done.transfers:
            key = (kind, done.group.hash, *_ends(transfer), transfer.link, step, group_type)
            size, time = links[key].get(done.name, (0.0, 0.0))
            links[key][done.name] = (size + transfer.size / 1e6, time + transfer.duration / 1e6)
    for (kind, group, source, target, link, step, group_type), operations in links.items():
        ranked = sorted(operations.items(), key=lambda pair: -round(pair[1][0] / pair[1][1], 4))
        chosen = {"top1": 0, "middle": len(ranked) // 2, "bottom1": -1}
        chosen |= {f"bottom{n}": -n for n in (2, 3) if len(ranked) >= n}
        rows = [(label, *ranked[index]) for label, index in chosen.items()]
        total = tuple(sum(values) for values in zip(*operations.values(), strict=True))
        rows.append(("total", "", (total[0], total[1])))
        for label, name, (size, time) in rows:
            row = (f"{kind}-{label}", group, source, target, link, size, time, round(size / time, 4) if time else 0)
            file.add("CommAnalyzerMatrix", (*row, step, group_type, name))


def _ends(transfer: Transfer) -> tuple[str, str]:
    return str(transfer.source), str(transfer.target)

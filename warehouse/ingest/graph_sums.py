"""Sums over the tasks of graphs, made while the tasks stream by: of each captured task, and of each execution."""

from __future__ import annotations

import numpy as np

from warehouse.ingest.link import Numbers

_LATEST, _EARLIEST = np.iinfo(np.int64).max, np.iinfo(np.int64).min


class NodeSums:
    """Of captured tasks with the numbers 0, 1 ...: how often they ran, their time in all, the shortest and the longest.

    >>> sums = NodeSums()
    >>> sums.add(np.array([1, 1]), np.array([10, 30]))
    >>> [column.tolist() for column in sums.columns(2)]
    [[0, 2], [0, 40], [0, 10], [0, 30]]
    """

    def __init__(self) -> None:
        self._table = np.empty((4, 0), np.int64)

    def add(self, node: Numbers, duration: Numbers) -> None:
        """Take executions."""
        if len(node):
            self._grow(int(node.max()) + 1)
            count, total, shortest, longest = self._table
            np.add.at(count, node, 1)
            np.add.at(total, node, duration)
            np.minimum.at(shortest, node, duration)
            np.maximum.at(longest, node, duration)

    def _grow(self, size: int) -> None:
        known = self._table.shape[1]
        if size > known:
            new = np.zeros((4, max(size, 2 * known) - known), np.int64)
            new[2] = _LATEST
            self._table = np.concatenate([self._table, new], axis=1)

    def columns(self, count: int) -> list[Numbers]:
        """Executions, total, shortest and longest of the first `count`; 0 for what never ran."""
        self._grow(count)
        table = self._table[:, :count]
        return list(np.where(table[0] > 0, table, 0))


class ReplaySums:
    """Of executions with the numbers 0, 1 ...: the time of their tasks, the time in which any ran, the longest pause.

    >>> sums = ReplaySums(1)
    >>> sums.add(np.array([0, 0]), np.array([5, 8]), np.array([10, 9]))  # the second lies in the first
    >>> sums.add(np.array([0]), np.array([30]), np.array([31]))
    >>> [column.tolist() for column in sums.columns()]
    [[3], [7], [6], [20]]
    """

    def __init__(self, count: int) -> None:
        self._count, self._work, self._busy, self._pause = np.zeros((4, count), np.int64)
        self._end = np.full(count, _EARLIEST)  # of what ended last until now

    def add(self, replay: Numbers, start: Numbers, end: Numbers) -> None:
        """Take tasks in order of their start."""
        if not len(replay):
            return
        order = np.argsort(replay, kind="stable")
        replay, start, end = replay[order], start[order], end[order]
        first = np.flatnonzero(np.r_[True, replay[1:] != replay[:-1]])
        until = np.empty(len(end), np.int64)  # end of what ended last before each
        for begin, finish in zip(first.tolist(), [*first[1:].tolist(), len(end)], strict=True):
            which = int(replay[begin])
            latest = np.maximum.accumulate(np.r_[self._end[which], end[begin:finish]])
            until[begin:finish], self._end[which] = latest[:-1], latest[-1]
        np.add.at(self._count, replay, 1)
        np.add.at(self._work, replay, end - start)
        np.add.at(self._busy, replay, np.maximum(end - np.maximum(start, until), 0))
        pause = np.where(until == _EARLIEST, 0, start - np.where(until == _EARLIEST, start, until))
        np.maximum.at(self._pause, replay, pause)

    def columns(self) -> list[Numbers]:
        """Tasks, the sum of their times, the time in which any ran, the longest time in which none did."""
        return [self._count, self._work, self._busy, self._pause]

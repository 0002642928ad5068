"""A rank of any size as a reader gives it, made while it is read: for benchmarks of what comes after reading.

A step is `PER_STEP` tasks.  Every 20 us the host runs an operator `aten::...` with an `aclnn...` in it, which launches
two kernels by two CANN calls; the device runs them 100 us later on four streams, in turn, so that they overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from warehouse.batches.records import HOST_API, HOST_OP, RECORDS, batch
from warehouse.ingest.analysis import AnalysisSample
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.link import LinkStore
from warehouse.ingest.official_rank import load_rank
from warehouse.ingest.progress import RankProgress
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import StringMap
from warehouse.readers.facts import RankFacts
from warehouse.readers.issues import Ledger
from warehouse.store import new_warehouse

START_NS = 1_700_000_000_000_000_000
PER_STEP = 20_000
PERIOD_NS = 10_000  # a task
DELAY_NS = 100_000
STREAMS = 4
_CHAINS = 16_384  # in a batch
_KERNELS, _SHAPES = 120, 5
_OPERATORS = 150
_FIRST = {"aten": 1, "aclnn": 1001, "kernel": 2001, "shapes": 3001}
_TEXTS = {1: "", 5001: "node", 5002: "aclnn_launch", 5003: "KERNEL_AICORE", 5004: "AI_CORE", 5005: "Op"}


class SimulatedRank:
    """Reader of `tasks` device tasks and as many operators and calls."""

    has_queue = False

    def __init__(self, tasks: int) -> None:
        self.ledger = Ledger()
        self._chains = -(-tasks // 2)

    def read(self, kind: str) -> Iterator[pa.RecordBatch]:
        """Batches of a kind."""
        streams = {
            "host_event": self._host_events, "kernel": self._kernels, "launch": self._launches,
            "device_event": self._device_events,
        }  # fmt: skip
        if kind == "step":
            steps = np.arange(-(-self._chains * 2 // PER_STEP))
            starts = START_NS + steps * PER_STEP * PERIOD_NS
            yield batch("step", [steps, starts, starts + PER_STEP * PERIOD_NS])
        elif kind in streams:
            for first in range(0, self._chains, _CHAINS):
                yield streams[kind](np.arange(first, min(first + _CHAINS, self._chains)))

    def _host_events(self, chain: np.ndarray) -> pa.RecordBatch:
        start = START_NS + chain * 2 * PERIOD_NS
        within = np.array([[0, 18_000], [1_000, 17_000], [3_000, 5_000], [9_000, 11_000]])
        place = chain * 2 % PER_STEP
        operator, call = place * 7 % _OPERATORS, np.full_like(chain, 5002)
        name = np.stack([1 + operator, 1001 + operator, call, call], 1)
        connection = np.stack([np.zeros_like(chain), np.zeros_like(chain), chain * 2 + 1, chain * 2 + 2], 1).ravel()
        count = len(connection)
        return _batch(
            "host_event", count, kind=np.tile([HOST_OP, HOST_OP, HOST_API, HOST_API], len(chain)),
            start_ns=(start[:, None] + within[:, 0]).ravel(), end_ns=(start[:, None] + within[:, 1]).ravel(),
            pid=np.full(count, 7), tid=np.full(count, 7), name=name.ravel(),
            connection_no=pa.array(connection, mask=connection == 0), level=np.full(count, 5001),
            sequence_no=np.repeat(chain, 4), forward_thread_no=np.zeros(count, np.int64),
            shapes=np.repeat(3001 + place % _SHAPES, 4), row=np.arange(count),
        )  # fmt: skip

    def _kernels(self, chain: np.ndarray) -> pa.RecordBatch:
        task = _tasks(chain)
        place = task % PER_STEP
        count = len(task)
        return _batch(
            "kernel", count, descriptor_no=task, kind=np.zeros(count, np.int64), name=2001 + place * 11 % _KERNELS,
            op_type=np.full(count, 5005), core=np.full(count, 5004), block_count=np.full(count, 20),
            input_shapes=3001 + place * 13 % _SHAPES,
        )  # fmt: skip

    def _launches(self, chain: np.ndarray) -> pa.RecordBatch:
        task = _tasks(chain)
        start, end = _times(chain)
        count = len(task)
        return _batch(
            "launch", count, connection_no=task + 1, start_ns=start, end_ns=end, device_id=np.zeros(count, np.int64),
            type=np.full(count, 5003), **{"class": np.ones(count, np.int64)},
        )  # fmt: skip

    def _device_events(self, chain: np.ndarray) -> pa.RecordBatch:
        task = _tasks(chain)
        start, end = _times(chain)
        zero = np.zeros(len(task), np.int64)
        return _batch(
            "device_event", len(task), kind=zero, start_ns=start, end_ns=end, device_id=zero, connection_no=task + 1,
            descriptor_no=task, type=zero + 5003, stream_no=task % STREAMS, task_no=task % 65_536, is_covered=zero,
            row=task,
        )  # fmt: skip

    def counters(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """None."""
        return iter(())

    def thread_names(self) -> dict[tuple[int, int], str]:
        """None."""
        return {}

    def metric_names(self) -> list[int]:
        """None."""
        return []

    def texts(self, numbers: list[int]) -> list[str]:
        """Texts of numbers."""
        return ["" for _ in numbers]

    def strings(self) -> Iterator[pa.RecordBatch]:
        """All texts."""
        texts = dict(_TEXTS)
        texts |= {_FIRST["aten"] + number: f"aten::operator_{number}" for number in range(_OPERATORS)}
        texts |= {_FIRST["aclnn"] + number: f"aclnnOperator{number}" for number in range(_OPERATORS)}
        texts |= {_FIRST["kernel"] + number: f"aclnnOperator{number}_Kernel_v2" for number in range(_KERNELS)}
        texts |= {_FIRST["shapes"] + number: f'"{number},4096;4096,{number}"' for number in range(_SHAPES)}
        numbers = sorted(texts)
        yield batch("string", [numbers, [texts[number] for number in numbers]])

    def words(self) -> pa.RecordBatch:
        """None of its own."""
        return batch("string", [[], []])


def _tasks(chain: np.ndarray) -> np.ndarray:
    return np.arange(chain[0] * 2, chain[-1] * 2 + 2)


def _times(chain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    task = _tasks(chain)
    random = np.random.default_rng(int(chain[0]))
    start = START_NS + DELAY_NS + task * PERIOD_NS + random.integers(0, 3_000, len(task))
    return start, start + random.integers(2_000, 12_000, len(task))


def _batch(record: str, count: int, /, **columns: object) -> pa.RecordBatch:
    arrays = [
        pa.nulls(count, field.type) if field.name not in columns else pa.array(columns[field.name], field.type)
        for field in RECORDS[record]
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=RECORDS[record])


def make_warehouse(path: Path, tasks: int) -> None:
    """A new warehouse with one such rank, by the way that every profile takes after it was read."""
    reader = SimulatedRank(tasks)
    with new_warehouse(path) as loader, LinkStore() as links:
        run = {"id": 1, "name": "bench", "path": "bench"}
        rank = {"id": 1, "run_id": 1, "rank_no": 0, "rank_origin": "bench", "input_kind": "bench", "path": "bench"}
        loader.write("run", run)
        loader.write("rank", {**rank, "directory": "bench_ascend_pt", "device_id": 0, "is_simulated": 1})
        load = RankLoad(loader, reader, links, 1, 1, StringMap(loader, reader), RankProgress(0, lambda done: None), 0)
        load_rank(load, RankFacts(device_ids=[0]), KernelCatalogue(loader), AnalysisSample())

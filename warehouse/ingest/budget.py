"""How the memory that an ingest may take is divided: over processes, and in each over what grows."""

from __future__ import annotations

import os
from dataclasses import dataclass

from warehouse.errors import UsageError
from warehouse.wording import counted

DEFAULT_BYTES = 256 << 20
SMALLEST_BYTES = 128 << 20
# measured, without rows: an interpreter with Arrow and numpy, of which the processes share the libraries
_WRITER_BYTES = 76 << 20
_WORKER_BYTES = 52 << 20
_SMALLEST_WRITER, _SMALLEST_WORKER = 14 << 20, 18 << 20
_LINK_TABLES = 8  # of a rank that are filled at the same time


@dataclass(frozen=True)
class RankMemory:
    """What decoding a rank may hold: rows that wait to be sorted, and links of one table."""

    reader_bytes: int
    table_bytes: int


@dataclass(frozen=True)
class Budget:
    """Memory of an ingest.  workers: processes that decode; 0: the one that writes decodes too.

    keys_bytes: keys of indexes that wait to be sorted; ahead_bytes: columns that wait to be written.
    """

    workers: int
    rank: RankMemory
    keys_bytes: int
    ahead_bytes: int


def budget(total: int, jobs: int) -> Budget:
    """Divide `total` bytes over one process that writes and at most `jobs` that decode (1: none but the writer).

    Half of what an interpreter leaves is given out: the other half is for batches on their way and for what freed
    memory loses to fragments.  More than the machine has is taken for what it has.  UsageError if it is too little for
    one process.

    >>> budget(256 << 20, 1).workers, budget(512 << 20, 4).workers
    (0, 4)
    """
    if total < SMALLEST_BYTES:
        given = f"{total >> 20} MB" if total >= 1 << 20 else counted(total, "byte")
        raise UsageError(f"--memory: {given} is too little; an ingest takes {SMALLEST_BYTES >> 20} MB at least")
    if jobs < 1:
        raise UsageError(f"--jobs: {jobs} is too few; 1 decodes in the process that writes")
    rest = min(total, max(_machine_bytes(), SMALLEST_BYTES)) - _WRITER_BYTES
    workers = min(jobs, (rest - _SMALLEST_WRITER) // (_WORKER_BYTES + _SMALLEST_WORKER))
    if workers < 2:  # one that decodes beside one that writes gains nothing over threads of one process
        return _divided(0, rest // 2, rest // 2)
    shared = rest - workers * _WORKER_BYTES
    return _divided(workers, shared // 2 // (workers + 1), shared // 2 // (workers + 1))


def _machine_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _divided(workers: int, writer: int, worker: int) -> Budget:
    if not workers:
        rank = RankMemory(worker * 36 // 100, worker * 28 // 100 // _LINK_TABLES)
        return Budget(0, rank, writer * 24 // 100, writer * 12 // 100)
    rank = RankMemory(worker * 56 // 100, worker * 44 // 100 // _LINK_TABLES)
    return Budget(workers, rank, writer * 66 // 100, writer * 34 // 100)

"""The reader of official databases: path to record batches, facts and a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from warehouse.batches.records import batch
from warehouse.errors import InputError
from warehouse.readers import official_device, official_host, official_memory, official_metric, official_reference
from warehouse.readers.facts import RankFacts
from warehouse.readers.input_file import shown
from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.official_catalogue import read_facts
from warehouse.readers.official_counter import counters
from warehouse.readers.official_database import BATCH_ROWS, OfficialDatabase, decoded
from warehouse.readers.official_open import OfficialFile

_STREAMS: dict[str, Callable[[OfficialDatabase], Iterator[pa.RecordBatch]]] = {
    "step": official_host.steps,
    "host_event": official_host.host_events,
    "stack_frame": official_host.stack_frames,
    "gc_event": official_host.gc_events,
    "mark": official_host.marks,
    "kernel": official_device.kernels,
    "launch": official_device.launches,
    "graph_run": official_device.graph_runs,
    "device_event": official_device.device_events,
    "task_metric": official_metric.task_metrics,
    "memory_copy": official_device.memory_copies,
    "comm_task": official_device.comm_tasks,
    "memory_event": official_memory.memory_events,
    "allocation": official_memory.allocations,
    "memory_record": official_memory.memory_records,
    "module_memory": official_memory.module_memory,
    "device_memory": official_memory.device_memory,
    "reference_overlap": official_reference.overlap,
}


def peek_official(path: Path) -> RankFacts:
    """What the database says about its rank, without reading its records.

    InputError if it is no profiler database: it must hold tasks or framework ranges.
    """
    with OfficialFile(path) as file:
        database = OfficialDatabase(file, Ledger(), counting=False)
        if not database.has("TASK") and not database.has("PYTORCH_API"):
            raise InputError(f"{shown(path)}: is not a profiler database: it has neither TASK nor PYTORCH_API")
        return read_facts(database)


@contextmanager
def open_analysis(path: Path, ledger: Ledger) -> Iterator[OfficialDatabase]:
    """An analysis.db for `official_reference.analysis_rows`; InputError if it holds no analysis."""
    with OfficialFile(path) as file:
        database = OfficialDatabase(file, ledger)
        if not official_reference.is_analysis(database):
            raise InputError(f"{shown(path)}: is not an analysis database: none of its tables is part of the format")
        yield database
        if file.changed():
            raise InputError(f"{shown(path)}: changed while it was read; ingest it again when nothing writes to it")


class OfficialReader:
    """One `ascend_pytorch_profiler[_N].db` or `msprof_<ts>.db`.

    The streams hand out string numbers, `strings` and `words` their texts; all may be read in any order and again.

    InputError if the file is no profiler database, or is damaged.

    >>> with OfficialReader(Path("ascend_pytorch_profiler_0.db")) as reader:  # doctest: +SKIP
    ...     sum(batch.num_rows for batch in reader.read("device_event"))
    124
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = Ledger()
        self._file = OfficialFile(path)
        try:
            self.database = OfficialDatabase(self._file, self.ledger)
            read_facts(self.database)  # for its bookings
            official_device.prepare(self.database)
            self.database.book_dictionaries()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> OfficialReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def thread_names(self) -> dict[tuple[int, int], str]:
        """(pid, tid) -> name of a thread: these databases have none."""
        return {}

    @property
    def has_queue(self) -> bool:
        """Whether the rank has a host task queue, so that launches are to be sought in its dequeues."""
        if not self.database.has("PYTORCH_API"):
            return False
        types = {name: number for number, name in self.database.enumeration("ENUM_API_TYPE").items()}
        queue = types.get("queue", 50002)
        return self.database.value("SELECT 1 FROM PYTORCH_API WHERE type = ? LIMIT 1", [queue]) is not None

    def read(self, kind: str) -> Iterator[pa.RecordBatch]:
        """Batches of a record kind; nothing if the source has none."""
        stream = _STREAMS.get(kind)
        return stream(self.database) if stream is not None else iter(())

    def counters(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""
        return counters(self.database)

    def metric_names(self) -> list[int]:
        """String numbers of the metrics in the order of the source."""
        return official_metric.metric_names(self.database)

    def texts(self, numbers: list[int]) -> list[str]:
        """Texts of a few string numbers, "" for one without text."""
        found = {}
        for number in numbers if self.database.texts else ():
            statement = f"SELECT value FROM {self.database.texts} WHERE id = ?"
            found[number] = decoded(self.database.value(statement, [number]))
        return [found.get(number) or "" for number in numbers]

    def strings(self) -> Iterator[pa.RecordBatch]:
        """`string` batches by ascending number: STRING_IDS; damaged texts are repaired and noted."""
        if not self.database.texts:
            return
        damaged = 0
        statement = f"SELECT id, value FROM {self.database.texts} WHERE value IS NOT NULL ORDER BY id"
        for rows in self.database.rows(statement):
            texts = []
            for _, value in rows:
                if isinstance(value, bytes):
                    try:
                        texts.append(value.decode())
                    except UnicodeDecodeError:
                        texts.append(value.decode("utf-8", "replace"))
                        damaged += 1
                else:
                    texts.append(str(value))
            yield batch("string", [[number for number, _ in rows], texts])
        if damaged:
            self.ledger.note(
                WARNING, "bad-text", "is not valid UTF-8 and was repaired", table="STRING_IDS", count=damaged
            )

    def words(self) -> pa.RecordBatch:
        """The `string` batch of the reader's own texts, numbered below zero; grows while streams are opened."""
        words = self.database.words
        return batch("string", [list(words.values()), list(words)])

    def changed(self) -> bool:
        """Whether the file changed since it was opened, so that what was read may be torn."""
        return self._file.changed()


__all__ = ["BATCH_ROWS", "OfficialReader"]

"""Processes that decode ranks while this one writes, in the order of the ranks: what is written does not depend on how
many there are, or which is quicker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Lock, Thread
from types import TracebackType
from typing import IO

from warehouse.errors import InputError, WriteError
from warehouse.ingest.budget import RankMemory
from warehouse.ingest.candidate import Candidate
from warehouse.ingest.channel import Channel
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.moved_rows import MovedRows
from warehouse.ingest.report import Counts
from warehouse.ingest.spool import Rows, read_rows
from warehouse.ingest.worker import Advanced, Done, Failed, Job
from warehouse.readers.input_file import shown
from warehouse.store import Loader

_AHEAD = 2  # ranks a worker that may be decoded and not yet written: they wait on disk
_PATIENCE_SECONDS = 5.0
# modules are found where this process finds them, not in the working directory, where `-c` looks first
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from warehouse.ingest.worker import main; main(int(sys.argv[1]))"
)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Workers:
    """Decodes candidates in `count` processes; `folder` is on the disk where rows wait to be written.

    Whatever becomes of this process, the others end, and their files, which have no names, are gone.
    """

    def __init__(self, count: int, candidates: Sequence[Candidate], memory: RankMemory, folder: Path) -> None:
        self._candidates = candidates
        self._memory = memory
        self._folder = folder
        self._next = self._written = 0
        self._advanced = [0] * len(candidates)  # bytes of each that are read
        self._ranks: dict[int, tuple[_Worker, IO[bytes]]] = {}  # given out and not yet written
        self._giving_out = Lock()
        self._workers: list[_Worker] = []
        try:
            for _ in range(min(count, len(candidates))):
                self._workers.append(self._new())
            self._give_out()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def load(
        self, place: int, loader: Loader, catalogue: KernelCatalogue, run_id: int, progress: Callable[[int], None]
    ) -> Counts:
        """Write the rank of the candidate at `place`; ranks are asked for in order.  `progress` is told how many bytes
        of all candidates are read.

        Errors as RankWriter.load; InputError also if the process that decoded it was killed: another takes its place.
        """
        self._replace_gone()
        self._give_out()
        moved = MovedRows(loader, catalogue, run_id)
        worker, spool = self._ranks.pop(place)
        with spool:
            messages = worker.messages()
            try:
                for message in messages:
                    progress(self.done())
                    if isinstance(message, Rows):
                        moved.write(message.table, read_rows(spool.fileno(), message))
                        continue
                    if isinstance(message, Failed):
                        raise message.error
                    moved.finish(message.ids)
                    return message.counts
            except Exception:
                for _ in messages:  # what comes after is of another rank
                    pass
                raise
            finally:
                self._written = place + 1
        raise InputError(f"{shown(self._candidates[place].input.path)}: the process that read it {worker.end()}")

    def _new(self) -> _Worker:
        return _Worker(self._give_out, self._advance)

    def _replace_gone(self) -> None:
        """Others for the processes that were killed."""
        with self._giving_out:
            for place, worker in enumerate(self._workers):
                if worker.is_gone and self._next < len(self._candidates):
                    worker.stop()
                    self._workers[place] = self._new()

    def done(self) -> int:
        """How many bytes of all candidates are read."""
        return sum(self._advanced)

    def _advance(self, place: int, done: int | None) -> None:
        """Note how many bytes of a rank are read; None: all of it."""
        self._advanced[place] = self._candidates[place].size() if done is None else done

    def _give_out(self) -> None:
        """Give the next candidates to workers that have none, but not too far ahead of what is written."""
        with self._giving_out:
            for worker in self._workers:
                most = min(len(self._candidates), self._written + _AHEAD * len(self._workers))
                if worker.is_idle and not worker.is_gone and self._next < most:
                    try:
                        spool = TemporaryFile(dir=self._folder)  # noqa: SIM115 (closed when the rank is written)
                    except OSError as error:
                        text = f"{self._folder}: no temporary file can be made there ({error.strerror})"
                        raise WriteError(text) from error
                    self._ranks[self._next] = worker, spool
                    job = Job(self._candidates[self._next], self._memory, self._folder)
                    worker.begin(self._next, job, spool.fileno())
                    self._next += 1

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.stop()
        for _, spool in self._ranks.values():
            spool.close()
        self._ranks.clear()


class _Worker:
    """One process; it has ranks one after the other, and its messages come in their order."""

    def __init__(self, idle: Callable[[], None], advance: Callable[[int, int | None], None]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-c", _START, str(theirs.fileno()), json.dumps(sys.path)]
            # in a session of its own, so that Ctrl-C is ours to hear
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, **_ONE_THREAD},
            )
        self._channel = Channel(ours)
        self._messages: SimpleQueue[Rows | Done | Failed | None] = SimpleQueue()
        self._idle = idle
        self._advance = advance
        self._place = 0
        self.is_idle, self.is_gone = True, False
        Thread(target=self._listen, daemon=True).start()

    def begin(self, place: int, job: Job, handle: int) -> None:
        """Give it a rank and the file for its rows."""
        self.is_idle, self._place = False, place
        with suppress(OSError):  # it is gone: told when its messages end
            self._channel.send(job, handle)

    def messages(self) -> Iterator[Rows | Done | Failed]:
        """What it says of a rank, Done or Failed at last; ends before if the process does."""
        while (message := self._messages.get()) is not None:
            yield message
            if isinstance(message, Done | Failed):
                return
        self._messages.put(None)

    def _listen(self) -> None:
        try:
            while True:
                message, _ = self._channel.receive()
                if isinstance(message, Advanced):
                    self._advance(self._place, message.done)
                    continue
                if isinstance(message, Rows):
                    self._messages.put(message)
                    continue
                self._advance(self._place, None)
                self.is_idle = True  # before anybody knows that the rank is done and asks for the next
                self._messages.put(message)
                with suppress(WriteError):  # no room for another rank: told when that is asked for
                    self._idle()
        except (EOFError, OSError):
            self.is_gone = True
            self._messages.put(None)

    def end(self) -> str:
        """How it ended, for people."""
        self.stop()
        code = self._process.returncode
        if code < 0:
            return (
                f"was killed ({signal.Signals(-code).name}); where memory is short, give fewer --jobs or less --memory"
            )
        return f"ended by itself (code {code})"

    def stop(self) -> None:
        """End it, wherever it is."""
        self._channel.close()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

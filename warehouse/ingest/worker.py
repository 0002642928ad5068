"""The process that decodes ranks for another one, which writes them (see workers.py)."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from warehouse.errors import NpuwhError
from warehouse.ingest.budget import RankMemory
from warehouse.ingest.candidate import Candidate
from warehouse.ingest.channel import Channel
from warehouse.ingest.faults import of_one_input
from warehouse.ingest.kernels import KernelCatalogue
from warehouse.ingest.rank_writer import RankWriter
from warehouse.ingest.report import Counts
from warehouse.ingest.spool import SpoolWriter
from warehouse.ingest.spool_loader import SpoolLoader
from warehouse.without_pandas import refuse_pandas

_TOLD_SECONDS = 0.2


@dataclass(frozen=True)
class Job:
    """A rank to decode; the file for its rows, which lies in `folder`, comes with it."""

    candidate: Candidate
    memory: RankMemory
    folder: Path


@dataclass(frozen=True)
class Done:
    """The rank is decoded: its numbers, and how many ids of each table it has."""

    counts: Counts
    ids: dict[str, int]


@dataclass(frozen=True)
class Failed:
    """It cannot be loaded, and why."""

    error: NpuwhError


@dataclass(frozen=True)
class Advanced:
    """So many bytes of the rank's input are read."""

    done: int


def main(handle: int) -> None:
    """Take jobs from the socket until its other end is closed, which ends the process wherever it is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process hears it, and ends this one
    refuse_pandas()
    channel = Channel(socket.socket(fileno=handle))
    jobs: SimpleQueue[tuple[Job, int]] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                job, file = channel.receive()
                assert file is not None
                jobs.put((job, file))
        except (EOFError, OSError):
            os._exit(0)

    Thread(target=listen, daemon=True).start()
    while True:
        job, file = jobs.get()
        try:
            channel.send(_carried_out(job, file, channel))
        except OSError:  # nobody is there any more
            os._exit(0)
        finally:
            os.close(file)


class _Seldom:
    """Tells how far a rank is, some times a second."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._last = 0.0

    def __call__(self, done: int) -> None:
        if (now := monotonic()) - self._last > _TOLD_SECONDS:
            self._last = now
            self._channel.send(Advanced(done))


def _carried_out(job: Job, file: int, channel: Channel) -> Done | Failed:
    loader = SpoolLoader(SpoolWriter(file), job.folder, channel.send)
    try:
        with of_one_input():
            writer = RankWriter(loader, KernelCatalogue(loader), _Seldom(channel), job.memory)
            writer.load(job.candidate, run_id=1)
    except NpuwhError as error:
        return Failed(error)
    return Done(writer.counts, dict(loader.ids))

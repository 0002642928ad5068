"""One recording from its directory to its manifest: what the transitions of the action table do."""

from __future__ import annotations

import atexit
import json
import os
from dataclasses import dataclass, field
from logging import ERROR
from pathlib import Path
from typing import Any

from warehouse import _recorder
from warehouse.profiler.boundary import booked_troubles, let_signals_through, trouble
from warehouse.profiler.live import serve_as_asked
from warehouse.profiler.metadata import Metadata, rank_number
from warehouse.profiler.producers import Producers, Wanted, torch_module
from warehouse.profiler.recording_options import DiskLimits
from warehouse.profiler.run_directory import CHUNK_FOLDER, RunPlace, new_run_directory, remove_run_directory
from warehouse.profiler.settings import logger


@dataclass
class Cycle:
    """One run directory being filled.  No function raises: trouble is logged in one line, and the program goes on."""

    wanted: Wanted
    place: RunPlace
    metadata: Metadata
    facts: dict[str, Any]
    limits: DiskLimits = field(default_factory=DiskLimits)
    path: Path | None = None
    has_failed: bool = False  # half way: whoever comes next may close it
    _producers: Producers | None = None
    _is_recording: bool = False
    _is_paused: bool = False  # by the program
    _is_left_out: bool = False  # the current step
    _has_ended_early: bool = False  # and that was told
    _has_begun: bool = False  # to record, and the program knows
    _pid: int = 0

    def init(self) -> None:
        """Make the directory."""
        self._pid = os.getpid()
        try:
            self.path = new_run_directory(self.place)
        except Exception as error:
            let_signals_through(error)
            trouble("nothing is recorded: the directory cannot be made: %s", error, level=ERROR)

    def warm_up(self) -> None:
        """Open the writers; nothing is taken yet."""
        global _last  # noqa: PLW0603 one recorder a process
        if self.path is None or self._producers is not None:
            return
        if _recorder.is_open() and _last is not None and _last.has_failed:
            _last.give_up()
        if _recorder.is_open():
            logger.error("nothing is recorded: another npuwh profiler is at work in this process")
            self.delete()
            return
        limits = self.limits
        _last = self
        self._producers = Producers(self.wanted)  # from here on the recorder is ours to close
        atexit.register(self.finalize)  # a script that ends without `stop` leaves complete files
        try:
            _recorder.prepare(
                os.fsencode(self.path / CHUNK_FOLDER),
                facts_json=json.dumps(self.facts),
                ring_bytes=limits.ring_bytes,
                chunk_bytes=limits.chunk_bytes,
                chunk_ns=int(limits.chunk_seconds * 1e9),
                flush_ns=int(limits.flush_seconds * 1e9),
                disk_bytes=limits.disk_bytes,
                include_ops=list(self.wanted.selection.include_ops),
                exclude_ops=list(self.wanted.selection.exclude_ops),
            )
            booked_troubles()  # those before are no longer of interest
            self._producers.prepare()
        except Exception as error:
            let_signals_through(error)
            trouble("nothing is recorded: %s", error, level=ERROR)
            self.give_up()

    def start(self, is_paused: bool = False) -> bool:
        """Record from now on, or from `resume` on; whether it does."""
        if self._producers is None:
            self.warm_up()
        if self._producers is None:
            return False
        try:
            module = torch_module()
            if module is not None and module.npuwh_other_profiler():
                text = "nothing is recorded: another profiler is at work on this thread; end it first"
                trouble(text, level=ERROR)
                self.give_up()
                return False
            serve_as_asked()
            self._is_paused = is_paused
            self._is_recording = True
            if not is_paused:
                _recorder.start()
            self._producers.begin()
            self._has_begun = True
        except Exception as error:
            let_signals_through(error)
            trouble("recording cannot begin: %s", error, level=ERROR)
            self.stop()
        return self._is_recording

    def take_step(self, number: int) -> None:
        """The step `number` of those that are recorded begins (0: the first); it is taken or left out."""
        self._switch(self._is_paused, number % self.wanted.selection.every_step != 0)
        self._tell_early_end()

    @property
    def is_open(self) -> bool:
        """Whether it is prepared or recording: its files are not complete."""
        return self._producers is not None

    @property
    def is_left_out(self) -> bool:
        """Whether nothing of the current step is recorded, because of sampling alone."""
        return self._is_recording and self._is_left_out and not self._is_paused

    def pause(self) -> None:
        """Take nothing until `resume`."""
        self._switch(True, self._is_left_out)

    def resume(self) -> None:
        """Go on after `pause`."""
        self._switch(False, self._is_left_out)

    def _switch(self, is_paused: bool, is_left_out: bool) -> None:
        if not self._is_recording:
            return
        was_off = self._is_paused or self._is_left_out
        self._is_paused, self._is_left_out = is_paused, is_left_out
        if was_off == (is_paused or is_left_out):
            return
        if was_off:
            _recorder.resume_tracer()
            _recorder.start()
        else:
            _recorder.pause()

    def stop(self) -> int:
        """Record no more; what was recorded is in the files afterwards.  How many ranges these are."""
        if not self._is_recording or self._producers is None:
            return 0
        if self.wanted.has_details:
            self._switch(False, False)  # what is told at the end, of parameters, must find the recording on
        try:
            self._producers.end()
            _recorder.stop()
        except Exception as error:
            let_signals_through(error)
            trouble("recording did not end cleanly: %s", error, level=ERROR)
        self._tell_early_end()
        lost = _recorder.counters()
        if lost["refused_threads"]:
            trouble("%d threads are not recorded: there is no memory for their records", lost["refused_threads"])
        if lost["lost_events"] or lost["lost_frames"]:
            why = "the disk was too slow for them"
            if self._has_ended_early:
                why = "they came after its early end"
            elif lost["refused_threads"]:
                why = "there was no memory for them"
            text = "the recording lacks %d events and %d Python calls and returns: %s"
            logger.warning(text, lost["lost_events"], lost["lost_frames"], why)
        self._is_recording = self._is_paused = self._is_left_out = False
        self._tell_unobserved(self._producers.unobserved_threads())
        return int(lost["ops"])

    def _tell_early_end(self) -> None:
        """Once, where the program comes by after it."""
        if self._is_recording and not self._has_ended_early and _recorder.state() not in ("recording", "idle"):
            self._has_ended_early = True
            logger.error("the recording is incomplete: %s", _recorder.reason())

    def _tell_unobserved(self, threads: list[str]) -> None:
        if not threads:
            return
        self.facts["unobserved_threads"] = threads
        named = ", ".join(threads[:3]) + (", ..." if len(threads) > 3 else "")
        text = "operators of %d other thread%s (%s) are not recorded: profile() records the thread that starts it, "
        text += "others call profile.enable_profiler_in_child_thread(); `npuwh record` records all"
        logger.warning(text, len(threads), "s"[: len(threads) != 1], named)

    def finalize(self) -> None:
        """Complete the chunks and write what the run says of itself."""
        if self._producers is None or self.path is None:
            return
        if os.getpid() != self._pid:
            return  # a child of fork that ends: the files are its parent's
        self.stop()
        try:
            _recorder.finish(json.dumps({**self.facts, "troubles": booked_troubles()}))
            self._write_info()
        except Exception as error:
            let_signals_through(error)
            logger.error("%s: the description of the run cannot be written: %s", self.path, error)
        self._producers = None
        atexit.unregister(self.finalize)

    def give_up(self) -> None:
        """Close what was left half done: what was recorded is kept, a directory of a recording that never began goes.

        May be called again where it did not come to its end.
        """
        self.has_failed = True
        if os.getpid() != self._pid:
            return
        try:
            self.finalize()
        finally:
            if self._producers is not None:  # another signal has struck
                _recorder.finish(json.dumps(self.facts))
                self._producers = None
                atexit.unregister(self.finalize)
        if not self._has_begun:
            self.delete()

    def delete(self) -> None:
        """Remove what was made."""
        if self.path is not None:
            remove_run_directory(self.path)
            self.path = None

    def _write_info(self) -> None:
        assert self.path is not None
        rank = rank_number()
        name = "profiler_info.json" if rank is None else f"profiler_info_{rank}.json"
        _write_json(self.path / name, {**self.facts, "rank_id": -1 if rank is None else rank})
        _write_json(self.path / "profiler_metadata.json", self.metadata.content())


_last: Cycle | None = None  # that opened the recorder


def _write_json(path: Path, content: dict[str, Any]) -> None:
    """Write it beside its place, so that what stood there stays if there is no room for it."""
    beside = path.with_name(f"{path.name}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o640)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            json.dump(content, file, ensure_ascii=False, indent=4)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise

"""`_KinetoProfile`: what a profiler is without a schedule (framework-files.md 6.2)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from warehouse.profiler import mstx
from warehouse.profiler.boundary import contained
from warehouse.profiler.cycle import Cycle
from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.metadata import Metadata
from warehouse.profiler.producers import Wanted
from warehouse.profiler.profile_arguments import (
    checked_activities,
    checked_config,
    checked_options,
)
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.run_directory import RunPlace
from warehouse.profiler.settings import (
    ProfilerActivity,
    checked_flag,
    logger,
)
from warehouse.profiler.transitions import Do
from warehouse.profiler.turns import Turns


class _KinetoProfile:
    """A recording with `start` and `stop`, without schedule and handler: its directory is made for exports and goes
    with the object.

    Wrong settings are reported at once, with what is allowed and what is used instead; recording trouble is logged and
    never raised.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: _ExperimentalConfig | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        disk_limits: DiskLimits | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.activities = checked_activities(activities)
        self.experimental_config = checked_config(experimental_config)
        self.metadata = Metadata()
        self.metadata.set_trace_id_callback(custom_trace_id_callback)
        self._wanted = Wanted(
            checked_flag("record_shapes", record_shapes),
            checked_flag("profile_memory", profile_memory),
            checked_flag("with_stack", with_stack),
            checked_flag("with_modules", with_modules),
            checked_flag("with_flops", with_flops),
            self.experimental_config.gc_detect_threshold,
            tuple(self.experimental_config.host_sys),
            checked_options("selection", selection, Selection()),
        )
        self._place = RunPlace(is_export_only=True)
        self._limits = checked_options("disk_limits", disk_limits, DiskLimits())
        self._pid = os.getpid()
        self._cycle: Cycle | None = None
        self._has_schedule = False
        self._is_paused = False
        self._turns = Turns()
        self.recordings = 0  # that were begun
        self.recorded_ops = 0
        if ProfilerActivity.NPU in self.activities:
            why = "this recorder takes none yet" if _has_npu() else "there is none in this process"
            logger.warning("no NPU is recorded: %s; the CPU goes on", why)

    def __del__(self) -> None:
        """What was made for exports alone goes with the object."""
        self._remove_exports()

    @contained(None)
    def _remove_exports(self) -> None:
        cycle = getattr(self, "_cycle", None)
        if cycle is not None and os.getpid() == self._pid:
            cycle.finalize()
            cycle.delete()

    @property
    def path(self) -> Path | None:
        """Directory of the last recording."""
        return None if self._cycle is None or os.getpid() != self._pid else self._cycle.path

    @contained(None)
    def start(self) -> None:
        """Record from now on."""
        self._pid = os.getpid()
        self._turns.take(lambda: self._perform([Do.INIT, Do.START]))

    @contained(None)
    def stop(self) -> None:
        """Record no more, and complete the files."""
        self._turns.take(lambda: self._perform([Do.STOP, Do.FINALIZE]))

    @contained(None)
    def pause(self) -> None:
        """Take nothing until `resume`, also if called before `start`; any thread may call them."""
        self._is_paused = True
        if self._cycle is not None and os.getpid() == self._pid:
            self._cycle.pause()

    @contained(None)
    def resume(self) -> None:
        """Go on after `pause`; nesting begins anew."""
        self._is_paused = False
        if self._cycle is not None and os.getpid() == self._pid:
            self._cycle.resume()

    @contained(None)
    def add_metadata(self, key: str, value: str) -> None:
        """Keep a text with the recording, under a name."""
        self.metadata.add(key, value)

    @contained(None)
    def add_metadata_json(self, key: str, value: str) -> None:
        """Keep a value with the recording, given as JSON text."""
        self.metadata.add_json(key, value)

    @contained(None)
    def export_chrome_trace(self, output_path: str) -> None:
        """Write the last recording as a Chrome trace."""
        from warehouse.profiler.exports import export_chrome_trace

        if self._can_export():
            export_chrome_trace(self.path, output_path)

    @contained(None)
    def export_stacks(self, output_path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line an operator with a stack: frames, outermost first, and its own time in us."""
        from warehouse.profiler.exports import export_stacks

        if not self._wanted.with_stack:
            logger.warning("no stacks are exported: record with with_stack=True")
            return
        if self._can_export():
            export_stacks(self.path, output_path, metric)

    @contained(None)
    def export_memory_timeline(self, output_path: str, device: str | None = None) -> None:
        """Write how much memory each category held over time: .html, .json or .raw.json.gz."""
        from warehouse.profiler.exports import export_memory_timeline

        if not self._wanted.has_details:
            text = "record with record_shapes, profile_memory, and with_stack or with_modules"
            logger.warning("no memory timeline is exported: %s", text)
            return
        if self._can_export():
            export_memory_timeline(self.path, output_path, device or ("npu:0" if _has_npu() else "cpu"))

    def _can_export(self) -> bool:
        if self._cycle is None or not self._cycle.is_open or os.getpid() != self._pid:
            return True
        logger.warning("nothing is exported while the profiler runs: stop it first")
        return False

    def _new_cycle(self) -> Cycle:
        self.metadata.renew_trace_id()
        return Cycle(self._wanted, self._place, self.metadata, self._facts(), self._limits)

    def _facts(self) -> dict[str, Any]:
        config = {name: value for name, value in vars(self.experimental_config).items() if value is not None}
        wanted = self._wanted
        common = {
            "with_stack": wanted.with_stack,
            "record_shapes": wanted.record_shapes,
            "profile_memory": wanted.profile_memory,
            "with_modules": wanted.with_modules,
            "with_flops": wanted.with_flops,
            "activities": [f"ProfilerActivity.{ProfilerActivity.CPU.name}"],  # what is recorded; nobody waits for more
        }
        return {
            "config": {"common_config": common, "experimental_config": {f"_{name}": config[name] for name in config}},
            "recorder": "npuwh",
            "activities_asked_for": sorted(each.name for each in self.activities),
            "selection": asdict(wanted.selection),
            "torch_version": getattr(sys.modules.get("torch"), "__version__", None),
            "python_version": sys.version.split()[0],
        }

    def _perform(self, steps: list[Do]) -> None:
        if os.getpid() != self._pid:
            return  # in a forked child: the recording and its files are the parent's
        try:
            self._do(steps)
        except BaseException:  # of a signal
            if self._cycle is not None:
                self._cycle.give_up()
            raise

    def _do(self, steps: list[Do]) -> None:
        for each in steps:
            if each is Do.INIT:
                self._cycle = self._new_cycle()
                self._cycle.init()
            elif each is Do.WARN:
                if self._has_schedule:  # without one this is how a recording ends
                    logger.warning(_EARLY)
            elif self._cycle is None:
                continue
            elif each is Do.WARMUP:
                self._cycle.warm_up()
            elif each is Do.START:
                self._begin(self._cycle)
            elif each is Do.STOP:
                self.recorded_ops += self._cycle.stop()
            elif each is Do.FINALIZE:
                self._cycle.finalize()
            elif each is Do.DELETE:
                self._cycle.delete()
            elif each is Do.READY:
                self._ready()

    def _begin(self, cycle: Cycle) -> None:
        self.recordings += 1
        if cycle.start(self._is_paused):
            config = self.experimental_config
            mstx.choose(config.mstx or config.msprof_tx, config.mstx_domain_include, config.mstx_domain_exclude)

    def _ready(self) -> None:
        """A recording is complete."""


_EARLY = "the recording ends before its schedule does; what was recorded is kept"


def _has_npu() -> bool:
    return "torch_npu" in sys.modules

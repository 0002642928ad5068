"""`profile`: the profiler that a script uses (framework-files.md 6.2)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Any

from warehouse.profiler.boundary import contained, is_of_signal, let_signals_through, tell_failure, trouble
from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.kineto_profile import _KinetoProfile
from warehouse.profiler.live import note_step, note_stop
from warehouse.profiler.producers import ThreadProducers, Wanted
from warehouse.profiler.profile_arguments import checked_schedule, checked_trace_observer
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.run_directory import RunPlace, latest_place
from warehouse.profiler.schedule import ProfilerAction, Schedule
from warehouse.profiler.settings import ProfilerActivity, checked_flag, logger, report
from warehouse.profiler.step_range import StepRange
from warehouse.profiler.transitions import Do, between


class profile(_KinetoProfile):  # noqa: N801 the name that scripts use
    """A recording by schedule: as context manager, or with `start`, `step` and `stop`.

    `schedule` gives the action of each step, `on_trace_ready` is called with the profiler when a recording is complete.

    >>> with profile(activities=[ProfilerActivity.CPU]) as prof:  # doctest: +SKIP
    ...     train()
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: _ExperimentalConfig | None = None,
        execution_trace_observer: Any = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        use_cuda: Any = None,
        disk_limits: DiskLimits | None = None,
        selection: Selection | None = None,
    ) -> None:
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            custom_trace_id_callback=custom_trace_id_callback,
            disk_limits=disk_limits,
            selection=selection,
        )
        if use_cuda is not None:
            logger.warning("use_cuda has no meaning here; it is left out")
        self._schedule, self._has_schedule = checked_schedule(schedule)
        if on_trace_ready is not None and not callable(on_trace_ready):
            report("on_trace_ready", on_trace_ready, "something that can be called with the profiler", None)
            on_trace_ready = None
        self.on_trace_ready = on_trace_ready
        place = getattr(on_trace_ready, "place", None)  # of the handler that `tensorboard_trace_handler` makes
        if not isinstance(place, RunPlace):
            place = RunPlace(is_export_only=True) if on_trace_ready is None else latest_place()
        self._place = place
        self._trace_observer = checked_trace_observer(execution_trace_observer)
        self._own_error: Exception | None = None  # of what the program gave to be called
        self._tells_on = 0  # the thread that `on_trace_ready` runs on
        self.step_num = 0
        self.current_action = self._schedule(0)
        self._is_running = False
        self._has_step_ranges = self._has_schedule
        self._step_offset = 0
        self._step_range = StepRange()
        self._recorded_steps = 0  # of the current recording

    def __del__(self) -> None:
        """A profiler that nobody stopped is stopped; what it recorded stays."""
        if getattr(self, "_is_running", False):
            contained(None)(self.stop)()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except Exception as own:
            if error is None or is_of_signal(own):
                raise
            tell_failure("on_trace_ready", own)  # the block's own error is what the program has to see

    def start(self) -> None:
        """Begin with the action of the current step.  Within `on_trace_ready` it is left out, with a line."""
        if self._tells_on == threading.get_ident():
            logger.warning("start within on_trace_ready is left out; start the profiler when its stop has returned")
            return
        self._enter(self._start)

    def _enter(self, call: Callable[[], None]) -> None:
        """From the program into the recorder.  What gets out is an error of `on_trace_ready` alone, at the end."""
        contained(None)(self._turns.take)(call)
        own, self._own_error = self._own_error, None
        if own is not None:
            raise own

    def _start(self) -> None:
        if self._is_running:
            logger.warning("the profiler runs already; start is left out")
            return
        before = self._cycle
        try:
            self._is_running = True
            self._pid = os.getpid()
            self._perform(between(ProfilerAction.NONE, self.current_action))
            self._tell_observer("start")
            self._open_step()
        except BaseException:  # of a signal: it has not started
            self._is_running = False
            self._step_range.close()
            if self._cycle is not None and self._cycle is not before:
                self._cycle.give_up()
                self._cycle.delete()
            raise

    def _tell_observer(self, what: str) -> None:
        if self._trace_observer is not None:
            try:
                getattr(self._trace_observer, what)()
            except Exception as error:
                let_signals_through(error)
                trouble("execution_trace_observer.%s failed: %s", what, error)

    def start_at(self, step: int) -> None:
        """As `start`, in a job that has counted its steps itself: step ranges are numbered from `step`."""
        if not isinstance(step, int) or isinstance(step, bool) or step < 0:
            report("step", step, "a whole number from 0", 0)
            step = 0
        self._step_offset = step
        self.start()

    def record_all_threads(self) -> None:
        """Record operators of every thread, not only of the one that starts; to be called before `start`."""
        self._wanted = replace(self._wanted, has_all_threads=True)

    def mark_steps(self) -> None:
        """Put a range around each step also without a schedule; to be called before `start`."""
        self._has_step_ranges = True

    def step(self) -> None:
        """The next step begins."""
        self._enter(self._step)

    def _step(self) -> None:
        if not self._is_running:
            logger.warning("the profiler does not run; step is left out")
            return
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self._schedule(self.step_num)
        changes = between(before, self.current_action)
        self._perform(changes)
        self._recorded_steps = 0 if Do.START in changes else self._recorded_steps + 1
        if self._cycle is not None and os.getpid() == self._pid:
            self._cycle.take_step(self._recorded_steps)
        self._open_step()

    def stop(self) -> None:
        """End, whatever the current action is."""
        self._enter(self._stop)

    def _stop(self) -> None:
        if not self._is_running:
            self._close_failed()
            return
        try:
            self._is_running = False
            note_stop()
            self._end_step()
            self._tell_observer("stop")
            self._perform(between(self.current_action, None))
        except BaseException:  # of a signal
            if self._cycle is not None:
                self._cycle.give_up()
            raise

    def _close_failed(self) -> None:
        cycle = self._cycle
        if cycle is not None and cycle.has_failed and cycle.is_open:
            cycle.give_up()

    @contained(None)
    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """What names each recording from now on."""
        self.metadata.set_trace_id_callback(callback)

    def get_trace_id(self) -> str:
        """Name of the current recording."""
        return self.metadata.trace_id

    @classmethod
    @contained(None)
    def enable_profiler_in_child_thread(
        cls,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
    ) -> None:
        """Record operators of the calling thread too, which began on its own."""
        from warehouse.profiler import child_thread

        wanted = Wanted(
            checked_flag("record_shapes", record_shapes),
            checked_flag("profile_memory", profile_memory),
            checked_flag("with_stack", with_stack),
            checked_flag("with_modules", with_modules),
            checked_flag("with_flops", with_flops),
        )
        child_thread.enable(ThreadProducers(wanted, is_standing=True))

    @classmethod
    @contained(None)
    def disable_profiler_in_child_thread(cls) -> None:
        """End what `enable_profiler_in_child_thread` began on this thread."""
        from warehouse.profiler import child_thread

        child_thread.disable()

    def _open_step(self) -> None:
        note_step(self.step_num + self._step_offset)
        is_refused = self._cycle is not None and self._cycle.path is None
        if self._has_step_ranges and not is_refused:  # else it would stand in the recording of another profiler
            self._step_range.open(self.step_num + self._step_offset)

    def _end_step(self) -> None:
        if self._cycle is not None and self._cycle.is_left_out and os.getpid() == self._pid:
            self._step_range.keep()  # a step of which nothing else is recorded is a step
        self._step_range.close()

    def _ready(self) -> None:
        if self.on_trace_ready is not None:
            try:
                self._tells_on = threading.get_ident()
                self.on_trace_ready(self)
            except Exception as error:
                self._own_error = self._own_error or error
            finally:
                self._tells_on = 0


__all__ = ["Schedule", "_KinetoProfile", "profile"]

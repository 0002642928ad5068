"""The process in which `npuwh record` runs a script: `python -m warehouse.profiler.run_script SETTINGS SCRIPT [args]`,
SETTINGS a JSON object (script_settings.py).

As `python SCRIPT args` does it: sys.argv, sys.path and __main__ are the script's, its exit code is ours, and its errors
show its own lines.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from warehouse.errors import NpuwhError
from warehouse.profiler import dynamic_profile
from warehouse.profiler.own_frames import calls_program, runs_program
from warehouse.profiler.script_settings import ScriptRecording, recording_of
from warehouse.profiler.settings import logger

_OUR_FILES = (__file__, runpy.__file__, "<frozen runpy>")


@runs_program
def main(arguments: list[str] | None = None) -> int:
    """Run and record; the exit code, if the script gives none itself.  2: a setting is wrong, and nothing was run."""
    given, script, *rest = sys.argv[1:] if arguments is None else arguments
    logging.basicConfig(format="npuwh: %(message)s")
    settings: dict[str, Any] = json.loads(given)
    try:
        recording = None if "watch" in settings else recording_of(settings)
    except NpuwhError as error:
        logger.error("%s", error)
        return 2
    code, run = _prepared(script, rest, bool(settings.get("is_module")))
    if recording is None:
        dynamic_profile.watch(settings["watch"])
        run(code)
        return 0
    _begin(recording)
    try:
        run(code)
    finally:
        _end(recording)
    return 0


def _begin(recording: ScriptRecording) -> None:
    recording.children.begin()
    if recording.has_steps:
        recording.steps.begin()
    recording.window.begin(recording.profiler)
    recording.profiler.start()


def _end(recording: ScriptRecording) -> None:
    """However the script ended: what was recorded is kept, and it is told where."""
    profiler = recording.profiler
    recording.children.end()
    try:
        profiler.stop()
    finally:
        recording.window.end()
        recording.steps.end()
        if profiler.path is not None:  # as in a forked child
            others = profiler.recordings - 1
            beside = f" (and {others:,} before it)" if others else ""
            sys.stderr.write(f"npuwh: recorded {profiler.path}{beside}\n")
            recording.children.tell(profiler.recorded_ops)


def _prepared(script: str, arguments: list[str], is_module: bool) -> tuple[Any, Callable[[Any], None]]:
    """What is run, and how; the interpreter looks as the script expects it."""
    sys.argv = [script, *arguments]
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        _check_module(script)
        return script, _run_module
    path = Path(script)
    if path.is_dir() or path.suffix in (".zip", ".pyz"):
        return script, _run_path
    try:
        code = compile(path.read_bytes(), str(path.absolute()), "exec", dont_inherit=True)
    except (OSError, ValueError, SyntaxError) as error:
        _end_with(error, None)
    sys.path.insert(0, str(path.absolute().parent))
    return code, _run_code


def _check_module(name: str) -> None:
    """As `python -m NAME` says it: in one line, before anything is recorded."""
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
            name = f"{name}.__main__"
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            _end_with(error, _of_program(error.__traceback__))  # what a parent of it wants
        spec = None
    except (ImportError, ValueError) as error:
        _end_with(error, _of_program(error.__traceback__))
    if spec is None:
        logger.error("No module named %s", name)
        raise SystemExit(1)


@calls_program
def _run_code(code: types.CodeType) -> None:
    module = ModuleType("__main__")
    module.__dict__.update(__file__=code.co_filename, __builtins__=__builtins__, __spec__=None, __cached__=None)
    sys.modules["__main__"] = module
    _without_our_lines(lambda: exec(code, module.__dict__))


@calls_program
def _run_path(path: str) -> None:
    _without_our_lines(lambda: runpy.run_path(path, run_name="__main__"))


@calls_program
def _run_module(name: str) -> None:
    _without_our_lines(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


@calls_program
def _without_our_lines(run: Callable[[], object]) -> None:
    """An error of the script is told as Python tells it, beginning with the script's own line."""
    try:
        run()
    except SystemExit:
        raise
    except KeyboardInterrupt as error:
        # the interpreter has to see it, so that it ends as one that was interrupted, and tells of it at its very end
        _tell_without_our_lines(_of_program(error.__traceback__))
        raise
    except BaseException as error:
        _end_with(error, _of_program(error.__traceback__))


def _of_program(trace: types.TracebackType | None) -> types.TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename in _OUR_FILES:
        trace = trace.tb_next
    return trace


def _tell_without_our_lines(trace: types.TracebackType | None) -> None:
    tell = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, _whole: types.TracebackType | None) -> None:
        tell(kind, error.with_traceback(trace), trace)

    sys.excepthook = hook


def _end_with(error: BaseException, trace: types.TracebackType | None) -> NoReturn:
    if isinstance(error, OSError) and trace is None:
        logger.error("%s", error)
        raise SystemExit(2)
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())

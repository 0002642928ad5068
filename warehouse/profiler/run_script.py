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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from warehouse.errors import NpuwhError
from warehouse.profiler import dynamic_profile
from warehouse.profiler.optimizer_steps import OptimizerSteps
from warehouse.profiler.script_settings import ScriptRecording, recording_of
from warehouse.profiler.settings import logger

_OUR_FILES = (__file__, runpy.__file__, "<frozen runpy>")


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
    with _recorded(recording):
        run(code)
    if recording.profiler.path is not None:
        print(f"npuwh: recorded {recording.profiler.path}", file=sys.stderr)
    return 0


@contextmanager
def _recorded(recording: ScriptRecording) -> Iterator[None]:
    steps = OptimizerSteps(recording.profiler.step)
    if recording.has_steps:
        steps.begin()
    recording.window.begin(recording.profiler)
    try:
        with recording.profiler:
            yield
    finally:
        recording.window.end()
        steps.end()


def _prepared(script: str, arguments: list[str], is_module: bool) -> tuple[Any, Callable[[Any], None]]:
    """What is run, and how; the interpreter looks as the script expects it."""
    sys.argv = [script, *arguments]
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        return script, _run_module
    path = Path(script)
    if path.is_dir() or path.suffix in (".zip", ".pyz"):
        return script, lambda script: _without_our_lines(lambda: runpy.run_path(script, run_name="__main__"))
    try:
        code = compile(path.read_bytes(), str(path.absolute()), "exec", dont_inherit=True)
    except (OSError, ValueError, SyntaxError) as error:
        _end_with(error, None)
    sys.path.insert(0, str(path.absolute().parent))
    return code, _run_code


def _run_code(code: types.CodeType) -> None:
    module = ModuleType("__main__")
    module.__dict__.update(__file__=code.co_filename, __builtins__=__builtins__, __spec__=None, __cached__=None)
    sys.modules["__main__"] = module
    _without_our_lines(lambda: exec(code, module.__dict__))


def _run_module(name: str) -> None:
    if importlib.util.find_spec(name) is None:
        _end_with(ModuleNotFoundError(f"No module named {name!r}"), None)
    _without_our_lines(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


def _without_our_lines(run: Callable[[], object]) -> None:
    """An error of the script is told as Python tells it, beginning with the script's own line."""
    try:
        run()
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OUR_FILES:
            trace = trace.tb_next
        _end_with(error, trace)


def _end_with(error: BaseException, trace: types.TracebackType | None) -> None:
    if isinstance(error, OSError) and trace is None:
        logger.error("%s", error)
        raise SystemExit(2)
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())

"""The process in which `npuwh record` runs a script: `python -m warehouse.profiler.run_script [options] SCRIPT [args]`.

As `python SCRIPT args` does it: sys.argv, sys.path and __main__ are the script's, its exit code is ours, and its errors
show its own lines.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.handler import tensorboard_trace_handler
from warehouse.profiler.profile import profile
from warehouse.profiler.settings import ExportType, ProfilerActivity, logger, words_of

_OUR_FILES = (__file__, runpy.__file__, "<frozen runpy>")
_SWITCHES = ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops")


def main(arguments: list[str] | None = None) -> int:
    """Run and record; the script's exit code, if it gives none itself."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(format="npuwh: %(message)s")
    config = _ExperimentalConfig(
        mstx=True, gc_detect_threshold=given.gc, export_type=given.export_type or [ExportType.Db]
    )
    profiler = profile(
        activities=[ProfilerActivity.CPU],
        on_trace_ready=tensorboard_trace_handler(given.output),
        experimental_config=config,
        **{name: getattr(given, name) for name in _SWITCHES},
    )
    code, run = _prepared(given)
    with profiler:
        run(code)
    if profiler.path is not None:
        print(f"npuwh: recorded {profiler.path}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npuwh record", description=__doc__, allow_abbrev=False)
    parser.add_argument("-o", "--output", default="npuwh-recordings")
    parser.add_argument("--export-type", action="append", choices=words_of(ExportType))
    parser.add_argument("--gc", type=float)
    parser.add_argument("--module", action="store_true")
    for name in _SWITCHES:
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, action="store_true")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def _prepared(given: argparse.Namespace) -> tuple[Any, Callable[[Any], None]]:
    """What is run, and how; the interpreter looks as the script expects it."""
    sys.argv = [given.script, *given.arguments]
    if given.module:
        sys.path.insert(0, str(Path.cwd()))
        return given.script, _run_module
    path = Path(given.script)
    if path.is_dir() or path.suffix in (".zip", ".pyz"):
        return given.script, lambda script: _without_our_lines(lambda: runpy.run_path(script, run_name="__main__"))
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

"""Compiles the observer of torch's operators: by the C++ compiler at hand, within a time, its output never trusted."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from warehouse.errors import NpuwhError

_SOURCES = ("observer.cpp", "memory_state.cpp", "module_filter.cpp")
# NDEBUG as in torch itself: RecordFunction has one more field without it
FLAGS = ("-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden")
MOST_SECONDS = 120.0  # it takes some 20 on one slow core


class TorchModuleError(NpuwhError):
    """The observer cannot be built or loaded; the message says what to do."""


def compiler_command() -> list[str]:
    """The compiler and the arguments that $CXX gives it, else what is installed; TorchModuleError if there is none."""
    given = os.environ.get("CXX", "")
    try:
        command = shlex.split(given)
    except ValueError as error:
        raise TorchModuleError(f"operators of torch are not recorded: CXX={given!r} is no command: {error}") from None
    if command:
        return command
    found = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if found is None:
        raise TorchModuleError(
            "operators of torch are not recorded: there is no C++ compiler to build the observer with; "
            "install g++ (or set CXX) and run `npuwh build-torch`"
        )
    return [found]


def compile_observer(torch: Any, folder: Path, into: Path) -> Path:
    """Build the sources in `folder` for this torch; the observer, in `into` under a name with its contents' sum.

    TorchModuleError if the compiler fails or takes longer than MOST_SECONDS, OSError if it cannot be run.
    """
    compiler = compiler_command()
    root = Path(torch.__file__).parent
    includes = [f"-I{folder}", f"-isystem{root / 'include'}", f"-isystem{root / 'include/torch/csrc/api/include'}"]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"
    deadline = time.monotonic() + MOST_SECONDS
    with tempfile.TemporaryDirectory(dir=into) as scratch:
        objects = [f"{scratch}/{name}.o" for name in _SOURCES]
        compiles = [
            [*compiler, *FLAGS, abi, *includes, "-c", str(folder / "torch" / name), "-o", made]
            for name, made in zip(_SOURCES, objects, strict=True)
        ]
        _run(compiles, "compile", deadline)
        made = Path(scratch) / "observer.so"
        libraries = [f"-L{root / 'lib'}", "-ltorch_cpu", "-lc10"]
        _run([[*compiler, "-shared", "-o", str(made), *objects, *libraries]], "link", deadline)
        if not made.is_file():
            raise TorchModuleError(f"the torch observer is not built: {shlex.join(compiler)} left no file")
        target = into / f"observer-{sum_of(made)}.so"
        made.replace(target)
    return target


def sum_of(path: Path) -> str:
    """What names a built observer: the sum of its bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(commands: list[list[str]], what: str, deadline: float) -> None:
    """Run them side by side; all of them have ended when this returns or raises."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            running.append(
                subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )  # fmt: skip
        for process in running:
            output = process.communicate(timeout=max(deadline - time.monotonic(), 0.01))[0]
            if process.returncode != 0:
                raise TorchModuleError(
                    f"the torch observer does not {what} with {shlex.join(commands[0][:1])}: {_telling_line(output)}"
                )
    except subprocess.TimeoutExpired:
        raise TorchModuleError(
            f"operators of torch are not recorded: {commands[0][0]} did not {what} the observer within "
            f"{MOST_SECONDS:.0f} s and was ended; see what keeps it, then run `npuwh build-torch`"
        ) from None
    finally:
        for process in running:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a compiler that runs still, and what it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _telling_line(output: bytes) -> str:
    lines = output.decode(errors="replace").splitlines()
    return ([line for line in lines if "error" in line] or lines or ["no output"])[0][:300]

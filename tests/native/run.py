#!/usr/bin/env python3
"""Build the native tests with address and undefined-behaviour sanitizers and run them.

    python tests/native/run.py [--plain]

--plain leaves the sanitizers out (a compiler without their libraries).  The last line says how many tests passed and
failed; exit status 0 if all passed, 1 if one failed, 2 if they could not be built.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

COVERAGE = ["-DNPUWH_COVERAGE=ON"]  # what guides the fuzzers


def find_tool(name: str) -> str | None:
    """Path of a build tool: that of this Python environment first (installed by pip), then the system's."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def tool(name: str) -> str:
    """As `find_tool`; ends the program with status 2 if there is none."""
    found = find_tool(name)
    if found is None:
        print(f"run.py: no {name} found; install it, for example with `pip install cmake`", file=sys.stderr)
        sys.exit(2)
    return found


def attempt(command: list[str]) -> str:
    """Run a command; returns its output if it failed, else nothing."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stdout}\n{done.stderr}"


def build(folder: Path, flags: str, options: Sequence[str] = ()) -> None:
    """Configure (with more options of CMake) and build; ends the program with status 2 if that fails."""
    configure = [tool("cmake"), "-S", str(ROOT / "collector_ext"), "-B", str(folder), "-DCMAKE_BUILD_TYPE=None"]
    configure += [f"-DCMAKE_CXX_FLAGS={flags}", "-DNPUWH_BUILD_MODULE=OFF", "-DNPUWH_BUILD_TESTS=ON", *options]
    if ninja := find_tool("ninja"):
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    if attempt(configure):
        shutil.rmtree(folder, ignore_errors=True)  # perhaps made by the tools of an environment that is gone
    for command in (configure, [tool("cmake"), "--build", str(folder), "--parallel", str(os.cpu_count() or 1)]):
        if output := attempt(command):
            print(output, file=sys.stderr)
            sys.exit(2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true", help="without sanitizers")
    plain = parser.parse_args().plain
    folder = ROOT / "build" / ("native-tests-plain" if plain else "native-tests")
    if plain:
        build(folder, "-O1 -g")
    else:
        build(folder, SANITIZERS, COVERAGE)
    environment = {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"}
    command = [tool("ctest"), "--test-dir", str(folder), "--verbose"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    passed = len(re.findall(r"^\d+: ok  ", done.stdout, re.MULTILINE))
    failed = len(re.findall(r"^\d+: FAILED  ", done.stdout, re.MULTILINE))
    if done.returncode != 0 or not passed:
        print(done.stdout, done.stderr, sep="\n")
        failed = max(failed, 1)  # a crash leaves no line of its own
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

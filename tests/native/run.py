#!/usr/bin/env python3
"""Build the native tests with sanitizers and run them.

    python tests/native/run.py [--plain | --threads]

All tests run with the address and undefined-behaviour sanitizers, and those of the recorder, which is all about
threads, once more with the thread sanitizer; `--threads` does only that.  --plain leaves the sanitizers out (a compiler
without their libraries).  The last line says how many tests passed and failed; exit status 0 if all passed, 1 if one
failed, 2 if they could not be built.
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
THREAD_SANITIZER = "-O1 -g -fno-omit-frame-pointer -fsanitize=thread"
THREADED_TESTS = ("test_ring", "test_names", "test_recorder", "test_early_ends", "test_forks_and_kills", "test_host")
LONGEST_SECONDS = 600  # for one program of tests, which is ended then
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


def build(folder: Path, flags: str, options: Sequence[str] = (), targets: Sequence[str] = ()) -> None:
    """Configure (with more options of CMake) and build (all, or some targets); ends the program with status 2 if that
    fails."""
    configure = [tool("cmake"), "-S", str(ROOT / "collector_ext"), "-B", str(folder), "-DCMAKE_BUILD_TYPE=None"]
    configure += [f"-DCMAKE_CXX_FLAGS={flags}", "-DNPUWH_BUILD_MODULE=OFF", "-DNPUWH_BUILD_TESTS=ON", *options]
    if ninja := find_tool("ninja"):
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    if attempt(configure):
        shutil.rmtree(folder, ignore_errors=True)  # perhaps made by the tools of an environment that is gone
    make = [tool("cmake"), "--build", str(folder), "--parallel", str(os.cpu_count() or 1)]
    if targets:
        make += ["--target", *targets]
    for command in (configure, make):
        if output := attempt(command):
            print(output, file=sys.stderr)
            sys.exit(2)


def run(folder: Path, flags: str, options: Sequence[str] = (), tests: Sequence[str] = ()) -> tuple[int, int]:
    """Build and run all tests, or some; (passed, failed)."""
    build(folder, flags, options, tests)
    environment = {
        **os.environ,
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # children of processes with threads are forked, as data loaders do
        "TSAN_OPTIONS": "halt_on_error=1 die_after_fork=0",
    }
    chosen = ["--tests-regex", f"^({'|'.join(tests) or '.*'})$"]
    command = [tool("ctest"), "--test-dir", str(folder), "--verbose", "--timeout", str(LONGEST_SECONDS), *chosen]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    passed = len(re.findall(r"^\d+: ok  ", done.stdout, re.MULTILINE))
    failed = len(re.findall(r"^\d+: FAILED  ", done.stdout, re.MULTILINE))
    if done.returncode != 0 or not passed:
        print(done.stdout, done.stderr, sep="\n")
        failed = max(failed, 1)  # a crash leaves no line of its own
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--plain", action="store_true", help="without sanitizers")
    which.add_argument("--threads", action="store_true", help="only the recorder's, with the thread sanitizer")
    options = parser.parse_args()
    folder = ROOT / "build"
    counts = []
    if options.plain:
        counts.append(run(folder / "native-tests-plain", "-O1 -g"))
    elif not options.threads:
        counts.append(run(folder / "native-tests", SANITIZERS, COVERAGE))
    if not options.plain:
        counts.append(run(folder / "native-tests-threads", THREAD_SANITIZER, tests=THREADED_TESTS))
    passed, failed = (sum(each) for each in zip(*counts, strict=True))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fuzz the native decoders for as long as you like, under address and undefined-behaviour sanitizers.

    python tests/native/fuzz.py [--seconds 60] [--seed 1] [NAME ...]

The search is guided by coverage: by clang's libFuzzer where there is one, else by a search of our own on what gcc's
-fsanitize-coverage tells.  Inputs that found something new are kept in build/fuzz-corpus and where the next run begins.
NAME picks fuzzers (fuzz_framework, ...); each runs for the given time.  Exit status 1 if one found something: the
input is left in the build folder.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from run import COVERAGE, ROOT, SANITIZERS, build, find_tool


def has_libfuzzer(compiler: str) -> bool:
    """Can the compiler link a fuzzer?"""
    source = b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    command = [compiler, "-x", "c++", "-fsanitize=fuzzer,address", "-", "-o", os.devnull]
    return subprocess.run(command, input=source, capture_output=True, check=False).returncode == 0


def clang() -> str | None:
    for name in ("clang++", *(f"clang++-{version}" for version in range(25, 10, -1))):
        if (found := find_tool(name)) and has_libfuzzer(found):
            return found
    return None


def corpus_of(program: Path) -> Path:
    """Folder of the inputs that earlier runs kept."""
    corpus = ROOT / "build" / "fuzz-corpus" / program.name
    corpus.mkdir(parents=True, exist_ok=True)
    return corpus


def libfuzzer_command(program: Path, seconds: int, seed: int) -> list[str]:
    """libFuzzer on the seeds that the program itself writes, and on what earlier runs kept."""
    corpus = corpus_of(program)
    subprocess.run(
        [program, "-runs=0"], env={**os.environ, "NPUWH_FUZZ_SEEDS": str(corpus)}, capture_output=True, check=False
    )
    return [
        str(program),
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        "-max_len=20000",
        "-rss_limit_mb=1024",
        "-timeout=10",
        f"-artifact_prefix={program.parent}/{program.name}-",
        "-print_final_stats=1",
        str(corpus),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each fuzzer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", action="store_true", help="our own search even where there is libFuzzer")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    compiler = None if options.own else clang()
    folder = ROOT / "build" / ("fuzz" if compiler else "native-tests")
    guided = "-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
    if compiler:
        build(folder, guided, [f"-DCMAKE_CXX_COMPILER={compiler}", "-DNPUWH_FUZZ=ON"])
    else:
        build(folder, SANITIZERS, COVERAGE)
    programs = sorted(path for path in folder.glob("tests/*/fuzz_*") if path.is_file() and os.access(path, os.X_OK))
    failed = 0
    for program in programs:
        if options.names and program.name not in options.names:
            continue
        print(f"{program.name}: {options.seconds} s", flush=True)
        if compiler:
            command = libfuzzer_command(program, options.seconds, options.seed)
        else:
            command = [str(program), "--seconds", str(options.seconds), "--seed", str(options.seed)]
            command += ["--corpus", str(corpus_of(program))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=program.parent)
        lines = (done.stdout + done.stderr).splitlines()
        if done.returncode != 0:
            failed += 1
            print("\n".join(lines[-60:]))
        else:
            print("\n".join(line for line in lines if "number_of_executed" in line or "DONE" in line or "ok  " in line))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

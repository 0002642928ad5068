"""A command as a process of its own: how long it took, and how much memory it and all its children held at once.

Memory is the sum of PSS (each shared page divided by those who share it) from `/proc/PID/smaps_rollup`, sampled.  A
sampled run is slowed by it and not timed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERY_SECONDS = 0.02
# not the source tree, from where `python -m` would import the package without its native module
ELSEWHERE = Path(tempfile.gettempdir())


def timed(arguments: list[str], folder: Path = ELSEWHERE) -> float:
    """Seconds that `python -m` with these arguments takes, start of the interpreter included.

    RuntimeError with what it said if it failed.
    """
    began = time.perf_counter()
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"python -m {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return taken


def peak_mb(arguments: list[str]) -> float | None:
    """The largest sum of PSS of `python -m` with these arguments and all below it, in MB (1e6 bytes).

    None where the system does not tell (no Linux); RuntimeError if the command failed.
    """
    if not Path("/proc/self/smaps_rollup").exists():
        return None
    with subprocess.Popen(
        [sys.executable, "-m", *arguments], cwd=ELSEWHERE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        most = 0
        done = threading.Event()

        def sample() -> None:
            nonlocal most
            while not done.wait(EVERY_SECONDS):
                most = max(most, sum(_pss(pid) for pid in _family(process.pid)))

        sampler = threading.Thread(target=sample)
        sampler.start()
        _, said = process.communicate()
        done.set()
        sampler.join()
    if process.returncode:
        raise RuntimeError(f"python -m {' '.join(arguments)}: {said.strip()}")
    return most / 1e6


def _family(pid: int) -> list[int]:
    found, left = [], [pid]
    while left:
        found.append(one := left.pop())
        try:
            for children in Path(f"/proc/{one}/task").glob("*/children"):
                left += map(int, children.read_text().split())
        except OSError:  # it ended
            continue
    return found


def _pss(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0

"""Mixes of options of the simulated run: some that are known to be awkward, and as many drawn ones as asked for."""

import os
import random

FIXED = (
    "",
    "--level l2 --x86 --slices 3 --seed 5",
    "--level l0 --graph-mode capture --graphs 2 --steps 3 --seed 6",
    "--level l2 --with-stack --gc --graph-mode replay --op-info variable --graphs 3 --steps 4 --seed 7",
    "--ranks 4 --p2p --collectives 4 --first-task 65400 --worker w1 --slices 7 --seed 8",
    "--ranks 2 --level l2 --graph-mode capture --graphs 2 --with-stack --gc --p2p --seed 9",
    "--ranks 2 --graph-mode capture --capture-in-step --graphs 2 --steps 3 --no-memory --seed 12",
    "--graph-mode bare --graphs 2 --no-rank-id --ops-per-step 0 --first-task 65472 --seed 10",
    "--ranks 3 --collectives 1 --ops-per-step 3 --steps 5 --x86 --with-stack --level l0 --seed 21",
    "--graph-mode replay --capture-in-step --graph-ops 1 --replays 7 --no-memory --gc --seed 22",
    "--collectives 2 --ops-per-step 100 --first-task 65450 --with-stack --seed 23",
)
DRAWN = int(os.environ.get("NPUWH_EXAMPLES", "3"))


def drawn(number):
    """The number-th mix: each option as likely as not.

    >>> drawn(1) == drawn(1)
    True
    """
    rng = random.Random(number)
    ranks = rng.choice((1, 1, 2, 4))
    parts = [f"--seed {number}", f"--ranks {ranks}", f"--steps {rng.randint(1, 4)}"]
    parts.append(f"--ops-per-step {rng.choice((0, 1, 2, 5, 12, 30, 60))}")
    parts.append(f"--level {rng.choice(('l0', 'l1', 'l1', 'l2'))}")
    mode = rng.choice(("none", "capture", "replay", "bare"))
    if mode != "none":
        parts.append(f"--graph-mode {mode} --graphs {rng.randint(1, 3)} --graph-ops {rng.randint(1, 12)}")
        parts.append(f"--replays {rng.randint(0, 4)} --op-info {rng.choice(('fixed', 'variable'))}")
        parts += rng.choice(([], ["--capture-in-step"]))
    if ranks > 1:
        parts += rng.choice(([], ["--p2p"], [f"--collectives {rng.randint(1, 5)}"]))
    else:
        parts += rng.choice(([], [], ["--no-rank-id"]))
    for option in ("--with-stack", "--gc", "--no-memory", "--x86"):
        parts += rng.choice(([], [option]))
    parts.append(f"--slices {rng.choice((1, 1, 2, 9))} --first-task {rng.choice((0, 0, 65400, 65470))}")
    return " ".join(parts)


MIXES = [*FIXED, *map(drawn, range(DRAWN))]

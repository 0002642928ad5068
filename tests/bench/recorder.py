"""What recording costs, against torch.profiler, cProfile and VizTracer in the same run.

    python -m tests.bench.recorder [PART…] [--rounds N] [--seconds S] [--rate N] [--json FILE]

Parts: `ops` (an operator of torch under each observer), `frames` (a call of a Python function under each tracer),
`load` (two threads that record at `--rate` events/s for `--seconds`) and `stop` (how a recording of 10 M events ends).
Costs are ns of the thread's own CPU time over the same work unobserved; in every round all take their turn, and the
median of the rounds is told.  Without torch `ops` is left out.  Exit status 1 if a figure misses what it has to be.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # the source tree last: in it the package has no native module

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import observer_cost, recorder_load, tracer_cost
from tests.bench.cost import Figure

PARTS: dict[str, Callable[[argparse.Namespace, Path], Iterator[Figure]]] = {
    "ops": observer_cost.figures,
    "frames": tracer_cost.figures,
    "load": recorder_load.load_figures,
    "stop": recorder_load.stop_figures,
}


def main() -> int:
    """Entry of `python -m tests.bench.recorder`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.recorder", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which all take turns (default %(default)s)")
    parser.add_argument("--seconds", type=int, default=60, help="length of the load (default %(default)s)")
    parser.add_argument("--rate", type=int, default=2_000_000, help="events/s of the load (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}")
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in options.parts or PARTS:
            for figure in PARTS[name](options, Path(folder)):
                print(figure, flush=True)
                found.append(figure)
    if options.json:
        options.json.write_text(json.dumps([vars(figure) for figure in found], indent=1) + "\n", encoding="utf-8")
    return int(any(figure.is_missed for figure in found))


if __name__ == "__main__":
    sys.exit(main())

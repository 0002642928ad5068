"""`python -m tests.synth OUT [options]`: prints the run directories that it made."""

import os
from pathlib import Path

from .options import parse_options
from .rank import simulate

if __name__ == "__main__":
    options = parse_options()
    os.umask(0o027)
    for rank in simulate(options):
        print(rank.directory)
        if options.truth:
            Path(options.truth).mkdir(exist_ok=True)
            rank.truth.write(Path(options.truth) / f"truth_{rank.number}.json")

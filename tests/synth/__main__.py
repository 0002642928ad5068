"""`python -m tests.synth OUT [options]`: prints the run directories it made."""

import os

from .options import parse_options
from .rank import simulate

if __name__ == "__main__":
    options = parse_options()
    os.umask(0o027)
    for rank in simulate(options):
        print(rank.directory)

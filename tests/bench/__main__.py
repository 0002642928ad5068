"""How fast npuwh is, against peers in the same run.

    python -m tests.bench [STAGE…] [--rows N | --big] [--repeat N] [--json FILE]

Without STAGE all of them run.  Each makes its own input, of a size that takes seconds; `--rows N` asks for another one
(rows of each table, device tasks or kernels), `--big` for the sizes that the figures of the README are stated for:
minutes, 12 GB of disk.  Times are medians of `--repeat` rounds in which all take turns.  Peers come with
`pip install npuwh[bench]`; one that is missing is named and left out.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # the source tree last: in it the package has no native module

import argparse
import importlib
import tempfile
from pathlib import Path

from rich.console import Console

from tests.bench import printing
from tests.bench.frame import Bench, Figure

# a stage is a module with a docstring, ROWS, STATED_ROWS and run(bench), and a line here
STAGES = ("disk", "load", "decode", "ingest", "export", "query", "row_bytes", "growth", "recorder")


def main() -> None:
    """Entry of `python -m tests.bench`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("stages", nargs="*", metavar="STAGE", help=f"of {', '.join(STAGES)}")
    add("--rows", type=int, help="size of the input")
    add("--big", action="store_true", help="the sizes that the figures are stated for")
    add("--repeat", type=int, default=5, help="rounds (default %(default)s)")
    add("--sync", action="store_true", help="all sides wait until their file is on the disk; without it none does")
    add("--folder", type=Path, help="where files are made (default: the temporary directory)")
    add("--inputs", type=Path, help="a folder where inputs are kept and taken from (default: thrown away)")
    add("--json", type=Path, metavar="FILE", help="write all figures there; - for the standard output")
    options = parser.parse_args()
    if unknown := set(options.stages) - set(STAGES):
        parser.error(f"there is no stage {', '.join(sorted(unknown))}; stages are {', '.join(STAGES)}")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=options.folder and options.folder.resolve()) as folder:
        inputs = options.inputs or Path(folder) / "inputs"
        inputs.mkdir(parents=True, exist_ok=True)
        for name in options.stages or STAGES:
            figures += _run(name, options, Path(folder) / name, inputs.resolve())
    if options.json:
        text = printing.as_json(figures) + "\n"
        if str(options.json) == "-":
            sys.stdout.write(text)
        else:
            options.json.write_text(text, encoding="utf-8")


def _run(name: str, options: argparse.Namespace, folder: Path, inputs: Path) -> list[Figure]:
    stage = importlib.import_module(f"tests.bench.stages.{name}")
    rows = options.rows or (stage.STATED_ROWS if options.big else stage.ROWS)
    folder.mkdir()
    console = Console(stderr=str(options.json) == "-")
    if not console.is_terminal:
        console.width = 150
    said = " ".join(stage.__doc__.split("\n\n")[0].split())
    console.print(f"[bold]{name}[/bold] ({rows:,} rows): {said}", highlight=False)
    bench = Bench(name, rows, rows >= stage.STATED_ROWS, options.repeat, options.sync, folder, inputs)
    figures = list(stage.run(bench))
    printing.as_table(figures, console)
    return figures


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"bench: {error}")

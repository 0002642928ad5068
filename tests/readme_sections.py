"""The parts of README.md that follow from the project itself, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.

`python tests/readme_sections.py` tells whether they are current (exit code 1 if not), `--write` makes them so.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from warehouse import store
from warehouse.cli.command_line import VERBS, name_of
from warehouse.cli.outcome import EXIT_CODES

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
DECLARED = {"raw": HERE / "declared_differences_raw.txt", "databases": HERE / "declared_differences.txt"}


def verbs() -> str:
    """A line a verb: what it does and its example."""
    lines = ["| verb | does | example |", "|---|---|---|"]
    for verb in VERBS:
        text, _, example = (verb.__doc__ or "").partition("Example:")
        does = " ".join(text.split("\n\n")[0].split())
        lines.append(f"| `{name_of(verb)}` | {does} | `{_cell(' '.join(example.split()))}` |")
    return "\n".join(lines)


def exit_codes() -> str:
    """A line a code."""
    return "\n".join(["| code | means |", "|---|---|", *(f"| {code} | {text} |" for code, text in EXIT_CODES.items())])


def views() -> str:
    """A table a room, a line a view, from the headers of the view files; what the tools are made of is folded."""
    asked = [f"**{room}**\n\n{_views_of(members)}" for room, members in store.rooms(store.QUESTIONS).items()]
    folded = [
        _folded(f"<b>{room}</b>: {len(members)} views", _views_of(members))
        for room, members in store.rooms(store.PLUMBING).items()
    ]
    return "\n\n".join(asked + folded)


def tables() -> str:
    """A line a table, folded."""
    rows = [f"| `{table.name}` | {_cell(table.purpose.rstrip('.'))} |" for table in store.TABLES.values()]
    return _folded(f"<b>tables</b>: {len(rows)}", "\n".join(["| table | holds |", "|---|---|", *rows]))


def _views_of(members: list[store.View]) -> str:
    rows = [f"| `{view.name}` | {_cell(view.summary)} |" for view in members]
    return "\n".join(["| view | tells |", "|---|---|", *rows])


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def declared_differences(source: str) -> str:
    """A line an entry: what differs from the vendor's files, and why."""
    lines = ["| file or column | why |", "|---|---|"]
    for line in DECLARED[source].read_text(encoding="utf-8").splitlines():
        entry, _, reason = line.partition("#")
        if entry.strip():
            lines.append(f"| `{entry.strip()}` | {_cell(reason.strip())} |")
    return "\n".join(lines)


SECTIONS = {
    "verbs": verbs,
    "exit codes": exit_codes,
    "views": views,
    "tables": tables,
    "declared differences of raw profiles": lambda: declared_differences("raw"),
    "declared differences of databases": lambda: declared_differences("databases"),
}


def current(text: str) -> str:
    """The README with every generated part made anew; ValueError if the markers of one are missing."""
    for name, make in SECTIONS.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"README.md: needs one '{begin}' and one '{end}'")
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        text = f"{head}{begin}\n{make()}\n{end}{tail}"
    return text


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="make them current")
    given = parser.parse_args()
    text = README.read_text(encoding="utf-8")
    wanted = current(text)
    if given.write:
        README.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        print("README.md: generated parts are not current; run: python tests/readme_sections.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A view file: one CREATE VIEW whose header comment says what the view is; and the parser of that header.

    CREATE VIEW kernel_time AS
    -- Device time of each kernel name on each rank.
    --
    -- grain: rank_id, kernel_name
    -- uses:  device_task, kernel, string
    -- cols:
    --   rank_id      -      rank the tasks ran on
    --   "Name(us)"   float  [optional] names with blanks or brackets stand in double quotes
    SELECT ...;
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import UsageError

_KEYS = ("grain", "uses", "file", "window", "cols")
_COLUMN = re.compile(r'(?P<name>"[^"]+"|\S+)\s+(?P<unit>\S+)(?:\s+(?P<text>.*))?$')
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)])\. (?=[A-Z])")
_FLAGS = re.compile(r"\[(key|optional)\]\s*")


@dataclass(frozen=True)
class ViewColumn:
    """One column: `unit` is a unit (ns, bytes, count, ratio, -) or, in export views, the format the writer uses."""

    name: str
    unit: str
    description: str
    is_key: bool = False  # for filtering and ordering, not written
    is_optional: bool = False  # left out by the writer where no chosen row has it


@dataclass(frozen=True)
class ViewWindow:
    """Where the selection of ranks, steps and times applies: `view` and its columns of start and end."""

    view: str
    start: str
    end: str


@dataclass(frozen=True)
class View:
    """What the header of a view file says; `text` is the statement as sqlite_master keeps it (no semicolon)."""

    name: str
    room: str
    purpose: str
    grain: tuple[str, ...]
    uses: tuple[str, ...]
    columns: tuple[ViewColumn, ...]
    file: str | None
    window: ViewWindow | None
    text: str

    @property
    def summary(self) -> str:
        """The first sentence of the purpose, without its full stop.

        >>> from warehouse.store.registry import view
        >>> view("kernel_time").summary
        'Device time of each kernel name on each rank'
        """
        return _SENTENCE_END.split(self.purpose)[0].rstrip(".")

    def column(self, name: str) -> ViewColumn:
        """The column of that name; UsageError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise UsageError(f"view {self.name} has no column {name}; it has {', '.join(c.name for c in self.columns)}")


def read_view(path: Path) -> View:
    """Parse one view file; ValueError names file and fault (a fault of ours, so not an error of the user's).

    >>> from warehouse.store.resources import resource_folder
    >>> read_view(resource_folder("sql") / "base" / "op_named.sql").room
    'base'
    """
    text = path.read_text(encoding="utf-8").rstrip()
    lines = text.splitlines()
    name = path.stem
    if not lines or lines[0] != f"CREATE VIEW {name} AS":
        raise ValueError(f"{path}: the first line must be 'CREATE VIEW {name} AS'")
    if not text.endswith(";") or ";" in re.sub(r"'[^']*'|--[^\n]*", "", text[:-1]):
        raise ValueError(f"{path}: must be one statement that ends with a semicolon")
    purpose, fields = _header(path, lines[1:])
    for key in ("grain", "uses", "cols"):
        if key not in fields or not (fields[key] or key == "uses"):  # a view of constants uses nothing
            raise ValueError(f"{path}: the header has no '{key}:'")
    window = " ".join(fields.get("window", [])).split()
    if len(window) not in (0, 3):
        raise ValueError(f"{path}: 'window:' is <view or self> <start column> <end column>")
    return View(
        name=name,
        room=path.parent.name,
        purpose=purpose,
        grain=_names(fields["grain"]),
        uses=_names(fields["uses"]),
        columns=tuple(_columns(path, fields["cols"])),
        file=" ".join(fields.get("file", [])) or None,
        window=ViewWindow(name if window[0] == "self" else window[0], window[1], window[2]) if window else None,
        text=text[:-1].rstrip(),
    )


def _header(path: Path, lines: list[str]) -> tuple[str, dict[str, list[str]]]:
    """The purpose, and the lines that follow each key; the header ends with the first line that is no comment."""
    purpose: list[str] = []
    fields: dict[str, list[str]] = {}
    current = purpose
    for line in lines:
        if not line.startswith("--"):
            break
        content = line[2:]
        key, colon, rest = content.strip().partition(":")
        if colon and key in _KEYS and content.startswith((f" {key}", f"{key}")):
            if key in fields:
                raise ValueError(f"{path}: the header says '{key}:' twice")
            current = fields[key] = [rest.strip()] if rest.strip() else []
        elif content.strip():
            current.append(content.rstrip() if current is fields.get("cols") else content.strip())
    if not purpose:
        raise ValueError(f"{path}: the header does not say what the view is for")
    return " ".join(purpose), fields


def _names(lines: list[str]) -> tuple[str, ...]:
    return tuple(name.strip().strip('"') for name in " ".join(lines).split(",") if name.strip())


def _columns(path: Path, lines: list[str]) -> list[ViewColumn]:
    """One column a line; a line indented deeper than the first goes on with the description above it."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    joined: list[str] = []
    for line in lines:
        if len(line) - len(line.lstrip()) > indent:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    columns = []
    for line in joined:
        match = _COLUMN.match(line)
        if match is None:
            raise ValueError(f"{path}: column line '{line}' is not <name> <unit> <description>")
        text = match["text"] or ""
        columns.append(
            ViewColumn(
                name=match["name"].strip('"'),
                unit=match["unit"],
                description=_FLAGS.sub("", text),
                is_key="[key]" in text,
                is_optional="[optional]" in text,
            )
        )
    return columns

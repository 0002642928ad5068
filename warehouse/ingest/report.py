"""What an ingest did, for people and for the exit code."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from warehouse.readers.input_file import shown
from warehouse.readers.issues import ERROR
from warehouse.wording import counted

ONLY_REFERENCE = (
    "only reference results (analysis.db), no profiler database: there are no operators, kernels or steps to ask for"
)


_TOLD = 5  # of the worst faults; there is a command for the others


@dataclass(frozen=True)
class Fault:
    """An issue that is no mere remark: of an input as a whole, or of one of its files.  `count` records are concerned;
    `bytes` are unread for it, or of no use."""

    severity: str
    code: str
    text: str
    input: Path
    file: Path | None
    count: int
    bytes: int


@dataclass(kw_only=True)
class Counts:
    """What the records of an input came to; ignored: rejected, but nothing of a profile.  Of files that are unread
    nothing at all could be taken."""

    records: int = 0
    rejected: int = 0
    ignored: int = 0
    errors: int = 0
    warnings: int = 0
    unread_files: int = 0
    unread_bytes: int = 0
    faults: list[Fault] = field(default_factory=list)

    def take(self, counts: Counts) -> None:
        """Add what the records of an input came to."""
        for each in fields(Counts):
            setattr(self, each.name, getattr(self, each.name) + getattr(counts, each.name))


@dataclass
class IngestReport(Counts):
    """Inputs by what became of them; (input, reason) for those that were not taken, `narrowed` those that were taken
    with less than before.

    `existed`: the warehouse was there before.  Of the records, `rejected` were not loaded; `ignored` are those of them
    that nobody misses.
    """

    output: Path
    existed: bool = False
    added: list[Path] = field(default_factory=list)
    replaced: list[Path] = field(default_factory=list)
    unchanged: list[Path] = field(default_factory=list)
    refused: list[tuple[Path, str]] = field(default_factory=list)
    failed: list[tuple[Path, str]] = field(default_factory=list)
    narrowed: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all inputs are in the warehouse, 1 some are, 2 none."""
        if not self.refused and not self.failed:
            return 0
        return 1 if self.added or self.replaced or self.unchanged else 2

    def lines(self) -> list[str]:
        """One line a thing that a user wants to know."""
        done = []
        for verb, paths in (("added", self.added), ("replaced", self.replaced), ("unchanged", self.unchanged)):
            if paths:
                done.append(f"{counted(len(paths), 'rank')} {verb}")
        text = f"{self._change()}{shown(self.output)}: {', '.join(done) or 'nothing added'}"
        if self.records:
            text += f"; {counted(self.records, 'record')} read, {self.rejected - self.ignored:,} lost"
        if self.unread_files:
            text += f"; {counted(self.unread_files, 'file')} of {counted(self.unread_bytes, 'byte')} left unread"
        if self.ignored:
            text += f", {self.ignored:,} ignored (tables that another tool added)"
        lines = [text]
        lines += [f"replaced: {told(path, reason)}" for path, reason in self.narrowed]
        lines += [f"refused: {told(path, reason)}" for path, reason in self.refused]
        lines += [f"failed: {told(path, reason)}" for path, reason in self.failed]
        worst = _worst(self.faults)
        lines += worst[:_TOLD]
        if self.errors or self.warnings:
            numbers = f"{counted(self.errors, 'error')}, {counted(self.warnings, 'warning')}"
            which = ", the worst of them above" if self.errors + self.warnings > len(worst[:_TOLD]) else ""
            lines.append(f"{numbers}{which}; see `npuwh check {shown(self.output)}`")
        return lines

    def _change(self) -> str:
        """What was done to the file."""
        if not self.added and not self.replaced:
            return ""
        if not self.existed:
            return "made "
        return "added to " if self.added else "changed "


def _worst(faults: list[Fault]) -> list[str]:
    """The faults as lines, the worst first, each told once; not those of files that one of the whole input explains."""
    explained = {(each.input, each.code) for each in faults if each.file is None}
    groups: dict[tuple[str, str], list[Fault]] = {}
    for each in faults:
        if each.file is None or (each.input, each.code) not in explained:
            groups.setdefault((each.severity, each.text), []).append(each)
    ordered = sorted(
        groups.values(),
        key=lambda group: (group[0].severity != ERROR, group[0].file is not None, -sum(each.bytes for each in group)),
    )
    lines = []
    for group in ordered:
        places = list(dict.fromkeys(each.file or each.input for each in group))
        count = sum(each.count for each in group)
        more = f" ({count:,} of them)" if count > len(group) else ""
        more += f" (and {len(places) - 1:,} more like it)" if len(places) > 1 else ""
        place = "" if group[0].text.startswith("/") else f"{shown(places[0])}: "
        lines.append(f"{group[0].severity}: {place}{group[0].text}{more}")
    return lines


def told(path: Path, reason: str) -> str:
    """Input and reason as one line; a reason that names a file of the input does not need it twice.

    >>> told(Path("/runs/a"), "/runs/a/b.db: is empty"), told(Path("/runs/a"), "is empty")
    ('/runs/a/b.db: is empty', '/runs/a: is empty')
    """
    return (
        reason
        if reason.startswith("/") or shown(path.name) in reason.partition(": ")[0]
        else f"{shown(path)}: {reason}"
    )

"""What an ingest did, for people and for the exit code."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from warehouse.readers.input_file import shown

ONLY_REFERENCE = (
    "only reference results (analysis.db), no profiler database: there are no operators, kernels or steps to ask for"
)


@dataclass
class Counts:
    """What the records of an input came to; ignored: rejected, but nothing of a profile."""

    records: int = 0
    rejected: int = 0
    ignored: int = 0
    errors: int = 0
    warnings: int = 0


@dataclass
class IngestReport:
    """Inputs by what became of them; (input, reason) for those that were not taken.

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
    records: int = 0
    rejected: int = 0
    ignored: int = 0
    errors: int = 0
    warnings: int = 0
    only_reference: list[Path] = field(default_factory=list)

    def take(self, counts: Counts) -> None:
        """Add what the records of an input came to."""
        for each in fields(Counts):
            setattr(self, each.name, getattr(self, each.name) + getattr(counts, each.name))

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
                ranks = "1 rank" if len(paths) == 1 else f"{len(paths)} ranks"
                done.append(f"{ranks} {verb}")
        text = f"{self._change()}{shown(self.output)}: {', '.join(done) or 'nothing added'}"
        if self.records:
            text += f"; {self.records:,} records read, {self.rejected - self.ignored:,} lost"
        if self.ignored:
            text += f", {self.ignored:,} ignored (tables that another tool added)"
        lines = [text]
        lines += [f"refused: {told(path, reason)}" for path, reason in self.refused]
        lines += [f"failed: {told(path, reason)}" for path, reason in self.failed]
        lines += [f"warning: {shown(path)}: {ONLY_REFERENCE}" for path in self.only_reference]
        if self.errors or self.warnings:
            lines.append(f"{self.errors} errors, {self.warnings} warnings; see `npuwh check {shown(self.output)}`")
        return lines

    def _change(self) -> str:
        """What was done to the file."""
        if not self.added and not self.replaced:
            return ""
        if not self.existed:
            return "made "
        return "added to " if self.added else "changed "


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

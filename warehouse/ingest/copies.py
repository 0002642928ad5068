"""Profiles that are in the warehouse twice, from two paths.

One file that two profiles share says little: what two short recordings have in common may be their largest one.  So the
largest is what another profile is looked for by, and all files are what it is compared by.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from warehouse.ingest.discover import INFO, METADATA, RankInput
from warehouse.ingest.report import Counts, Fault
from warehouse.readers.input_file import shown
from warehouse.readers.issues import WARNING
from warehouse.store import Loader, select


def note_copy(loader: Loader, each: RankInput) -> Counts:
    """An issue if the files of the input that was just loaded are those of another rank, too; what it comes to."""
    ranks = loader.connection.execute(*select("rank", ["id"], [("path", "=", shown(each.path))]))
    rank_id = next(ranks)[0]
    where = [("rank_id", "=", rank_id), ("state", "=", "used"), ("fingerprint", "<>", None)]
    sources = _contents(loader, where)
    if not sources:
        return Counts()
    _, source_id, path, content = max(sources)
    contents = Counter(row[-1] for row in sources)
    same = [("fingerprint", "=", content), ("state", "=", "used"), ("rank_id", "<>", rank_id)]
    for other, other_rank in loader.connection.execute(*select("source", ["path", "rank_id"], same)).fetchall():
        theirs = Counter(row[-1] for row in _contents(loader, [("rank_id", "=", other_rank), *where[1:]]))
        if not contents <= theirs and not theirs <= contents:
            continue
        text = f"the same profile is in the warehouse already, from {other}; sums over ranks count it twice"
        loader.write(
            "issue",
            {
                "source_id": source_id, "rank_id": rank_id, "severity": WARNING, "code": "same-profile", "text": text,
                "count": 1, "rejected_count": 0,
            },
        )  # fmt: skip
        return Counts(warnings=1, faults=[Fault(WARNING, "same-profile", text, each.path, Path(path), 1, 0)])
    return Counts()


def _contents(loader: Loader, where: list[tuple[str, str, object]]) -> list[tuple[int, int, str, str]]:
    """Size, id, path and fingerprint of files with records."""
    columns = ["size_bytes", "id", "path", "fingerprint", "kind"]
    rows = loader.connection.execute(*select("source", columns, where))
    return [row[:4] for row in rows if row[0] and row[4] not in (INFO, METADATA)]

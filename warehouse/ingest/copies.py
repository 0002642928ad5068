"""Profiles that are in the warehouse twice, from two paths."""

from __future__ import annotations

from pathlib import Path

from warehouse.ingest.discover import INFO, METADATA, RankInput
from warehouse.ingest.report import Counts, Fault
from warehouse.readers.input_file import shown
from warehouse.readers.issues import WARNING
from warehouse.store import Loader, select


def note_copy(loader: Loader, each: RankInput) -> Counts:
    """An issue if the largest file of the input that was just loaded is that of another rank, too; what it comes to."""
    ranks = loader.connection.execute(*select("rank", ["id"], [("path", "=", shown(each.path))]))
    rank_id = next(ranks)[0]
    where = [("rank_id", "=", rank_id), ("state", "=", "used"), ("fingerprint", "<>", None)]
    columns = ["size_bytes", "id", "path", "kind", "fingerprint"]
    sources = [row for row in loader.connection.execute(*select("source", columns, where)) if row[0]]
    sources = [row for row in sources if row[3] not in (INFO, METADATA)]
    if not sources:
        return Counts()
    _, source_id, path, _, content = max(sources)
    same = [("fingerprint", "=", content), ("state", "=", "used"), ("rank_id", "<>", rank_id)]
    for (other,) in loader.connection.execute(*select("source", ["path"], same)):
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

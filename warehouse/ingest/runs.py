"""Which run a rank belongs to: the folder its ranks share; a second profile of the same rank there is another run."""

from __future__ import annotations

from pathlib import Path

from warehouse.ingest.candidate import Candidate
from warehouse.readers.input_file import shown
from warehouse.store import Loader, select


def run_for(loader: Loader, candidate: Candidate) -> int:
    """Id of the first run of the candidate's folder that does not have its rank yet; made if there is none.

    Candidates come in order of their session start, so the n-th profile of a rank is in the n-th run.  Asked of the
    warehouse each time, because a rank that fails takes a run made for it away again.
    """
    ids: dict[str, int] = dict(loader.connection.execute(*select("run", ["path", "id"])))
    number = 1
    while True:
        path = shown(candidate.input.folder) + (f" ({number})" if number > 1 else "")
        if path not in ids:
            run_id = loader.reserve("run", 1)
            loader.write("run", {"id": run_id, "name": Path(path).name or path, "path": path})
            return run_id
        ranks = loader.connection.execute(*select("rank", ["rank_no", "device_id"], [("run_id", "=", ids[path])]))
        if not any(_is_same(candidate, *known) for known in ranks):
            return ids[path]
        number += 1


def _is_same(candidate: Candidate, rank_no: int | None, device_id: int | None) -> bool:
    """Whether both are profiles of one rank; those without a number are told apart by their devices."""
    if candidate.rank_no is not None or rank_no is not None:
        return candidate.rank_no == rank_no
    devices = candidate.facts.device_ids
    return device_id is None or not devices or device_id == devices[0]

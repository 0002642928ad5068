"""An input before it is loaded: what its files say about the rank as a whole, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warehouse.errors import InputError
from warehouse.ingest.discover import RankInput, rank_in_name
from warehouse.ingest.sources import Signature, signatures
from warehouse.readers.facts import RankFacts
from warehouse.readers.input_file import shown
from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.official import peek_official
from warehouse.readers.profiler_json import read_json, read_profiler_info, read_profiler_metadata
from warehouse.readers.raw import peek_raw

# who is believed first about the rank number: the profiler wrote these from the running job, a name may be changed
_TRUST = ("RANK_DEVICE_MAP", "profiler_info", "file name")


@dataclass
class Candidate:
    """An input with its facts; `descriptions` are the ledgers of its JSON files, already read."""

    input: RankInput
    facts: RankFacts
    signatures: dict[Path, Signature]
    descriptions: dict[Path, Ledger] = field(default_factory=dict)
    profiler: dict[str, Any] = field(default_factory=dict)

    @property
    def rank_no(self) -> int | None:
        return self._best_rank()[1]

    @property
    def rank_origin(self) -> str:
        """Who said the rank number that is believed; `unknown` if nobody did."""
        return self._best_rank()[0]

    def _best_rank(self) -> tuple[str, int | None]:
        said = dict(reversed(self.facts.ranks))
        for source in _TRUST:
            if source in said:
                return source, said[source]
        return "unknown", None

    def contradictions(self) -> str | None:
        """What the sources say about the rank number, if they do not agree."""
        if len({rank for _, rank in self.facts.ranks}) <= 1:
            return None
        said = ", ".join(f"{source} says {rank}" for source, rank in self.facts.ranks)
        return f"the rank number is contradictory: {said}; {self.rank_origin} is believed"

    def size(self) -> int:
        """Bytes of all of its files."""
        return sum(each.size for each in self.signatures.values())

    def sort_key(self) -> tuple[str, int, int, str]:
        """Order of loading: by folder and rank, the earlier session first."""
        rank = -1 if self.rank_no is None else self.rank_no
        return shown(self.input.folder), rank, self.facts.session_start_ns or 0, shown(self.input.path)


def examine(each: RankInput) -> Candidate:
    """Open the input's files for what they say about the rank; InputError if one of them is no such file."""
    before = signatures(each)
    facts = RankFacts()
    descriptions = {}
    profiler: dict[str, Any] = {}
    if each.has_records:
        profiler = _profiler(each)
    if each.raw is not None:
        facts = peek_raw(each.raw, profiler)
    elif each.database is not None:
        facts = peek_official(each.database)
        if (number := rank_in_name(each.database)) is not None:
            facts.ranks.append(("file name", number))
    for path, read in ((each.info, read_profiler_info), (each.metadata, read_profiler_metadata)):
        if path is None:
            continue
        ledger = descriptions[path] = Ledger()
        try:
            _merge(facts, read(path, ledger))
        except InputError as error:  # the profile itself is good: its description is missed, but not needed
            ledger.note(WARNING, "bad-description", str(error))
    if each.database is None and each.info is not None and (number := rank_in_name(each.info)) is not None:
        facts.ranks.append(("file name", number))
    return Candidate(each, facts, before, descriptions, profiler)


def _profiler(each: RankInput) -> dict[str, Any]:
    """The whole of profiler_info, which tells what the times of raw data mean; {} without one that can be read."""
    try:
        return {} if each.info is None else read_json(each.info)
    except InputError:  # noted where its facts are read
        return {}


def _merge(facts: RankFacts, more: RankFacts) -> None:
    """What `more` says and `facts` does not."""
    for name in ("level", "framework_version", "cann_version"):
        if getattr(more, name) is not None:
            setattr(facts, name, getattr(more, name))
    facts.ranks += more.ranks
    facts.metadata += more.metadata
    for name, group in more.groups.items():
        facts.groups.setdefault(name, group)

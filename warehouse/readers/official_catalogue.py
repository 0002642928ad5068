"""What an official database says about the rank as a whole (ascend-db.md 6, 7)."""

from __future__ import annotations

from warehouse.readers.facts import RankFacts
from warehouse.readers.issues import WARNING
from warehouse.readers.json_text import rank_number
from warehouse.readers.official_database import OfficialDatabase, decoded
from warehouse.readers.plausible import LATEST_NS
from warehouse.readers.profiler_json import read_groups


def read_facts(database: OfficialDatabase) -> RankFacts:
    """Session, host, devices, rank map and metadata; their tables are booked as loaded."""
    facts = RankFacts()
    for table, read in _READERS.items():
        if database.has(table):
            read(database, facts)
            database.ledger.load_rest(table)
    if database.has("TASK"):
        _devices_that_worked(database, facts)
        facts.level = _level(database)
    if facts.pid is None and database.has("PYTORCH_API"):
        facts.pid = database.value(
            "SELECT globalTid >> 32 & 4294967295 FROM PYTORCH_API WHERE typeof(globalTid) = 'integer' LIMIT 1"
        )
    return facts


def _session(database: OfficialDatabase, facts: RankFacts) -> None:
    start, end = database.run("SELECT min(startTimeNs), max(endTimeNs) FROM SESSION_TIME_INFO").fetchone()
    facts.session_start_ns = start if isinstance(start, int) and 0 < start <= LATEST_NS else None
    facts.session_end_ns = end if isinstance(end, int) and 0 < end <= LATEST_NS else None


def _host(database: OfficialDatabase, facts: RankFacts) -> None:
    row = database.run("SELECT hostUid, hostName FROM HOST_INFO ORDER BY rowid LIMIT 1").fetchone()
    if row is not None:
        facts.host_uid, facts.host_name = decoded(row[0]), decoded(row[1])


def _chips(database: OfficialDatabase, facts: RankFacts) -> None:
    for number, name in database.all("SELECT id, name FROM NPU_INFO WHERE typeof(id) = 'integer' ORDER BY rowid"):
        facts.chip_names[number] = decoded(name) or ""


def _rank_map(database: OfficialDatabase, facts: RankFacts) -> None:
    rows = database.all("SELECT rankId, deviceId FROM RANK_DEVICE_MAP WHERE typeof(rankId) = 'integer' ORDER BY rowid")
    for rank, device in rows:
        if rank_number(rank) is not None:
            facts.ranks.append(("RANK_DEVICE_MAP", rank))
        elif rank != -1:  # msprof alone writes -1
            text = "rankId is not the number of a rank and is not believed"
            database.ledger.note(WARNING, "rank-number", text, table="RANK_DEVICE_MAP")
        if isinstance(device, int) and device >= 0 and device not in facts.device_ids:
            facts.device_ids.append(device)


def _metadata(database: OfficialDatabase, facts: RankFacts) -> None:
    for raw_name, raw_value in database.all("SELECT name, value FROM META_DATA ORDER BY rowid"):
        name, value = decoded(raw_name) or "", decoded(raw_value)
        facts.metadata.append((name, value))
        if name == "SCHEMA_VERSION":
            facts.schema_version = value
        elif name == "parallel_group_info" and value:
            read_groups(value, facts, database.ledger, "META_DATA")


def _devices_that_worked(database: OfficialDatabase, facts: RankFacts) -> None:
    for (device,) in database.all("SELECT DISTINCT deviceId FROM TASK WHERE typeof(deviceId) = 'integer'"):
        if device not in facts.device_ids:
            facts.device_ids.append(device)
    if database.has_column("TASK", "globalPid"):
        pid = database.value("SELECT globalPid FROM TASK WHERE typeof(globalPid) = 'integer' LIMIT 1")
        facts.pid = pid if pid and 0 < pid < 1 << 32 else None


def _level(database: OfficialDatabase) -> str:
    """The level as what was recorded shows it: types of operators from Level1, calls of the runtime from Level2."""
    if not database.has_column("COMPUTE_TASK_INFO", "opType") or not database.texts:
        return "Level0"
    typed = database.value(
        f"SELECT 1 FROM COMPUTE_TASK_INFO c JOIN {database.texts} s ON s.id = c.opType WHERE s.value <> 'N/A' LIMIT 1"
    )
    if not typed:
        return "Level0"
    runtime = [number for number, name in database.enumeration("ENUM_API_TYPE").items() if name == "runtime"] or [5000]
    if database.has("CANN_API") and database.value("SELECT 1 FROM CANN_API WHERE type = ? LIMIT 1", runtime[:1]):
        return "Level2"
    return "Level1"


_READERS = {
    "SESSION_TIME_INFO": _session,
    "HOST_INFO": _host,
    "NPU_INFO": _chips,
    "RANK_DEVICE_MAP": _rank_map,
    "META_DATA": _metadata,
}

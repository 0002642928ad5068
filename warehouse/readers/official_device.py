"""Device side of an official database: tasks, kernels, collectives and what belongs to a task (ascend-db.md 2.2, 4, 9).

A descriptor (globalTaskId) may run many times when a graph is replayed, while what describes it is stored once, or once
a run.  TEMP tables hold what several statements need: `task_order`, the n-th run of each descriptor, `graph_task`, the
run of each task of a graph, and `sub_task`, the tasks that are drawn instead of their parent record.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from warehouse.batches.records import DEVICE_COMM_OP, DEVICE_TASK, KERNEL_OPERATOR, KERNEL_SCHEDULE
from warehouse.readers.official_database import MISSING_32, ROW_ALIAS, RUN_ALIAS, OfficialDatabase, are_integers
from warehouse.readers.plausible import OUT_OF_TIME

_NO_NOTIFY = 9223372036854775807
_NEEDED = {
    "TASK": are_integers("startNs", "endNs", "globalTaskId", "deviceId"),
    "COMMUNICATION_OP": are_integers("startNs", "endNs", "opId"),
}
# a parent record is not drawn if a sub-task of it is; at Level0 the sub-task does not carry the connection number
_COVERED = f"""t.contextId = {MISSING_32} AND EXISTS (SELECT 1 FROM temp.sub_task s WHERE s.deviceId = t.deviceId
    AND s.streamId = t.streamId AND s.taskId = t.taskId AND s.startNs BETWEEN t.startNs AND t.endNs)"""
_TEXTS = (
    "inputShapes inputDataTypes inputFormats outputShapes outputDataTypes outputFormats attrInfo opState hf32Eligible"
)


def prepare(database: OfficialDatabase) -> None:
    """Make the TEMP tables that the functions below read."""
    run = database.run
    # types matter: a column without one compares in a way that no index on it serves
    run("""CREATE TEMP TABLE task_order (descriptor INTEGER, n INTEGER, row INTEGER, start INTEGER, end INTEGER,
        PRIMARY KEY (descriptor, n)) WITHOUT ROWID""")
    run("""CREATE TEMP TABLE sub_task (deviceId INTEGER, streamId INTEGER, taskId INTEGER, startNs INTEGER,
        PRIMARY KEY (deviceId, streamId, taskId, startNs)) WITHOUT ROWID""")
    run("CREATE TEMP TABLE graph_task (row INTEGER PRIMARY KEY, n INTEGER)")
    if not database.has("TASK"):
        return
    run(f"""INSERT INTO task_order
        SELECT globalTaskId, row_number() OVER (PARTITION BY globalTaskId ORDER BY startNs, rowid), rowid, startNs,
        endNs FROM TASK WHERE {_valid(database, "TASK")}""")
    if database.has_column("TASK", "contextId"):
        run(f"""INSERT OR IGNORE INTO sub_task SELECT deviceId, streamId, taskId, startNs FROM TASK
            WHERE contextId <> {MISSING_32} AND deviceId IS NOT NULL AND streamId IS NOT NULL AND taskId IS NOT NULL
            AND startNs IS NOT NULL""")
    if database.has_column("TASK", "modelId"):
        run(f"""INSERT INTO graph_task SELECT row, n FROM task_order WHERE row IN
            (SELECT rowid FROM TASK WHERE modelId <> {MISSING_32})""")


def kernels(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`kernel` batches by descriptor: operators, then scheduling tasks of collectives."""
    compute, schedule = "COMPUTE_TASK_INFO", "COMMUNICATION_SCHEDULE_TASK_INFO"
    if database.has(compute):
        number = database.number
        # blockDim was the number of cores until blockNum came; since then it is a text for SIMT kernels
        is_new = database.has_column(compute, "blockNum")
        blocks = f"{number(compute, 'blockNum', 'blockDim')}, {number(compute, 'mixBlockNum', 'mixBlockDim')}"
        texts = ", ".join(number(compute, name) for name in _TEXTS.split())
        grid = f"{number(compute, 'gridDim')}, {number(compute, 'blockDim') if is_new else 'NULL'}"
        yield from _described(
            database,
            compute,
            f"""t.globalTaskId, {KERNEL_OPERATOR}, t.name, {number(compute, "opType")}, {number(compute, "taskType")},
            {blocks}, {texts}, {grid}, NULL""",
        )
    if database.has(schedule):
        nulls = ", NULL" * (len(_TEXTS.split()) + 5)
        yield from _described(
            database,
            schedule,
            f"""t.globalTaskId, {KERNEL_SCHEDULE}, t.name, {database.number(schedule, "opType")},
            {database.number(schedule, "taskType")}{nulls}""",
        )


def _described(database: OfficialDatabase, table: str, columns: str) -> Iterator[pa.RecordBatch]:
    """Descriptions of descriptors that ran; the first where a table of another tool's making has several of one."""
    run = "t.globalTaskId IN (SELECT descriptor FROM temp.task_order)"
    database.ledger.reject(
        table,
        database.value(f"SELECT count(*) FROM {table} t WHERE NOT ifnull({run}, 0)"),
        "no-task",
        "describes a task that is not in TASK",
    )
    where = f"WHERE {run} AND t.name IS NOT NULL"
    if database.file.unique.get(table) != "globalTaskId":
        where += f" AND t.rowid IN (SELECT min(rowid) FROM {table} GROUP BY globalTaskId)"
    for batch in database.batches("kernel", f"SELECT {columns} FROM {table} t {where} ORDER BY t.globalTaskId"):
        database.ledger.load(table, batch.num_rows)
        yield batch
    count = database.ledger.tables[table]
    database.ledger.reject(
        table,
        count.records - count.loaded - count.rejected,
        "repeated",
        "has no name, or describes a task a second time",
    )


def _covered(database: OfficialDatabase) -> str:
    return _COVERED if database.has_column("TASK", "contextId") else "0"


def _connection(database: OfficialDatabase, table: str) -> str:
    """The connection number; unsigned "none" is stored as -1."""
    return f"nullif({database.number(table, 'connectionId')}, -1)"


def launches(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`launch` batches: what was put on the device under each connection number."""
    parts = []
    if database.has("TASK"):
        covered = _covered(database)
        parts.append(f"""SELECT {_connection(database, "TASK")} c, iif({covered}, 2, 1) class, t.startNs, t.endNs,
            t.deviceId, t.taskType FROM TASK t WHERE {_valid(database, "TASK")}""")
    if database.has("COMMUNICATION_OP"):
        table = "COMMUNICATION_OP"
        parts.append(f"""SELECT {_connection(database, table)}, 0, t.startNs, t.endNs,
            {database.number(table, "deviceId")}, NULL FROM {table} t WHERE {_valid(database, "COMMUNICATION_OP")}""")
    if parts:
        union = " UNION ALL ".join(parts)
        yield from database.batches("launch", f"SELECT * FROM ({union}) WHERE c IS NOT NULL ORDER BY 1, 2, 3, 4 DESC")


def device_events(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`device_event` batches: TASK and COMMUNICATION_OP in one stream sorted by start."""
    parts = []
    if database.has("TASK"):
        number = database.number
        covered = _covered(database)
        parts.append(f"""SELECT {DEVICE_TASK}, t.startNs, t.endNs, t.deviceId, {_connection(database, "TASK")},
            t.globalTaskId, {number("TASK", "taskType")}, {number("TASK", "contextId")}, {number("TASK", "streamId")},
            {number("TASK", "taskId")}, {number("TASK", "modelId")}, iif({covered}, 1, 0), g.n,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, t.rowid
            FROM TASK t LEFT JOIN temp.graph_task g ON g.row = t.rowid
            WHERE {_valid(database, "TASK")}""")
        _reject_invalid(database, "TASK")
    if database.has("COMMUNICATION_OP"):
        parts.append(_comm_op_part(database))
        _reject_invalid(database, "COMMUNICATION_OP")
    if not parts:
        return
    for batch in database.batches("device_event", " UNION ALL ".join(parts) + " ORDER BY 2, 3 DESC, 1, 23"):
        operations = int(batch.column("kind").to_numpy().sum())
        database.ledger.load("COMMUNICATION_OP", operations)
        database.ledger.load("TASK", batch.num_rows - operations)
        yield batch


def graph_runs(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`graph_run` batches by device and start: the n-th run of a graph is the n-th run of each of its tasks."""
    if database.has_column("TASK", "modelId"):
        yield from database.batches(
            "graph_run",
            """SELECT t.deviceId, t.modelId, g.n, min(t.startNs), max(t.endNs), count(*)
            FROM temp.graph_task g JOIN TASK t ON t.rowid = g.row GROUP BY 1, 2, 3 ORDER BY 1, 4, 2, 3""",
        )


def _comm_op_part(database: OfficialDatabase) -> str:
    table = "COMMUNICATION_OP"
    number = database.number
    kinds = database.words_of(database.pick(table, "dataType"), present(database.enumeration("ENUM_HCCL_DATA_TYPE")))
    return f"""SELECT {DEVICE_COMM_OP}, t.startNs, t.endNs, {number(table, "deviceId")}, {_connection(database, table)},
        t.opId, NULL, NULL, NULL, NULL, NULL, 0, NULL, t.opName, {number(table, "groupName")},
        {number(table, "opType")}, {kinds}, {number(table, "algType")}, CAST({number(table, "count")} AS INTEGER),
        {number(table, "rankSize")},
        {database.pick(table, "relay")}, {database.pick(table, "retry")}, t.rowid
        FROM {table} t WHERE {_valid(database, "COMMUNICATION_OP")}"""


def _valid(database: OfficialDatabase, table: str) -> str:
    return f"{database.is_slice(table)} AND {_NEEDED[table]}"


def _reject_invalid(database: OfficialDatabase, table: str) -> None:
    valid = _valid(database, table)
    bad, first = database.run(f"SELECT count(*), min(rowid) FROM {table} WHERE NOT ifnull({valid}, 0)").fetchone()
    reason = f"has no start, number or device, {OUT_OF_TIME}"
    database.ledger.reject(table, bad, "time-order", reason, first_offset=first)


def present(names: dict[int, str]) -> dict[int, str]:
    """An enumeration without the entries that mean: no value."""
    return {number: name for number, name in names.items() if name not in ("N/A", "INVALID_TYPE")}


def comm_tasks(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`comm_task` batches sorted by start; the n-th record of a descriptor belongs to its n-th run."""
    table = "COMMUNICATION_TASK_INFO"
    if not database.has(table):
        return
    number = database.number

    def words(column: str, enumeration: str) -> str:
        return database.words_of(database.pick(table, column), present(database.enumeration(enumeration)))

    notify = f"nullif(nullif({database.pick(table, 'notifyId')}, {_NO_NOTIFY}), -1)"
    size = database.pick(table, "size")
    operation, join = "NULL", ""
    if database.has("COMMUNICATION_OP"):
        operation = "o.rowid"
        join = f" LEFT JOIN COMMUNICATION_OP o ON o.opId = {database.pick(table, 'opId')}"
        if database.file.unique.get("COMMUNICATION_OP") != "opId":
            join += " AND o.rowid IN (SELECT min(rowid) FROM COMMUNICATION_OP GROUP BY opId)"
    yield from _by_run(
        database,
        "comm_task",
        table,
        f"""r.row, r.start, r.end, t.name, {number(table, "taskType")}, {number(table, "planeId")},
        {number(table, "groupName")}, {notify}, {words("rdmaType", "ENUM_HCCL_RDMA_TYPE")}, {number(table, "srcRank")},
        {number(table, "dstRank")}, {words("transportType", "ENUM_HCCL_TRANSPORT_TYPE")},
        {words("linkType", "ENUM_HCCL_LINK_TYPE")}, {words("dataType", "ENUM_HCCL_DATA_TYPE")},
        nullif({size}, -1), {operation}, {database.pick(table, "isMaster")},
        CASE WHEN {size} = -1 THEN NULL ELSE {database.pick(table, "bandwidth")} END""",
        join,
    )


def memory_copies(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`memory_copy` batches in the order of their tasks."""
    if database.has("MEMCPY_INFO"):
        direction = database.words_of("t.memcpyOperation", database.enumeration("ENUM_MEMCPY_OPERATION"))
        yield from _by_run(database, "memory_copy", "MEMCPY_INFO", f"r.row, CAST(t.size AS INTEGER), {direction}", "")


def _by_run(database: OfficialDatabase, kind: str, table: str, columns: str, join: str) -> Iterator[pa.RecordBatch]:
    """Records of a table that has one row a run of a descriptor, joined to the runs by order."""
    statement = f"""SELECT {columns}
        FROM (SELECT *, row_number() OVER (PARTITION BY globalTaskId ORDER BY rowid) {RUN_ALIAS}, rowid {ROW_ALIAS}
            FROM {table}) t
        JOIN temp.task_order r ON r.descriptor = t.globalTaskId AND r.n = t.{RUN_ALIAS}{join}
        ORDER BY r.start, r.end DESC, t.{ROW_ALIAS}"""
    for batch in database.batches(kind, statement):
        database.ledger.load(table, batch.num_rows)
        yield batch
    count = database.ledger.tables[table]
    database.ledger.reject(
        table,
        count.records - count.loaded - count.rejected,
        "no-task",
        "belongs to a run of a task that is not in TASK",
    )
    bare = database.value(
        f"""SELECT count(*) FROM temp.task_order WHERE descriptor IN (SELECT globalTaskId FROM {table})"""
    )
    if bare > count.loaded:
        database.ledger.note(
            "warning", "unequal-runs", "has fewer records than its tasks have runs; the last runs have none",
            table=table, count=bare - count.loaded,
        )  # fmt: skip

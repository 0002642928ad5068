"""Databases: tables as rows in which ids that mean nothing outside of the file stand for what they mean."""

from __future__ import annotations

import collections
import contextlib
import json
import sqlite3

from gold.csv_files import compare_columns
from gold.rows import compare_rows

# columns holding ids into STRING_IDS
TEXT_COLUMNS = {
    "COMPUTE_TASK_INFO": "name taskType opType inputFormats inputDataTypes inputShapes outputFormats outputDataTypes "
    "outputShapes attrInfo opState hf32Eligible gridDim blockDim",
    "COMMUNICATION_SCHEDULE_TASK_INFO": "name taskType opType",
    "COMMUNICATION_OP": "opName groupName algType opType",
    "COMMUNICATION_TASK_INFO": "name taskType groupName",
    "TASK": "taskType",
    "CANN_API": "name",
    "TASK_PMU_INFO": "name",
    "PYTORCH_API": "name inputDtypes inputShapes",
    "PYTORCH_CALLCHAINS": "stack",
    "MEMORY_RECORD": "component",
    "OP_MEMORY": "name",
    "NPU_OP_MEM": "operatorName type component",
    "NPU_MEM": "type",
    "HBM": "type",
    "MSTX_EVENTS": "message domainId",
    "LLC": "mode",
    "QOS": "eventName",
    "OSRT_API": "name",
    "SAMPLE_PMU_TIMELINE": "coreType",
    "SAMPLE_PMU_SUMMARY": "metric coreType",
    "SIO": "name",
    "CCU": "name args",
    "DPU_TASK": "opName args",
}

DB_KEYS = {
    "TASK": ["startNs", "streamId", "taskId", "contextId"],
    "COMPUTE_TASK_INFO": ["globalTaskId"],
    "COMMUNICATION_TASK_INFO": ["globalTaskId"],
    "COMMUNICATION_OP": ["opName", "startNs"],
    "CANN_API": ["startNs", "type", "globalTid", "name"],
    "TASK_PMU_INFO": ["globalTaskId", "name"],
    "MEMCPY_INFO": ["globalTaskId"],
    "PYTORCH_API": ["startNs", "type", "globalTid", "name"],
    "PYTORCH_CALLCHAINS": ["id", "stackDepth"],
    "OP_MEMORY": ["name", "allocationTime"],
    "MEMORY_RECORD": ["component", "timestamp"],
    "STEP_TIME": ["id"],
    "META_DATA": ["name"],
    "OVERLAP_ANALYSIS": ["startNs", "type"],
    "StepTraceTime": ["deviceId", "step"],
    "CommAnalyzerTime": ["hccl_op_name", "group_name", "step"],
    "CommAnalyzerBandwidth": ["hccl_op_name", "group_name", "step", "transport_type", "package_size"],
    "CommAnalyzerMatrix": ["hccl_op_name", "group_name", "step", "src_rank", "dst_rank"],
}

THROUGH_USE = {"STRING_IDS", "CONNECTION_IDS", "PYTORCH_CALLCHAINS", "sqlite_sequence"}


class Database:
    """Tables as rows of dicts with all run dependent ids replaced by what they stand for."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path.resolve()}?mode=ro", uri=True)
        self.db.text_factory = lambda data: data.decode("utf-8", "replace")
        self.tables = [
            name for (name,) in self.db.execute("select name from sqlite_master where type='table' order by name")
        ]
        self.columns = {
            table: [row[1] for row in self.db.execute(f'pragma table_info("{table}")')] for table in self.tables
        }
        self.text = dict(self.query("STRING_IDS", "id", "value"))
        self.chains = collections.defaultdict(list)
        for chain, stack, depth in self.query("PYTORCH_CALLCHAINS", "id", "stack", "stackDepth"):
            self.chains[chain].append((depth, self.text.get(stack, stack)))
        self.chains = {
            chain: " | ".join(str(text) for _, text in sorted(frames)) for chain, frames in self.chains.items()
        }
        self.resolve_tasks()
        self.resolve_connections()

    def query(self, table, *names):
        if table not in self.columns or not set(names) <= set(self.columns[table]):
            return []
        return self.db.execute('select {} from "{}"'.format(", ".join(f'"{name}"' for name in names), table)).fetchall()

    def resolve_tasks(self):
        self.tasks = {}
        for row in self.query("TASK", "globalTaskId", "startNs", "deviceId", "streamId", "taskId", "contextId"):
            known = self.tasks.get(row[0])
            if known is None or row[1:] < known:
                self.tasks[row[0]] = row[1:]
        self.operations = {
            row[0]: (self.text.get(row[1], row[1]), row[2])
            for row in self.query("COMMUNICATION_OP", "opId", "opName", "startNs")
        }

    def resolve_connections(self):
        groups = collections.defaultdict(list)
        for key, value in self.query("CONNECTION_IDS", "id", "connectionId"):
            groups[key].append(value)
        ends = collections.defaultdict(dict)

        def remember(value, table, item):
            known = ends[value].get(table)
            if known is None or item < known:
                ends[value][table] = item

        for value, start, kind, tid, name in self.query(
            "CANN_API", "connectionId", "startNs", "type", "globalTid", "name"
        ):
            remember(value, "api", (int(start), kind, tid, str(self.text.get(name, name))))
        for value, start, stream, task in self.query("TASK", "connectionId", "startNs", "streamId", "taskId"):
            remember(value, "task", (int(start), stream, task))
        for value, start, name in self.query("COMMUNICATION_OP", "connectionId", "startNs", "opName"):
            remember(value, "communication", (int(start), str(self.text.get(name, name))))
        for value, start, name in self.query("MSTX_EVENTS", "connectionId", "startNs", "message"):
            remember(value, "mstx", (int(start), str(self.text.get(name, name))))
        for key, start, kind, tid, name in self.query(
            "PYTORCH_API", "connectionId", "startNs", "type", "globalTid", "name"
        ):
            for value in groups.get(key, ()):
                remember(value, "framework", (int(start), kind, tid, str(self.text.get(name, name))))
        self.ends = {value: str(sorted(item.items())) for value, item in ends.items()}
        self.groups = {
            key: " + ".join(sorted(self.ends.get(value, str(value)) for value in values))
            for key, values in groups.items()
        }

    def rows(self, table):
        names = self.columns[table]
        texts = set(TEXT_COLUMNS.get(table, "").split()) & set(names) if self.text else set()
        result = []
        for values in self.db.execute(f'select * from "{table}"'):
            row = dict(zip(names, values, strict=True))
            for name in texts:
                if row[name] is not None:
                    row[name] = self.text.get(row[name], row[name])
            if "globalTaskId" in row:
                row["globalTaskId"] = str(self.tasks.get(row["globalTaskId"], row["globalTaskId"]))
            if "opId" in row:
                row["opId"] = str(self.operations.get(row["opId"], row["opId"]))
            if "connectionId" in row and row["connectionId"] is not None:
                source = self.groups if table == "PYTORCH_API" else self.ends
                row["connectionId"] = source.get(row["connectionId"], str(row["connectionId"]))
            if "callchainId" in row and row["callchainId"] is not None:
                row["callchainId"] = self.chains.get(row["callchainId"], row["callchainId"])
            if table == "COMPUTE_TASK_INFO" and row.get("opState") == "N/A":
                row["attrInfo"] = "(not compared)"
            if table == "META_DATA" and isinstance(row.get("value"), str):
                with contextlib.suppress(ValueError):  # JSON text: compare the content, not the spacing
                    row["value"] = json.dumps(json.loads(row["value"]), sort_keys=True)
            result.append(row)
        return result


def compare_db(report, rules, name, actual_paths, expected_paths):
    actual, expected = Database(actual_paths[0]), Database(expected_paths[0])
    base = name.rpartition("/")[2]
    for table in expected.tables:
        if table in THROUGH_USE:
            continue
        report.section(f"{name}:{table}")
        if rules.allows(f"{base}:{table}"):
            report.note("declared difference, not compared")
            report.close(len(expected.rows(table)), 0)
            continue
        if table not in actual.columns:
            report.differ("missing table", table)
            report.close(len(expected.rows(table)), 0)
            continue
        columns = compare_columns(report, rules, f"{base}:{table}", actual.columns[table], expected.columns[table])
        expected_rows, actual_rows = expected.rows(table), actual.rows(table)
        compare_rows(report, rules, f"{base}:{table}", columns, actual_rows, expected_rows, DB_KEYS.get(table, []))
        report.close(len(expected_rows), len(actual_rows))
    report.section(f"{name}:(tables)")
    extra = [table for table in actual.tables if table not in expected.tables and table not in THROUGH_USE]
    if extra:
        report.note("additional tables, not compared: " + ", ".join(extra))
    return None, None

"""CSV files: set of columns, rows as a multiset."""

from __future__ import annotations

import csv

from gold.json_files import launch_spreads, load_json
from gold.rows import compare_rows

CSV_KEYS = {
    "kernel_details": ["Name", "Start Time(us)"],
    "op_summary": ["Op Name", "Task Start Time(us)"],
    "operator_details": ["Name", "Input Shapes", "Call Stack"],
    "op_statistic": ["OP Type", "Core Type"],
    "api_statistic": ["Level", "API Name"],
    "step_trace_time": ["Device_id", "Step"],
    "operator_memory": ["Name", "Allocation Time(us)"],
    "memory_record": ["Component", "Timestamp(us)", "Device Type", "Device"],
    "npu_module_mem": ["Component", "Timestamp(us)"],
    "npu_mem": ["event", "timestamp(us)"],
    "task_time": ["stream_id", "task_id", "task_start(us)"],
    "communication_statistic": ["OP Type"],
}


def read_csv(paths):
    header, rows = [], []
    for path in paths:
        with path.open(newline="", encoding="utf-8-sig") as handle:
            reader = csv.DictReader(handle)
            header += [name for name in reader.fieldnames or [] if name not in header]
            rows += list(reader)
    return header, rows


def compare_columns(report, rules, where, actual, expected):
    for column in expected:
        if column not in actual:
            if rules.allows(where, column):
                report.note("declared: no column " + column)
            else:
                report.differ("missing column", column)
    extra = [column for column in actual if column not in expected]
    if extra:
        report.note("additional columns, not compared: " + ", ".join(extra))
    return [column for column in expected if column in actual]


def compare_csv(report, rules, name, actual_paths, expected_paths):
    actual_header, actual = read_csv(actual_paths)
    expected_header, expected = read_csv(expected_paths)
    base = name.rpartition("/")[2]
    columns = compare_columns(report, rules, base, actual_header, expected_header)
    key = CSV_KEYS.get(base[:-4], [])
    trace = expected_paths[0].parent / "trace_view.json"
    if base == "operator_details.csv" and trace.is_file():
        open_choice = launch_spreads(load_json(trace))

        def spread(row, column):
            return open_choice.get(row["Name"], 0) if column.startswith("Device ") else 0

        compare_rows(report, rules, base, columns, actual, expected, key, spread)
    else:
        compare_rows(report, rules, base, columns, actual, expected, key)
    return len(expected), len(actual)

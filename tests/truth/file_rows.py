"""Rows of the text deliverables of a rank, as the simulated program knows them and as the exported files have them.

As in `rows`, a topic gives both; it takes the truth, a function that reads a file (rows of a CSV as dicts, or a text),
and whether the level of the recording leaves only names.
"""

import json
from collections import defaultdict
from decimal import Decimal

from rows import described, op_key, task_name

FILES = {}


def file_topic(function):
    FILES[function.__name__] = function
    return function


def ns(text):
    """Of us with three decimals."""
    return int(Decimal(text.strip()) * 1000)


def union(ranges):
    """Disjoint ranges, in order."""
    found = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


def length(ranges):
    return sum(end - start for start, end in union(ranges))


def computing(truth, is_l0):
    """(name, type, core, task) of the kernels that the deliverables list."""
    for row in truth.tasks:
        launch, kernel = truth.launches[row.launch], described(truth, row)
        if kernel:
            yield kernel["name"], kernel["op_type"], kernel["core"], row
        elif launch.called and not launch.kernel and not row.is_part:  # at a level without descriptions
            yield launch.called, "N/A", "N/A", row
        elif launch.graph is not None and not launch.kernel:  # of a graph without descriptions
            yield launch.symbol, *(("N/A", "N/A") if is_l0 else (launch.symbol, SYMBOL_CORES[launch.kind])), row


SYMBOL_CORES = {"KERNEL_AICORE": "AI_CORE", "KERNEL_AIVEC": "AI_VECTOR_CORE"}


@file_topic
def kernel_details(truth, read, is_l0):
    expected = [
        (name, op_type, core, row.start_ns, row.end_ns - row.start_ns)
        for name, op_type, core, row in computing(truth, is_l0)
    ]
    for row in truth.comm_ops:
        op_type = "N/A" if is_l0 else row.name
        expected.append((row.name, op_type, "COMMUNICATION", row.start_ns, row.end_ns - row.start_ns))
    found = [
        (
            row["Name"].partition("__")[0] + "_" if row["Name"].startswith("hcom_") else row["Name"],
            row["Type"], row["Accelerator Core"], ns(row["Start Time(us)"]), ns(row["Duration(us)"]),
        )
        for row in read("kernel_details.csv")
    ]  # fmt: skip
    return expected, found


@file_topic
def op_statistic(truth, read, is_l0):
    groups = defaultdict(list)
    for _, op_type, core, row in computing(truth, is_l0):
        groups[op_type, core].append(row.end_ns - row.start_ns)
    expected = [(*key, len(times), sum(times), min(times), max(times)) for key, times in groups.items() if not is_l0]
    found = [
        (row["OP Type"], row["Core Type"], int(row["Count"]), *(ns(row[f"{kind} Time(us)"]) for kind in KINDS))
        for row in read("op_statistic.csv")
    ]
    return expected, found


KINDS = ("Total", "Min", "Max")


@file_topic
def api_statistic(truth, read, is_l0):
    groups = defaultdict(list)
    for row in truth.calls:
        name = row.item if row.level == "communication" or row.name == "hcom" else row.name
        groups[row.level, name].append(row.end_ns - row.start_ns)
    expected = [(*key, len(times), sum(times)) for key, times in groups.items() if not is_l0]
    found = [
        (row["Level"], row["API Name"], int(row["Count"]), ns(row["Time(us)"])) for row in read("api_statistic.csv")
    ]
    return expected, found


@file_topic
def operator_details(truth, read, is_l0):
    """How long operators ran on the host, without and with what they called."""
    inner = defaultdict(int)
    for op in truth.ops:
        inner[op.parent] += op.end_ns - op.start_ns
    expected = [
        (op.name, op.end_ns - op.start_ns - inner[op.number], op.end_ns - op.start_ns)
        for op in truth.ops
        if not op.name.startswith("ProfilerStep#")
    ]
    found = [
        (row["Name"], ns(row["Host Self Duration(us)"]), ns(row["Host Total Duration(us)"]))
        for row in read("operator_details.csv")
    ]
    return expected, found


@file_topic
def operator_memory(truth, read, is_l0):
    expected = []
    for row in truth.allocations:
        op = op_key(truth, row.op)
        name = op[-1] if op else "cann::aclnnAdd_AddAiCore_Add" if row.component == "GE" else ""
        expected.append((name, row.size_bytes, row.start_ns, row.release_ns, row.active_release_ns))
    found = []
    for row in read("operator_memory.csv"):
        times = (row[name].strip() for name in MOMENTS)
        size = int(Decimal(row["Size(KB)"]) * 1024)
        found.append((row["Name"], size, *(ns(text) if text else None for text in times)))
    return expected, found


MOMENTS = ("Allocation Time(us)", "Release Time(us)", "Active Release Time(us)")


@file_topic
def step_trace_time(truth, read, is_l0):
    """Computing, communication, what of it overlaps, what does not; of steps in which no graph was captured."""
    captured = {truth.ops[row.op].step_no for row in truth.launches if row.graph is not None and row.op is not None}
    expected = []
    for step in truth.steps:
        compute = [(row.start_ns, row.end_ns) for *_, row in computing(truth, is_l0) if row.step_no == step.step_no]
        comm = [(row.start_ns, row.end_ns) for row in truth.comm_ops if row.step_no == step.step_no]
        both = length(compute) + length(comm) - length(compute + comm)
        if step.step_no not in captured:
            expected.append((step.step_no, length(compute), length(comm), both, length(comm) - both))
    found = [
        (int(row["Step"]), *(ns(row[name]) for name in PARTS))
        for row in read("step_trace_time.csv")
        if int(row["Step"]) not in captured
    ]
    return expected, found


PARTS = ("Computing", "Communication", "Overlapped", "Communication(Not Overlapped)")


@file_topic
def trace_view(truth, read, is_l0):
    """Slices of the host and of the device by name and times."""
    expected = [(op.name, op.start_ns, op.end_ns - op.start_ns) for op in truth.ops]
    for row in truth.queue_tasks:
        expected.append((f"Enqueue@{row.name}", row.enqueue_start_ns, row.enqueue_end_ns - row.enqueue_start_ns))
        expected.append((f"Dequeue@{row.name}", row.dequeue_start_ns, row.dequeue_end_ns - row.dequeue_start_ns))
    for row in truth.tasks:
        if not row.is_part and truth.launches[row.launch].kind != "KERNEL_MIX_AIC":
            expected.append((task_name(truth, row), row.start_ns, row.end_ns - row.start_ns))
    events = [event for event in json.loads(read("trace_view.json"), parse_float=Decimal) if event["ph"] == "X"]
    found = [(event["name"], ns(str(event["ts"])), ns(str(event["dur"]))) for event in events]
    return expected, found

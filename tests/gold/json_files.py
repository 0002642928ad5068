"""JSON files: traces as events and flows, others key by key."""

from __future__ import annotations

import collections
import json
import re
from decimal import Decimal

from gold.rows import compare_rows, number, plain, short


def load_json(path):
    text = path.read_text(encoding="utf-8")
    try:
        return json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError:
        return json.loads(text + "]", parse_float=Decimal)  # the reference may leave an array open


def is_trace(data):
    return isinstance(data, list) and bool(data) and isinstance(data[0], dict) and "ph" in data[0]


def point(event):
    return (event.get("pid"), event.get("tid"), plain(event.get("ts")))


def launches(events):
    """end point of a HostToDevice flow -> all end points of the same launch, sorted"""
    ends = collections.defaultdict(list)
    for event in events:
        if event.get("cat") == "HostToDevice" and event.get("ph") == "f":
            ends[event.get("id")].append(point(event))
    return {end: sorted(group, key=str) for group in ends.values() for end in group}


def launch_spreads(events):
    """torch op name -> how far its device time depends on the choice of the linked task"""
    groups, durations, operators, spreads = launches(events), {}, [], collections.defaultdict(Decimal)
    for event in events:
        if event.get("ph") == "X":
            durations[point(event)] = number(event.get("dur"))
            if event.get("cat") == "cpu_op":
                operators.append((number(event["ts"]), number(event["ts"]) + number(event["dur"]), event["name"]))
    pairs = collections.defaultdict(dict)
    for event in events:
        if event.get("cat") == "async_npu":
            pairs[event.get("id")][event["ph"]] = event
    open_choices = []
    for pair in pairs.values():
        if len(pair) == 2 and len(groups.get(point(pair["f"]), ())) > 1:
            lengths = [durations.get(end, Decimal(0)) for end in groups[point(pair["f"])]]
            open_choices.append((number(pair["s"]["ts"]), max(lengths) - min(lengths)))
    for begin, end, name in operators:
        total = sum(gap for stamp, gap in open_choices if begin <= stamp <= end)
        spreads[name] = max(spreads[name], total)
    return spreads


def trace_tables(events):
    """Rows per event class."""
    slices, counters, metadata, flows = [], [], [], collections.defaultdict(lambda: ([], []))
    first = {}
    for event in events:
        if event.get("ph") == "X" and "connection_id" in event.get("args", {}):
            value = event["args"]["connection_id"]
            rank = (plain(event.get("ts")), event.get("name"), str(event.get("tid")))
            if value not in first or rank < first[value]:
                first[value] = rank
    for event in events:
        phase, args = event.get("ph"), event.get("args", {})
        if phase in ("s", "f"):
            flows[(event.get("cat"), event.get("id"))][phase == "f"].append(event)
            continue
        row = {name: value for name, value in event.items() if name != "args"}
        for name, value in args.items():
            shown = first.get(value, value) if name == "connection_id" else value
            row[f"args.{name}"] = (
                shown if isinstance(shown, str | int | Decimal | tuple) else json.dumps(shown, default=str)
            )
        (slices if phase == "X" else counters if phase == "C" else metadata).append(row)
    links, groups = [], launches(events)
    for (category, _), (starts, ends) in flows.items():
        start = min(map(point, starts), default=None, key=str)
        names = {re.sub(r"\d+$", "", event.get("name", "")) for event in starts + ends}
        for end in map(point, ends) if ends else [None]:
            of_launch = groups.get(end) if category == "async_npu" else None
            links.append(
                {
                    "cat": category,
                    "name": ",".join(sorted(names)),
                    "start": str(start),
                    "end": str(of_launch[0] if of_launch else end),
                    "starts": len(starts),
                }
            )
    return {
        "slices": (slices, ["pid", "tid", "ts", "name"]),
        "counters": (counters, ["pid", "name", "ts"]),
        "metadata": (metadata, ["pid", "tid", "name"]),
        "flows": (links, ["cat", "start", "end"]),
    }


def compare_trace(report, rules, actual, expected):
    actual, expected = trace_tables(actual), trace_tables(expected)
    found = wanted = 0
    for kind, (rows, key) in expected.items():
        others = actual[kind][0]
        columns = sorted({name for row in rows + others for name in row})
        compare_rows(report, rules, "trace", columns, others, rows, key)
        wanted, found = wanted + len(rows), found + len(others)
    return wanted, found


def compare_value(report, rules, base, path, actual, expected, counts):
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            if key not in actual:
                report.differ("missing key", short(f"{path}/{key}", 200))
            else:
                compare_value(report, rules, base, f"{path}/{key}", actual[key], value, counts)
        for key in actual:
            if key not in expected:
                report.differ("unexpected key", short(f"{path}/{key}", 200))
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            report.differ("length", f"{path}: found {len(actual)} expected {len(expected)}")
        for number_, (left, right) in enumerate(zip(actual, expected, strict=False)):
            compare_value(report, rules, base, f"{path}[{number_}]", left, right, counts)
    else:
        counts[0] += 1
        if (
            type(actual) in (dict, list)
            or type(expected) in (dict, list)
            or not rules.same(base, path.rsplit("/", 1)[-1], actual, expected)
        ):
            report.differ("value", f"{short(path, 200)}: found {short(actual)!r} expected {short(expected)!r}")


def compare_json(report, rules, name, actual_paths, expected_paths):
    actual, expected = [load_json(path) for path in actual_paths], [load_json(path) for path in expected_paths]
    if all(map(is_trace, expected)) and all(map(is_trace, actual)):
        return compare_trace(
            report, rules, [e for part in actual for e in part], [e for part in expected for e in part]
        )
    counts = [0]
    compare_value(report, rules, name.rpartition("/")[2], "", actual[0], expected[0], counts)
    return counts[0], counts[0]

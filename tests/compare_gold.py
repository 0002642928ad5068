#!/usr/bin/env python3
"""Compare produced profile deliverables with an expected directory, content wise.

Usage::

    compare_gold.py ACTUAL_DIR EXPECTED_DIR [--show N] [--only GLOB] [--allow FILE[::COLUMN]] [--allow-from LIST]
    [--strict] [--exact]

Every ``*.csv``, ``*.json`` and ``*.db`` below EXPECTED_DIR is looked up below ACTUAL_DIR and compared.

Finding the partner: the path relative to the root, where ``PROF_*`` components are dropped (so that
``<run>/PROF_x/mindstudio_profiler_output/op_summary_1.csv`` equals ``<run>/mindstudio_profiler_output/op_summary.csv``)
and ``_<14 digits>`` / ``_slice_<n>`` tails of names are removed; several files with the same normalised name
(slices) are read as one.  Files found only in ACTUAL_DIR are listed, and are a difference with ``--strict``.

What is compared, and how rows find each other:

* CSV      set of columns, rows as a multiset.  Rows that differ are paired through the natural key of the
           file (``CSV_KEYS``; unknown files: all text columns) so that single cells can be reported.
           Row order and quoting are not compared.
* trace    JSON arrays of events (``trace_view.json``, ``msprof_*.json``): slices and metadata events as rows,
           counters likewise; flows as (category, start point, end point) independent of their ids.
           ``connection_id`` values are replaced by the earliest slice that carries the same value.
* JSON     other files: recursively, key by key.
* DB       tables, columns and rows.  String ids are replaced by their text, ``globalTaskId`` by the first task
           carrying it, connection ids by the earliest API / task / communication / framework row on the same
           link, ``opId`` by name and start of the operation, call chains by the list of frames.  STRING_IDS and
           CONNECTION_IDS are therefore compared through their use only.  Declared column types are not compared
           (a number stored as text equals the number).

Choices the reference leaves open: a launch that put several tasks on the device (a collective, a captured
operator that was replayed) has several HostToDevice ends, and the reference links the torch operator to whichever
it meets first in its own, thread dependent, output order: two runs over the same input differ.  Any end of the
same launch is accepted for ``async_npu`` flows, and the device columns of ``operator_details.csv`` may differ by the
spread of the durations of such a launch (taken from the expected ``trace_view.json`` beside the CSV).
``COMPUTE_TASK_INFO.attrInfo`` of tasks without description (opState N/A) is not compared: the reference writes
the attribute of whatever row it handled before.

Numbers written without a fraction and time stamps (above 1e12) must be equal.  Others may differ by
``TOLERANCE`` (absolute) or ``RELATIVE``.  ``ALLOWED`` lists the documented exceptions.  With ``--exact`` every number
must be equal, which tells what those tolerances allow.

Declared differences: ``--allow FILE`` skips a file (``name.db:TABLE`` a table), also where it is missing;
``--allow FILE::COLUMN`` does not compare a column and forgives its absence.  FILE is matched against the base name
(``trace`` for traces, with ``args.<name>`` as columns).  ``--allow-from LIST`` reads one such entry a line, text after
``#`` is a comment.  An entry that excused nothing is reported, so that a list cannot grow stale.  Exit status:
0 equal, 1 different, 2 usage.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import re
import sys
from pathlib import Path

from gold.csv_files import compare_csv
from gold.databases import compare_db
from gold.json_files import compare_json
from gold.rows import Report, Rules

COMPARERS = {".csv": compare_csv, ".json": compare_json, ".db": compare_db}


def normalised(path):
    """The relative path by which files of two directories find each other."""
    parts = [part for part in path.parts[:-1] if not part.startswith("PROF_")]
    stem = re.sub(r"(_slice_\d+)?(_\d{14})?(_slice_\d+)?$", "", path.stem)
    return "/".join([*parts, stem + path.suffix])


def listing(root):
    """Files that can be compared by normalised path."""
    files = collections.defaultdict(list)
    for path in sorted(root.rglob("*")):
        if path.suffix in COMPARERS and path.is_file():
            files[normalised(path.relative_to(root))].append(path)
    return files


def declared(args):
    """Declared differences, as given and from lists."""
    allow = list(args.allow)
    for path in args.allow_from:
        lines = path.read_text(encoding="utf-8").splitlines()
        allow += [entry for entry in (line.split("#")[0].strip() for line in lines) if entry]
    return allow


def compare(report, rules, actual, expected, names):
    """Compare the files of those names; returns how many are missing."""
    missing = 0
    for name in names:
        report.section(name)
        if rules.allows(name.rpartition("/")[2]):
            report.note("declared difference, not compared")
            report.close()
        elif name not in actual:
            missing += 1
            report.differ("missing file", name)
            report.close()
        else:
            suffix = name[name.rindex(".") :]
            report.close(*COMPARERS[suffix](report, rules, name, actual[name], expected[name]))
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("actual", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--show", type=int, default=5, help="differences of one kind printed per file")
    parser.add_argument("--only", default="*", help="compare only files whose normalised relative path matches")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="FILE[::COLUMN]",
        help="a declared difference: a column, or a whole file / 'name.db:TABLE'; patterns; may be repeated",
    )
    parser.add_argument(
        "--allow-from",
        action="append",
        default=[],
        type=Path,
        metavar="LIST",
        help="file with such entries, one a line",
    )
    parser.add_argument("--strict", action="store_true", help="additional files are differences")
    parser.add_argument("--exact", action="store_true", help="numbers within a tolerance are differences")
    args = parser.parse_args()
    for root in (args.actual, args.expected):
        if not root.is_dir():
            parser.error(f"not a directory: {root}")
    actual, expected = listing(args.actual), listing(args.expected)
    allow = declared(args)
    report, rules = Report(args.show), Rules(allow, args.exact)
    wanted = [name for name in expected if fnmatch.fnmatch(name, args.only)]
    if not wanted:
        parser.error("nothing to compare: the expected directory holds no matching csv, json or db file")
    missing = compare(report, rules, actual, expected, wanted)
    extra = [name for name in actual if name not in expected and fnmatch.fnmatch(name, args.only)]
    for name in extra:
        print(f"note additional file {name}")
    for item in allow:
        if item not in rules.used:
            print(f"note declared difference that excused nothing: {item}")
    failed = report.totals["differences"] + (len(extra) if args.strict else 0)
    print(
        f"SUMMARY files {len(wanted)} missing {missing} additional {len(extra)} sections {report.files} "
        f"different {report.totals['different']} rows expected {report.totals['rows expected']} "
        f"found {report.totals['rows found']} differences {report.totals['differences']} -> "
        f"{'DIFFERENT' if failed else 'EQUAL'}"
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

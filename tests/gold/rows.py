"""Values, rows and declared differences: what equal means, and the report of what is not."""

from __future__ import annotations

import collections
import fnmatch
from decimal import Decimal, InvalidOperation

TOLERANCE = Decimal("0.00101")  # one unit of the third decimal: rounding of a tie may go either way
RELATIVE = Decimal("1e-6")
STAMP = Decimal("1e12")  # us or ns since 1970 are above this, nothing else is a measured quantity that large
IGNORE = None  # as a tolerance: do not compare at all

# (file pattern, column pattern) -> absolute tolerance, or IGNORE
ALLOWED = [
    # the reference computes these in doubles on us since 1970: steps of 0.25 us, large values shown with one decimal
    ("step_trace_time.csv", "Stage", Decimal("0.26")),
    ("step_trace_time.csv", "Preparing", Decimal("0.26")),
    ("communication.json", "Start Timestamp(us)", Decimal("0.31")),
    ("*.db:CommAnalyzerTime", "start_timestamp", Decimal("0.31")),
    # surrogate keys that have no meaning outside one file
    ("*.db:OVERLAP_ANALYSIS", "id", IGNORE),
    ("trace", "HostToDevice name", IGNORE),
]


class Report:
    """Collects differences; one block per file (or table)."""

    def __init__(self, show):
        self.show, self.files, self.totals = show, 0, collections.Counter()

    def section(self, name):
        self.name, self.lines, self.counts = name, [], collections.Counter()

    def differ(self, kind, text):
        self.counts[kind] += 1
        if self.counts[kind] <= self.show:
            self.lines.append(f"    {kind}: {text}")
        elif self.counts[kind] == self.show + 1:
            self.lines.append(f"    {kind}: ...")

    def note(self, text):
        self.lines.append(f"    note: {text}")

    def close(self, expected=None, found=None):
        bad = sum(self.counts.values())
        rows = "" if expected is None else f"rows expected {expected} found {found}"
        details = ", ".join(f"{kind} {count}" for kind, count in sorted(self.counts.items()))
        print(f"{'DIFF' if bad else 'ok  '} {self.name}  {rows}{'  ' + details if details else ''}")
        for line in self.lines:
            print(line)
        self.files += 1
        self.totals["differences"] += bad
        self.totals["different"] += bool(bad)
        self.totals["rows expected"] += expected or 0
        self.totals["rows found"] += found or 0


def number(value):
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, Decimal)):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, str):
        text = value.strip()
        if text and (text[0].isdigit() or text[0] in "+-."):
            try:
                found = Decimal(text)
                return found if found.is_finite() else None
            except InvalidOperation:
                return None
    return None


def integral(value):
    return isinstance(value, int) or not set(str(value)) & set(".eE")


def plain(value):
    """Canonical form for exact matching: numbers without trailing zeros, text without outer blanks."""
    found = number(value)
    if found is not None:
        return found.normalize() if found else Decimal(0)
    return value.strip() if isinstance(value, str) else value


class Rules:
    """What counts as equal; `extra` are declared differences, `is_exact` allows no tolerance."""

    def __init__(self, extra, is_exact=False):
        self.is_exact = is_exact
        self.rules = list(ALLOWED)
        self.extra, self.used = list(extra), set()
        for item in extra:
            path, _, column = item.partition("::")
            self.rules.append((path, column or "*", IGNORE))

    def allows(self, where, column=None):
        """Whether a whole file or table (column None), or a column's absence, is a declared difference."""
        for item in self.extra:
            path, _, name = item.partition("::")
            if fnmatch.fnmatchcase(where, path) and (
                not name or (column is not None and fnmatch.fnmatchcase(column, name))
            ):
                self.used.add(item)
                return True
        return False

    def tolerance(self, where, column):
        for path, name, tolerance in self.rules:
            if fnmatch.fnmatchcase(where, path) and fnmatch.fnmatchcase(column, name):
                return tolerance
        return TOLERANCE

    def same(self, where, column, actual, expected, spread=0):
        if actual == expected:
            return True
        tolerance = self.tolerance(where, column)
        if tolerance is IGNORE:
            self.allows(where, column)
            return True
        left, right = number(actual), number(expected)
        if left is None or right is None:
            return plain(actual) == plain(expected)
        gap = abs(left - right)
        if self.is_exact:
            tolerance = spread = 0
        if tolerance is TOLERANCE and not spread:
            if abs(right) >= STAMP or (integral(actual) and integral(expected)):
                return gap == 0
            return gap <= max(tolerance, abs(right) * RELATIVE)
        return gap <= tolerance + spread


def short(value, limit=90):
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    return text if len(text) <= limit else text[:limit] + "..."


def compare_rows(report, rules, where, columns, actual, expected, key, spread=lambda row, column: 0):
    """Rows are dicts.  Exact matches are removed first; the rest is paired by key, then cell by cell.
    ``spread`` gives an additional tolerance for a cell of an expected row."""
    ignored = {column for column in columns if rules.tolerance(where, column) is IGNORE}
    for column in ignored:
        if collections.Counter(plain(row.get(column)) for row in actual) != collections.Counter(
            plain(row.get(column)) for row in expected
        ):
            rules.allows(where, column)
    used = [column for column in columns if column not in ignored]
    left, rest = without_equal(actual, expected, used)
    if not left and not rest:
        return
    key = [column for column in key if column in columns] or used

    def differing(found, row):
        return [
            column
            for column in used
            if not rules.same(where, column, found.get(column), row.get(column), spread(row, column))
        ]

    pairs, lost, spare = paired(left, rest, key, differing)
    for found, row in pairs:
        place = {column: short(row.get(column)) for column in key}
        for column in differing(found, row):
            cells = f"found {short(found.get(column))!r} expected {short(row.get(column))!r}"
            report.differ("cell", f"{place} {column}: {cells}")
    for row in lost:
        report.differ("missing row", short({column: row.get(column) for column in key}, 220))
    for row in spare:
        report.differ("unexpected row", short({column: row.get(column) for column in key}, 220))


def without_equal(actual, expected, columns):
    """Expected rows without an equal actual one, and actual rows without an equal expected one."""

    def signature(row):
        return tuple(plain(row.get(column)) for column in columns)

    pool = collections.defaultdict(list)
    for row in actual:
        pool[signature(row)].append(row)
    left = [row for row in expected if not (pool.get(signature(row)) and pool[signature(row)].pop())]
    return left, [row for rows in pool.values() for row in rows]


def paired(left, rest, key, differing):
    """Pairs (actual, expected) of one natural key, of several those that differ least; and both remainders."""

    def natural(row):
        return tuple(plain(row.get(column)) for column in key)

    waiting = collections.defaultdict(list)
    for row in rest:
        waiting[natural(row)].append(row)
    pairs, lost = [], []
    for row in left:
        candidates = waiting.get(natural(row))
        if not candidates:
            lost.append(row)
            continue
        best = min(candidates, key=lambda other, row=row: len(differing(other, row)))
        candidates.remove(best)
        pairs.append((best, row))
    spare = [row for rows in waiting.values() for row in rows]
    # a key may itself hold a number within tolerance
    for row in list(lost) if len(lost) * len(spare) < 1_000_000 else ():
        match = next((other for other in spare if not differing(other, row)), None)
        if match is not None:
            lost.remove(row)
            spare.remove(match)
    return pairs, lost, spare

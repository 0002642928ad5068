"""RowReader against RowWriter: the same values from a database file, on threads, as text of the same bytes."""

import _sqlite3
import sqlite3
import string
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse._native import RowReader, RowsOutOfOrderError, RowsRefusedError, RowWriter, SqliteLibrary

KINDS = ["text", "int", "stamp", "float", "round3", "fixed3", "fixed6", "trim3", "json", "ns_us"]
INTEGERS = st.integers(-(2**63), 2**63 - 1)
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=80)
TEXTS = ANY_TEXT | st.sampled_from(["", "=1+1", "-1.5", '"', "a,b", "\0", "N/A"])
DECIMALS = st.builds(lambda n, shift: n / 10**shift, st.integers(0, 10**12), st.integers(0, 6))
REALS = st.floats(allow_nan=False) | DECIMALS
CELLS = st.none() | INTEGERS | TEXTS | REALS
SOME_ID = st.none() | st.integers(0, 9)
TIMES = {"stamp": st.none() | st.integers(0, 2**63 - 1) | TEXTS, "ns_us": st.none() | INTEGERS | TEXTS}


def rows_of_kinds():
    return st.lists(st.tuples(*(TIMES.get(kind, CELLS) for kind in KINDS)), max_size=30)


@pytest.fixture(scope="module")
def library():
    return SqliteLibrary(_sqlite3.__file__, sqlite3.sqlite_version)


class Database:
    """A file with a table t (id, key, columns of any type), read by `threads`."""

    def __init__(self, library, path, columns, rows, threads=2):
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            named = ", ".join(f"c{place}" for place in range(columns))
            connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, key, {named})")
            marks = ", ".join("?" * (columns + 2))
            connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
            connection.commit()
        self.columns = columns
        self.reader = RowReader(library, f"file:{path}?mode=ro", [], threads=threads)

    def text(self, section, *, passes=(), lanes=(), is_first=False):
        parts = []
        rows, threads = self.reader.run([section], passes, lanes, parts.append, is_first)
        return b"".join(parts), rows, threads


def section(shape, statement, columns, **more):
    arm = {"statement": statement, "values": [], "columns": columns, "remembered": more.pop("remembered", [])}
    rest = {"is_fed": False, "order": None, "ties": [], "bounds": None, "limits": None}
    rest |= {"process": None, "thread": None, "lane_pass": None, "lane_id": 0}
    return {"shape": shape, "arms": [arm], **rest, **more}


def slots(names, kinds, first=0):
    pairs = zip(names, kinds, strict=True)
    return [(name, kind, first + place, None, None) for place, (name, kind) in enumerate(pairs)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows_of_kinds(), st.lists(st.integers(0, 40), max_size=6, unique=True))
def test_every_kind_of_value(library, tmp_path, rows, bounds):
    table = Database(library, tmp_path / "t.db", len(KINDS), [(n, 0, *row) for n, row in enumerate(rows)])
    names = [f"args:{kind}" if kind in ("float", "json") else kind for kind in KINDS]
    ranged = {"order": 0, "bounds": sorted(bounds)}
    statement = "SELECT * FROM t WHERE id BETWEEN ? AND ? ORDER BY id"
    writer = RowWriter(KINDS, names)
    lines = section("csv", statement, slots(names, KINDS, 2), **ranged)
    assert table.text(lines)[:2] == (writer.csv(rows), [len(rows)])
    objects = section("events", statement, slots(names, KINDS, 2), **ranged)
    expected = b"[\n" + writer.json_events(rows) if rows else b""
    assert table.text(objects, is_first=True)[:2] == (expected, [len(rows)])
    columns = ", ".join(f"c{place}" for place in range(len(KINDS)))
    fed = f"SELECT npuwh_row(id, key, {columns}) FROM t WHERE id BETWEEN ? AND ?"
    objects = section("events", fed, slots(names, KINDS, 2), **ranged, is_fed=True)
    assert table.text(objects, is_first=True)[:2] == (expected, [len(rows)])


def test_rows_that_are_fed_must_come_in_their_order(library, tmp_path):
    table = Database(library, tmp_path / "t.db", 1, [(1, 5, None), (2, 7, None), (3, 7, None), (4, 6, None)])
    ranged = {"order": 1, "ties": [(0, True)], "is_fed": True}
    columns = slots(["id", "key"], ["int", "int"])
    fed = "SELECT npuwh_row(id, key) FROM t WHERE id BETWEEN ? AND ?"
    for limits in ({"bounds": [4]}, {"bounds": []}):  # a range that begins too early, a row that does
        with pytest.raises(RowsOutOfOrderError):
            table.text(section("csv", fed, columns, **ranged, **limits))
    kept = section("csv", fed, columns, **ranged, bounds=[2], limits=(1, 3))
    assert table.text(kept)[:2] == (b"1,5\r\n3,7\r\n2,7\r\n", [3])
    cut = section("csv", fed, columns, **ranged, bounds=[3], limits=(1, 3))
    with pytest.raises(RowsOutOfOrderError):  # what is equal would have to be sorted over two ranges
        table.text(cut)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(SOME_ID, SOME_ID), min_size=1, max_size=60), st.data())
def test_what_ids_stand_for_is_remembered(library, tmp_path, ids, data):
    texts = data.draw(st.lists(st.none() | TEXTS | INTEGERS, min_size=10, max_size=10))
    rows = [(n, None, *(ids[n] if n < len(ids) else (None, None)), texts[n] if n < 10 else None)
            for n in range(max(10, len(ids)))]  # fmt: skip
    table = Database(library, tmp_path / "t.db", 3, rows)
    statements = [
        ("SELECT (SELECT c2 FROM t WHERE id = ?1), (SELECT typeof(c2) FROM t WHERE id = ?1)", [1]),
        ("SELECT coalesce(?1, -1) * 10 + coalesce(?2, -1)", [1, 2]),
    ]
    columns = [
        ("id", "int", 0, None, None), ("text", "text", None, None, 0), ("type", "text", None, None, 0),
        ("fixed", "text", None, "X", None), ("none", "text", None, None, None), ("sum", "int", None, None, 1),
    ]  # fmt: skip
    kinds = [kind for _, kind, *_ in columns]
    wanted = [
        (n, *((texts[a], _type(texts[a])) if a is not None else (None, None)), "X", None,
         (-1 if a is None else a) * 10 + (-1 if b is None else b))
        for n, (a, b) in enumerate(ids)
    ]  # fmt: skip
    statement = f"SELECT id, c0, c1 FROM t WHERE id < {len(ids)} ORDER BY id"
    lines = section("csv", statement, columns, remembered=statements)
    writer = RowWriter(kinds, [name for name, *_ in columns])
    assert table.text(lines)[0] == writer.csv(wanted)
    objects = section("events", statement, columns, remembered=statements)
    assert table.text(objects, is_first=True)[0] == b"[\n" + writer.json_events(wanted)


def _type(value):
    return {int: "integer", str: "text", type(None): "null"}[type(value)]


def test_more_texts_than_are_remembered(library, tmp_path):
    """Long texts of many ids, each of which comes again: what is forgotten is asked for anew."""
    rows = [(n, n * 7919 % 3000, string.ascii_letters * 100 + str(n)) for n in range(3000)]
    table = Database(library, tmp_path / "t.db", 1, rows)
    columns = [("id", "int", 0, None, None), ("text", "text", None, None, 0)]
    remembered = [("SELECT (SELECT c0 FROM t WHERE id = ?1)", [1])]
    found = table.text(section("csv", "SELECT id, key FROM t ORDER BY id", columns, remembered=remembered))[0]
    assert found == RowWriter(["int", "text"]).csv([(n, rows[key][2]) for n, key, _ in rows])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60), st.sets(st.integers(-1, 6), max_size=4))
def test_equal_rows_are_sorted_and_arms_merged(library, tmp_path, keys, bounds):
    table = Database(library, tmp_path / "t.db", 1, [(n, start, end) for n, (start, end) in enumerate(keys)], threads=3)
    columns = slots(["start", "end", "id"], ["int"] * 3)
    arm = {"values": [], "columns": columns, "remembered": []}
    arms = [
        {**arm, "statement": f"SELECT key, c0, id FROM t WHERE key BETWEEN ? AND ? AND id % 2 = {odd} ORDER BY key"}
        for odd in (0, 1)
    ]
    wanted = section("csv", "", [], order=0, ties=[(1, True), (2, False)], bounds=sorted(bounds)) | {"arms": arms}
    rows = sorted(((s, e, n) for n, (s, e) in enumerate(keys)), key=lambda row: (row[0], -row[1], row[2]))
    assert table.text(wanted)[0] == RowWriter(["int"] * 3).csv(rows)


def test_lanes_and_threads_and_flows(library, tmp_path):
    # track 1: two that overlap without nesting; track 2: nested
    slices = [(1, 100, 1, 50), (2, 120, 1, 60), (3, 100, 2, 90), (4, 110, 2, 10)]
    table = Database(library, tmp_path / "t.db", 2, slices)
    statement = "SELECT id, c0, key, c1 FROM t ORDER BY key"
    names, kinds = ["id", "tid", "ts", "dur"], ["int", "int", "ns_us", "ns_us"]
    events = section("events", statement, slots(names, kinds), process=0, thread=1, lane_pass=0)
    passes = [(statement, [], [0, 1, 2, 3])]
    text, rows, threads = table.text(events, passes=passes, is_first=True)
    placed = [(1, 1, 100, 50), (3, 2, 100, 90), (4, 2, 110, 10), (2, 2, 120, 60)]  # the second slice got lane 1
    assert text == b"[\n" + RowWriter(kinds, names).json_events(placed)
    assert (rows, threads) == ([4], [(1, 1), (2, 2), (3, 2), (4, 2)])
    flow = "SELECT 'f' AS name, 9, 5, 1, 120, 6, 7, 110"
    columns = slots(["name", "id", "from_pid", "from_tid", "from_ts", "to_pid", "to_tid", "to_ts"], ["int"] * 8)
    for known in ({"passes": passes}, {"lanes": [(1, 120, 1)]}):
        text, rows, _ = table.text(section("flows", flow, columns), **known)
        assert text == (
            b',\n{"ph":"s","bp":"e","name":"f","cat":"f","id":9,"pid":6,"tid":7,"ts":0.110}'
            b',\n{"ph":"f","bp":"e","name":"f","cat":"f","id":9,"pid":5,"tid":2,"ts":0.120}'
        )  # turned round, and the end of lane 1 on the thread of that lane
        assert rows == [2]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT x'00', 1, 3 FROM t", "no text and no number"),
        ("SELECT CAST(x'ff' AS TEXT), 1, 3 FROM t", "not UTF-8"),
        ("SELECT 1, 1.5, 3 FROM t", "a time is no integer"),
        ("SELECT 1, 2, -1 FROM t", "a time is negative"),
        ("SELECT 1, abs(-9223372036854775808), 3 FROM t", "integer overflow"),
        ("SELECT 1, 2, 3 FROM missing", "no such table"),
        ("DELETE FROM t RETURNING 1, 2, 3", "readonly"),
    ],
)
def test_odd_rows_are_refused(library, tmp_path, statement, reason):
    table = Database(library, tmp_path / "t.db", 1, [(1, 2, 3)])
    with pytest.raises(RowsRefusedError, match=reason):
        table.text(section("csv", statement, slots(["a", "b", "c"], ["text", "ns_us", "stamp"])))


def test_a_file_that_is_not_there_is_refused(library, tmp_path):
    with pytest.raises(RowsRefusedError, match="unable to open"):
        RowReader(library, f"file:{tmp_path / 'none.db'}?mode=ro", [])


def test_the_schema_of_the_file_is_not_trusted(library, tmp_path):
    """Functions that could do harm do not run from a view of a crafted file."""
    path = tmp_path / "crafted.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW v AS SELECT load_extension('x') AS a, 2 AS b")
        connection.commit()
    reader = RowReader(library, f"file:{path}?mode=ro", [])
    with pytest.raises(RowsRefusedError, match=r"unsafe use of load_extension|no such function"):
        reader.run([section("csv", "SELECT a, b FROM v", slots(["a", "b"], ["text", "text"]))], [], [], print, False)

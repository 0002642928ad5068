"""What is made of the bytes of a simulated run says what the program did: the warehouse, text files, traces.

More mixes of options than the suite takes are drawn with `NPUWH_EXAMPLES=500` before pytest.
"""

import csv
from collections import Counter

import rows
from file_rows import FILES
from perfetto_trace import check

from warehouse import store
from warehouse.export import Selection, export
from warehouse.export.selection import choose


def differences(expected, found):
    """What is missing and what is too much; nothing if nothing is."""
    expected, found = Counter(expected), Counter(found)
    missing, more = expected - found, found - expected
    return {"missing": sorted(missing, key=str), "more": sorted(more, key=str)} if missing or more else {}


def test_the_warehouse(run):
    found = {
        (rank.number, name): different
        for rank in run.ranks
        for name, topic in rows.TOPICS.items()
        if (different := differences(*topic(rank.truth, run.of_rank(rank))))
    }
    assert found == {}


def reader(folder):
    """A function: the rows of a CSV file as dicts, none without the file; the text of another file."""

    def read(name):
        path = folder / name
        if not name.endswith(".csv"):
            return path.read_text(encoding="utf-8")
        if not path.exists():
            return []
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    return read


def test_text_files(run, tmp_path):
    export(run.warehouse, tmp_path, ["text"])
    found = {}
    for rank in run.ranks:
        read = reader(tmp_path / rank.directory.name / "ASCEND_PROFILER_OUTPUT")
        for name, topic in FILES.items():
            expected, actual = topic(rank.truth, read, rank.options.level == "l0")
            if name == "trace_view":  # it has slices of other kinds, too
                actual = Counter(actual) & Counter(expected)
            if different := differences(expected, actual):
                found[rank.number, name] = different
    assert found == {}


def test_perfetto_loses_nothing_of_the_trace(run, perfetto, tmp_path):
    export(run.warehouse, tmp_path, ["trace"])
    connection = store.open_read(run.warehouse, query_only=False)
    try:
        check(perfetto, connection, choose(connection, Selection()), tmp_path / "trace.json")
    finally:
        connection.close()


def test_every_byte_is_accounted_for(run):
    assert run.ask("SELECT * FROM check_ledger") == []
    unread = set(run.ask("SELECT path FROM issue_named WHERE code = 'not-read'"))
    lost = run.ask("SELECT path FROM source WHERE decoded_bytes IS NULL OR decoded_bytes <> size_bytes")
    assert set(lost) == unread
    assert run.ask("SELECT sum(rejected_count) FROM source") == [(0,)]
    told = run.ask("SELECT code FROM issue_named WHERE code <> 'not-read'")  # no data: of a graph without descriptions
    assert {code for (code,) in told} <= {"lone-return", "no-data", "captured-before"}


def test_graphs_captured_before_the_recording_are_told(run):
    expected = 0
    for rank in run.ranks:
        expected += sum(launch.graph is not None and launch.op is None for launch in rank.truth.launches)
    ((found,),) = run.ask("SELECT coalesce(sum(count), 0) FROM issue WHERE code = 'captured-before'")
    assert found == expected

"""JSON that is no JSON, or holds what no profiler writes: an issue, and the profile loads."""

import json

import pytest

from warehouse.ingest import ingest
from warehouse.readers.json_text import parse_json, rank_number

_GROUPS = {
    "not JSON": '{"parallel_group_info": "{bad"}',
    "a list": '{"parallel_group_info": [1]}',
    "deep": json.dumps({"parallel_group_info": "[" * 100_000}),
    "long number": '{"parallel_group_info": "{\\"g\\": {\\"global_ranks\\": [%s]}}"}' % ("9" * 5000),
    "halves of pairs": '{"parallel_group_info": {"g\\udc00": {"group_name": "\\ud800", "global_ranks": [0]}}}',
    "no ranks": '{"parallel_group_info": {"g": {"global_ranks": [0, -1, true, "x", 1000000000000000000000000]}}}',
}


def _ingested(directory, path, name, text):
    next(directory.rglob(name)).write_bytes(text.encode())
    report = ingest([directory], path)
    assert report.exit_code == 0
    assert report.warnings >= 1
    return report


@pytest.mark.parametrize("text", _GROUPS.values(), ids=_GROUPS.keys())
def test_groups_of_the_metadata(write, ask, tmp_path, text):
    write()
    _ingested(tmp_path / "job", tmp_path / "W.db", "profiler_metadata.json", text)
    codes = {code for (code,) in ask(tmp_path / "W.db", "SELECT code FROM issue WHERE severity <> 'info'")}
    assert codes <= {"bad-json", "bad-text", "rank-number"}
    assert codes


@pytest.mark.parametrize("text", ["{bad", "[" * 100_000, '{"\\ud800": {"group_name": "a\\ud800"}}', "null"])
def test_groups_of_the_database(write, ask, change, database_of, tmp_path, text):
    (run,) = write()
    value = text.replace("'", "''")
    change(database_of(run), f"INSERT INTO META_DATA VALUES ('parallel_group_info', '{value}')")
    assert ingest([run], tmp_path / "W.db").exit_code == 0
    found = ask(tmp_path / "W.db", "SELECT table_name FROM issue WHERE code IN ('bad-json', 'bad-text')")
    assert found == [("META_DATA",)]


@pytest.mark.parametrize(
    "text",
    [
        '{"rank_id": "²"}',
        '{"rank_id": "٣"}',
        '{"rank_id": %s}' % 10**30,
        '{"rank_id": %s}' % ("9" * 5000),
        '{"rank_id": "%s"}' % ("9" * 5000),
        '{"rank_id": true}',
        '{"rank_id": 0, "torch_npu_version": "\\udc00"}',
        '{"rank_id": 0, "config": {"experimental_config": {"_profiler_level": "Level\\ud800"}}}',
        '{"rank_id": 0, "\\ud800": ["\\ud800"]}',
        "[" * 100_000,
        '{"a": ' * 900 + "1" + "}" * 900,
    ],
)
def test_profiler_info(write, ask, tmp_path, text):
    write()
    _ingested(tmp_path / "job", tmp_path / "W.db", "profiler_info_0.json", text)
    assert ask(tmp_path / "W.db", "SELECT rank_no FROM rank") == [(0,)]
    codes = {code for (code,) in ask(tmp_path / "W.db", "SELECT code FROM issue WHERE severity <> 'info'")}
    assert codes <= {"bad-description", "bad-text", "rank-number"}


def test_what_is_repaired_and_what_is_a_number():
    assert parse_json('["a\\udc00", "\\ud83d\\ude00", 12]') == (["a\ufffd", "\U0001f600", 12], 1)
    assert [rank_number(value) for value in (0, "12", -1, "-1", 2**31, 1.0, None, "²")] == [0, 12] + [None] * 6

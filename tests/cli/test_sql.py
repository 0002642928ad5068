"""`npuwh sql`: formats, files, and what it refuses."""

import csv
import io
import json
import shutil

import pyarrow.parquet
import pytest

MIXED = "SELECT 1 AS number, 'a' AS text, 0.5 AS part, NULL AS none, x'00ff' AS bytes"


def test_table(run, made):
    found = run("sql", made, MIXED)
    assert found.code == 0
    assert found.out == "number  text  part  none  bytes\n     1  a      0.5  NULL  00ff\n"


def test_table_rounds_reals_and_tells_null_from_nothing(run, made):
    statement = (
        "SELECT 1/3.0 AS a, NULL AS b, '' AS c "
        "UNION ALL SELECT 123456.789, '', NULL UNION ALL SELECT 4.0, '=x', 0.0000012"
    )
    found = run("sql", made, statement)
    assert found.out.splitlines() == [
        "       a  b           c",
        "  0.3333  NULL",
        "123456.8           NULL",
        "     4.0  =x    1.2e-06",
    ]
    exact = json.loads(run("sql", made, statement, "--format", "json").out)
    assert [row["a"] for row in exact] == [1 / 3.0, 123456.789, 4.0]
    rows = list(csv.reader(io.StringIO(run("sql", made, statement, "--format", "csv").out)))
    assert rows[1][0] == "0.3333333333333333"


@pytest.mark.parametrize(
    ("statement", "asked"),
    [
        ("SELECT kernel_nam FROM kernel_time", "did you mean kernel_name?"),
        ("SELECT k.total_n FROM kernel_time AS k", "did you mean total_ns?"),
        ("SELECT * FROM kernel_tim", "did you mean kernel_time"),
        ("SELECT * FROM device_tasks", "did you mean device_task"),
        ("SELECT zzz FROM kernel_time", "W.db kernel_time` lists the columns"),
    ],
)
def test_near_names_are_proposed(run, made, statement, asked):
    found = run("sql", made, statement)
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert asked in found.err


def test_csv(run, made):
    found = run("sql", made, MIXED, "--format", "csv")
    assert list(csv.reader(io.StringIO(found.out))) == [
        ["number", "text", "part", "none", "bytes"],
        ["1", "a", "0.5", "", "00ff"],
    ]


def test_csv_guards_against_formulas(run, made):
    found = run("sql", made, "SELECT '=1+1' AS a, '-x' AS b, -5 AS c", "--format", "csv")
    assert found.out == "a,b,c\r\n'=1+1,'-x,-5\r\n"


@pytest.mark.parametrize("text", ["-1.5", "+2", "-.5", "-3.", "-1e-05", "+7.25E3"])
def test_csv_leaves_alone_what_is_a_number_by_itself(run, made, text):
    assert run("sql", made, f"SELECT '{text}' AS a", "--format", "csv").out == f"a\r\n{text}\r\n"


@pytest.mark.parametrize("text", ["-1.5+1", "-1 2", "--1", "-", "+x", "-1e", "@1", "=1"])
def test_csv_guards_what_only_begins_as_a_number(run, made, text):
    found = run("sql", made, f"SELECT '{text}' AS a", "--format", "csv")
    assert list(csv.reader(io.StringIO(found.out)))[1] == [f"'{text}"]


def test_csv_guards_column_names(run, made):
    assert (
        run("sql", made, 'SELECT 1 AS "=a", 2 AS "-1", 3 AS "@b"', "--format", "csv").out == "'=a,-1,'@b\r\n1,2,3\r\n"
    )


def test_a_line_break_in_a_column_name_does_not_split_the_heading(run, made):
    assert run("sql", made, 'SELECT 1 AS "a\nb"').out == "a\\nb\n   1\n"


@pytest.mark.parametrize("form", ["table", "csv", "json", "parquet"])
def test_a_full_device_is_named(start, made, form):
    process = start("sql", made, "SELECT 1 AS a", "--format", form, "-o", "/dev/full")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert len(err.splitlines()) == 1, err
    assert "/dev/full: " in err
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        process = start("sql", made, "SELECT 1 AS a", "--format", form, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert len(err.splitlines()) == 1, err
    assert "standard output" in err


@pytest.mark.parametrize("form", ["table", "csv", "json", "parquet"])
def test_an_error_half_way_says_that_the_output_is_incomplete(start, run, made, form, left_over, tmp_path):
    statement = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
        "SELECT i, CASE WHEN i > 250000 THEN abs(-9223372036854775807 - 1) ELSE 0 END AS x FROM n"
    )
    process = start("sql", made, statement, "--format", form, text=False)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out
    assert len(err.splitlines()) == 1, err
    assert b"integer overflow" in err
    assert b"incomplete" in err
    found = run("sql", made, statement, "--format", form, "-o", "rows")
    assert (found.code, left_over(tmp_path)) == (2, [])
    assert "incomplete" not in found.err


def test_json(run, made):
    found = run("sql", made, f"{MIXED} UNION ALL SELECT 2, 'b', 9e999, 3, NULL", "--format", "json")
    assert json.loads(found.out) == [
        {"number": 1, "text": "a", "part": 0.5, "none": None, "bytes": "00ff"},
        {"number": 2, "text": "b", "part": None, "none": 3, "bytes": None},
    ]


def test_json_of_nothing(run, made):
    assert json.loads(run("sql", made, "SELECT 1 AS a WHERE 0", "--format", "json").out) == []


def test_mixed_types_in_one_column_stay_as_they_are(run, made):
    statement = "SELECT 1 AS a UNION ALL SELECT 'x' UNION ALL SELECT 0.5"
    assert json.loads(run("sql", made, statement, "--format", "json").out) == [{"a": 1}, {"a": "x"}, {"a": 0.5}]


def test_parquet_by_the_ending(run, made, tmp_path):
    found = run("sql", made, "SELECT id, name FROM op_named ORDER BY id", "-o", "ops.parquet")
    assert (found.code, found.out, found.err) == (0, "", "")
    table = pyarrow.parquet.read_table(tmp_path / "ops.parquet")
    assert table.column_names == ["id", "name"]
    assert table.num_rows == int(run("sql", made, "SELECT count(*) AS n FROM op").out.split()[1])


def test_an_output_file_is_replaced_only_with_force_and_by_a_whole_result(run, made, tmp_path, left_over):
    (tmp_path / "out.csv").write_text("old")
    found = run("sql", made, "SELECT 7 AS a", "-o", "out.csv")
    assert found.code == 2
    assert found.err == "npuwh: out.csv: is there already; give another -o, or replace it with --force\n"
    assert run("sql", made, "SELECT nothing_like_it FROM op", "-o", "out.csv", "--force").code == 2
    assert (tmp_path / "out.csv").read_text() == "old"
    assert run("sql", made, "SELECT 7 AS a", "-o", "out.csv", "--force").code == 0
    assert (tmp_path / "out.csv").read_text().splitlines() == ["a", "7"]
    assert left_over(tmp_path) == ["out.csv"]


def test_the_warehouse_is_not_overwritten(run, made, tmp_path):
    (tmp_path / "link.csv").symlink_to(made)
    (tmp_path / "hard.csv").hardlink_to(made)
    for target in (made, "link.csv", "hard.csv", f"{made}-journal"):
        found = run("sql", made, "SELECT 1", "--format", "csv", "-o", target, "--force")
        assert found.code == 2, target
        assert len(found.error_lines) == 1
    assert run("check", made).code == 0


def test_inputs_are_not_overwritten(run, made, profile):
    for path in [*profile.rglob("*.db"), *profile.rglob("profiler_info*.json")]:
        before = path.read_bytes()
        found = run("sql", made, "SELECT 1 AS a", "--format", "csv", "-o", path, "--force")
        assert found.code == 2, path
        assert path.read_bytes() == before
    beside = next(profile.iterdir()) / "result.csv"
    assert run("sql", made, "SELECT 1 AS a", "-o", beside).code == 2
    assert not beside.exists()


def test_a_link_that_leads_to_itself(run, made, tmp_path, left_over):
    (tmp_path / "self.csv").symlink_to("self.csv")
    found = run("sql", made, "SELECT 1 AS a", "-o", "self.csv", "--force")
    assert found.code == 2
    assert found.err == "npuwh: self.csv: is a symbolic link that leads to itself; give another -o\n"
    assert (tmp_path / "self.csv").is_symlink()


def test_nor_is_a_profile_that_the_warehouse_does_not_know(run, made, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "other")
    folder = next((tmp_path / "other").iterdir()) / "ASCEND_PROFILER_OUTPUT"
    found = run("sql", made, "SELECT 1 AS a", "-o", folder / "result.csv")
    assert found.code == 2
    assert "profiles are never written to; give another -o" in found.err
    assert not (folder / "result.csv").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM op",
        "CREATE TABLE t (a)",
        "ATTACH 'x.db' AS x",
        "PRAGMA journal_mode = WAL",
        "VACUUM INTO 'copy.db'",
        "SELECT load_extension('x')",
        "INSERT INTO string (value) VALUES ('x')",
    ],
)
def test_only_reading_is_allowed(run, made, tmp_path, statement, left_over):
    before = made.read_bytes()
    found = run("sql", made, statement)
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert made.read_bytes() == before
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("statement", ["SELEC 1", "SELECT * FROM nowhere", "", "SELECT 1; SELECT 2"])
def test_sql_that_does_not_run_is_one_line(run, made, statement):
    found = run("sql", made, statement)
    assert found.code == 2
    assert found.out == ""
    assert len(found.error_lines) == 1


def test_an_unknown_format(run, made):
    found = run("sql", made, "SELECT 1", "--format", "xml")
    assert found.code == 2
    assert "table, csv, json, parquet" in found.err


def test_a_place_that_cannot_be_written(run, made, tmp_path):
    found = run("sql", made, "SELECT 1 AS a", "-o", tmp_path / "none" / "out.csv")
    assert found.code == 2
    assert len(found.error_lines) == 1


def test_the_hint_names_the_file_that_was_asked(run, made, tmp_path):
    shutil.copyfile(made, tmp_path / "mine.db")
    found = run("sql", "mine.db", "SELECT zzzzzz FROM kernel_time")
    assert found.code == 2
    assert found.err.endswith("; `npuwh views mine.db kernel_time` lists the columns\n")


def test_shapes_are_shown_without_the_quotes_that_they_are_stored_in(run, made):
    statement = "SELECT input_shapes FROM kernel_shape_time WHERE input_shapes LIKE '\"%' LIMIT 1"
    (stored,) = json.loads(run("sql", made, statement, "--format", "json").out)
    _, shown = run("sql", made, statement).out.splitlines()
    assert stored["input_shapes"] == f'"{shown}"'

"""Several commands on one warehouse at the same time."""

import json
import sqlite3
import time
from contextlib import closing

import pytest

from warehouse.sample import write_profile
from warehouse.sample.inflate import inflate


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    directory = tmp_path_factory.mktemp("larger") / "job"
    inflate(directory, 60_000)
    return directory


def ranks(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM rank").fetchone()[0]


def test_two_ingests_into_one_new_file(start, run, profile, larger, tmp_path, left_over):
    started = [start("ingest", larger, "-o", "W.db") for _ in range(2)]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in started]
    assert 0 in {code for *_, code in ended}
    for _, err, code in ended:
        assert code in (0, 2)
        assert code == 0 or (len(err.splitlines()) == 1 and "W.db" in err), err
    assert left_over(tmp_path) == ["W.db"]
    assert run("check", "W.db").code == 0


def test_two_ingests_that_add_to_one_file(start, run, profile, larger, tmp_path, left_over):
    write_profile(tmp_path / "other", ranks=1, steps=1, seed=5)
    assert run("ingest", profile, "-o", "W.db").code == 0
    started = [start("ingest", source, "-o", "W.db") for source in (larger, "other")]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in started]
    for _, err, code in ended:
        assert code in (0, 2)
        assert code == 0 or (len(err.splitlines()) == 1 and "another process is writing" in err), err
    assert [name for name in left_over(tmp_path) if not name.startswith("other/")] == ["W.db"]
    assert ranks("W.db") >= 3
    assert run("check", "W.db").code in (0, 1)


def test_reading_while_an_ingest_adds(start, run, profile, larger, tmp_path):
    assert run("ingest", profile, "-o", "W.db").code == 0
    process = start("ingest", larger, "-o", "W.db")
    seen, deadline = set(), time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        for verb in (
            ("info", "W.db", "--json"),
            ("sql", "W.db", "SELECT count(*) AS n FROM op"),
            ("export", "W.db", "--to", "out", "--run", "1", "op_statistic"),
        ):
            found = run(*verb)
            assert found.code == 0 or (len(found.error_lines) == 1 and "another process is writing" in found.err), found
            if verb[0] == "info" and found.code == 0:
                seen.add(len(json.loads(found.out)["ranks"]))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (out, err)
    assert seen <= {2, ranks("W.db")}
    assert run("check", "W.db").code in (0, 1)

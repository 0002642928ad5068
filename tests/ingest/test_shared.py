"""Profiles of real devices and of the vendor's own tools, which are not part of the project."""

from pathlib import Path

import pytest

from warehouse.ingest import ingest

SHARED = Path(__file__).parents[3] / "shared" / "data"
REAL = SHARED / "msinsight" / "test" / "data" / "pytorch" / "db"
FIXTURE = SHARED / "msinsight" / "server" / "src" / "test" / "test_data"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not REAL.is_dir(), reason="needs the profiles in ../shared"),
]


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    path = tmp_path_factory.mktemp("real") / "W.db"
    assert ingest([REAL], path).exit_code == 0
    return path


def test_real_databases_balance(real, ask):
    assert ask(real, "SELECT count(*) FROM rank") == [(4,)]
    assert ask(real, "SELECT * FROM source_table WHERE record_count <> loaded_count + rejected_count") == []
    issues = "SELECT DISTINCT table_name, code FROM issue ORDER BY 1"
    added = ["OVERLAP_ANALYSIS", "connectionCats", "status_info"]  # by a viewer, to level1/rank0
    assert ask(real, issues) == [(name, "unknown-table") for name in added]


def test_real_steps_equal_their_analysis(real, ask):
    ours = """SELECT t.rank_id, cast(s.step_no AS TEXT), computing_ns, communication_not_overlapped_ns,
        communication_ns, t.free_ns, last_end_ns - first_start_ns - bubble_ns, first_start_ns - s.start_ns
        FROM step_time t JOIN step s ON s.id = t.step_id ORDER BY 1, 2"""
    theirs = """SELECT rank_id, step, round(computing * 1000), round(communication_not_overlapped * 1000),
        round(communication * 1000), round(free * 1000), round(stage * 1000), round(preparing * 1000)
        FROM reference_step ORDER BY 1, 2"""
    assert ask(real, ours) == ask(real, theirs) != []


def test_real_links(real, ask):
    """As many as a search by containment in the dequeues finds (236 a rank), events included."""
    vendor = """SELECT rank_id, count(*) FROM (SELECT rank_id, link_rule_id FROM device_task
        UNION ALL SELECT rank_id, link_rule_id FROM comm_op) WHERE link_rule_id = 1 GROUP BY 1"""
    assert [count for _, count in ask(real, vendor)] == [236] * 4


def test_a_trimmed_fixture_of_another_tool(ask, tmp_path):
    report = ingest([FIXTURE / "full_db"], tmp_path / "W.db")
    assert report.exit_code == 0
    balanced = "SELECT count(*) FROM source_table WHERE record_count <> loaded_count + rejected_count"
    assert ask(tmp_path / "W.db", balanced) == [(0,)]
    assert ask(tmp_path / "W.db", "SELECT directory FROM rank") == [("msprof_0_ascend_pt",)]


def test_every_gold_scenario_agrees_with_its_own_analysis(ask, tmp_path):
    scenarios = sorted(path for path in (SHARED / "gold").iterdir() if path.is_dir())
    assert scenarios
    for scenario in scenarios:
        path = tmp_path / f"{scenario.name}.db"
        report = ingest([scenario / "expected"], path)
        assert (report.exit_code, report.rejected) == (0, 0), scenario.name
        ours = "SELECT rank_id, device_id, kind, start_ns, end_ns FROM busy_interval ORDER BY 1, 2, 3, 4"
        assert ask(path, ours) == ask(path, ours.replace("busy_interval", "reference_overlap")), scenario.name
        ours = """SELECT t.rank_id, cast(s.step_no AS TEXT), computing_ns, communication_ns, t.free_ns
            FROM step_time t JOIN step s ON s.id = t.step_id ORDER BY 1, 2"""
        theirs = """SELECT rank_id, step, round(computing * 1000), round(communication * 1000), round(free * 1000)
            FROM reference_step ORDER BY 1, 2"""
        assert ask(path, ours) == ask(path, theirs), scenario.name

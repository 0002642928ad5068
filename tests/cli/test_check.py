"""`npuwh check`: a line a finding, exit code 1 if there is one."""

import pytest


def test_a_whole_warehouse_has_no_findings(run, made):
    found = run("check", made)
    assert found.out == f"{made}: no findings\n"
    assert found.code == 0


@pytest.mark.parametrize(
    ("statement", "start"),
    [
        ("UPDATE source SET loaded_count = loaded_count - 1 WHERE id = 1", "ledger: source_id 1,"),
        (
            "UPDATE op SET name_id = 987654 WHERE id > 3 AND id <= 5",
            "ids: op.name_id points at no row of string in 2 rows, the first with id 4",
        ),
        (
            "DELETE FROM op WHERE id = (SELECT min(op_id) FROM device_task)",
            "ids: device_task.op_id points at no row of op in ",
        ),
        (
            "UPDATE op_work SET id = -1 WHERE id = (SELECT min(id) FROM op_work)",
            "ids: op_work.id points at no row of op in 1 row, the first with id -1",
        ),
        (
            "UPDATE op SET stack_id = 987654 WHERE id = 5",
            "ids: op.stack_id points at no row of stack_frame in 1 row, the first with id 5",
        ),
        ("UPDATE op SET end_ns = start_ns - 1 WHERE id = 5", "time_order: table_name op,"),
        ("INSERT INTO issue (severity, code, text, count, rejected_count) VALUES ('error', 'x', 'y', 1, 0)", "issue: "),
        ("DROP VIEW kernel_time", "views: kernel_time "),
    ],
)
def test_findings(run, changed, statement, start):
    found = run("check", changed(statement))
    assert found.code == 1
    lines = found.out.splitlines()
    assert any(line.startswith(start) for line in lines)
    assert lines[-1].endswith(": 1 finding" if len(lines) == 2 else f": {len(lines) - 1} findings")


def test_a_damaged_page_is_found(run, made, tmp_path):
    content = bytearray(made.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20_000] = b"\xff" * 20_000
    (tmp_path / "torn.db").write_bytes(content)
    found = run("check", "torn.db")
    assert found.code == 1
    assert found.out.startswith("integrity: ")
    assert found.err == ""

"""`npuwh demo`: the main job in an empty folder."""

import json

from warehouse.export.placing import LIST_NAME


def test_demo_tells_and_makes_what_it_says(run, tmp_path):
    found = run("demo")
    assert (found.code, found.err) == (0, "")
    for text in ("SimNPU", "MatMul", "step_no", "npuwh-demo/demo.db", "npuwh-demo/results/trace.json"):
        assert text in found.out
    headings = [line.split() for line in found.out.splitlines() if line.startswith("  rank_no")]
    assert [heading[:2] for heading in headings] == [["rank_no", "kernel_name"], ["rank_no", "step_no"]]
    steps = found.out.partition("step_breakdown):\n")[2].partition("\n\n")[0].splitlines()[1:]
    for _, _, whole, *parts in (map(int, line.split()) for line in steps):
        assert whole == sum(parts)
    json.loads((tmp_path / "npuwh-demo/results/trace.json").read_text())
    assert run("check", "npuwh-demo/demo.db").code == 0


def test_twice_in_the_same_place_changes_nothing(run, tmp_path, left_over):
    first = run("demo", "--to", "here")
    names = [name for name in left_over(tmp_path) if not name.endswith(LIST_NAME)]  # tells when files were written
    before = {name: (tmp_path / name).read_bytes() for name in names}
    second = run("demo", "--to", "here")
    assert first == second
    assert {name: (tmp_path / name).read_bytes() for name in names} == before
    assert len(left_over(tmp_path)) == len(names) + 1


def test_a_file_in_the_way_is_not_touched(run, tmp_path):
    (tmp_path / "npuwh-demo").mkdir()
    (tmp_path / "npuwh-demo" / "demo.db").write_text("mine")
    found = run("demo")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert (tmp_path / "npuwh-demo" / "demo.db").read_text() == "mine"


def test_a_profile_of_somebody_else_is_not_taken_for_the_demo(run, tmp_path):
    (tmp_path / "npuwh-demo" / "profile" / "mine").mkdir(parents=True)
    found = run("demo")
    assert found.code == 2
    assert "--to" in found.err
    assert sorted(path.name for path in (tmp_path / "npuwh-demo").iterdir()) == ["profile"]

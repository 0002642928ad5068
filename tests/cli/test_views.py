"""`npuwh views`: the list and one view."""

from warehouse import store


def names_in(text):
    return {line.split()[0] for line in text.splitlines() if line.startswith("  ")}


def test_the_list_has_the_questions_and_tells_what_it_leaves_out(run, made):
    found = run("views", made)
    assert found.code == 0
    headings = [line for line in found.out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[0] == "device:"
    assert set(headings) == {f"{room}:" for room in store.rooms(store.QUESTIONS)}
    shown = {view.name for view in store.views().values() if view.room in store.QUESTIONS}
    assert names_in(found.out) - {"view"} == shown
    hidden = len(store.views()) - len(shown)
    assert f"Not listed: {hidden} views (" in found.out
    assert "--all lists them" in found.out
    assert "Device time of each kernel name on each rank\n" in found.out


def test_the_list_tells_which_have_rows(run, made, changed):
    def rows_of(warehouse):
        lines = [line.split() for line in run("views", warehouse).out.splitlines() if line.startswith("  ")]
        return {name: rows for name, rows, *_ in lines}

    found = rows_of(made)
    assert found["kernel_time"] == found["op_time"] == "yes"
    assert found["recording_gap"] == "none"
    emptied = rows_of(changed("DELETE FROM kernel_total"))
    assert {name for name in found if found[name] != emptied[name]} == {"kernel_time", "kernel_shape_time"}


def test_a_view_that_takes_long_is_not_waited_for(run, made, monkeypatch):
    monkeypatch.setattr("warehouse.cli.views._LONGEST_LOOK", -1.0)
    monkeypatch.setattr("warehouse.store.row_look._STEPS_BETWEEN_LOOKS", 1)
    found = run("views", made)
    assert found.code == 0
    assert "  ?     " in found.out


def test_all_lists_every_view(run, made):
    found = run("views", made, "--all")
    assert names_in(found.out) - {"view"} == set(store.views())
    assert "Not listed" not in found.out


def test_only_the_first_sentence_is_listed(run, made):
    for view in store.views().values():
        assert view.purpose.startswith(view.summary)
        assert ". " not in view.summary.replace("e.g. ", ""), view.name
        assert f"{view.summary}\n" in run("views", made, "--all").out if view.name == "op_named" else True


def test_tables_are_listed_and_explained(run, made):
    found = run("views", made, "--tables")
    assert found.code == 0
    assert [line.split()[0] for line in found.out.splitlines()[1:]] == list(store.TABLES)
    found = run("views", made, "step")
    assert found.out.startswith("step (table)\nOne training step: ")
    assert "start_ns         integer  no    ns    start on the host, Unix epoch\n" in found.out
    assert "indexes:  rank_id, step_no\n" in found.out
    assert "step_breakdown" in found.out


def test_one_view_shows_columns_and_units(run, made):
    found = run("views", made, "kernel_time")
    assert found.code == 0
    assert found.out.startswith("kernel_time (view, room device)\n")
    assert "total_ns" in found.out
    assert "sum of durations; overlapping kernels count twice" in found.out


def test_an_unknown_view(run, made):
    found = run("views", made, "kernel_tme")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "there is no view or table 'kernel_tme'" in found.err
    assert "did you mean kernel_time" in found.err

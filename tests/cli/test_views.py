"""`npuwh views`: the list and one view."""

from warehouse import store


def test_the_list_has_every_view_with_its_purpose(run, made):
    found = run("views", made)
    assert found.code == 0
    for view in store.views().values():
        assert view.name in found.out
    assert "kernel_time" in found.out
    assert "Device time of each kernel name on each rank." in found.out


def test_one_view_shows_columns_and_units(run, made):
    found = run("views", made, "kernel_time")
    assert found.code == 0
    assert found.out.startswith("kernel_time (device)\n")
    assert "total_ns" in found.out
    assert "sum of durations; overlapping kernels count twice" in found.out


def test_an_unknown_view(run, made):
    found = run("views", made, "no_such_view")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "no_such_view" in found.err

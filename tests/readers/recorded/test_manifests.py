"""Manifests with every odd value: what is right of them is used, the rest is told, and times stay what they are."""

from __future__ import annotations

import json

import pytest
from recordings import RANGES, manifest

from warehouse.errors import InputError

FAULTY = {
    "anchors": [5, "abc", {"a": 1}, [5], [[1, 2]], [[10**30] * 3, [10**31] * 3], [[True, False, True]],
                [[-(10**18)] * 3, [10**18] * 3], [[1, 1, 1], [1, 1, 1]]],
    "state": [5, None, "zzz", []],
    "ticks": ["zzz", 7],
    "ended_by": ["somebody", 7],
    "reason": [7, []],
    "lost": [[1], {"events": 2**63}, {"frames": -5}, {"events": "x"}],
    "pid": [10**30, -5, 0, True, "x"],
    "facts": [5, []],
    "chunks": [5, [5], [{"file": "../../x", "rows": 3}], [{"file": "op-000001.arrows", "rows": -1}]],
    "ticks_per_second": [0, -1, "x", 1e300, True],
}  # fmt: skip
CASES = [(name, value) for name, values in FAULTY.items() for value in values]


@pytest.fixture
def times(sound, loaded):
    return loaded(sound).rows("SELECT start_ns, end_ns FROM op ORDER BY id")


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_value_that_cannot_be_is_told_and_costs_nothing_else(run, loaded, times, name, value):
    manifest(run, **{name: value})
    found = loaded(run)
    assert found.rows("SELECT start_ns, end_ns FROM op ORDER BY id") == times
    assert found.issues("bad-manifest")
    assert all("\n" not in text and len(text) < 200 for text, _, _ in found.issues("bad-manifest"))
    assert found.is_balanced()


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\0" * 500, b"[" * 100_000, b'{"pid":' + b"9" * 5000 + b"}", b"\xff\xfe{}", b'{"a":', None],
)
def test_a_manifest_that_is_none_costs_nothing_else(run, loaded, times, content):
    path = run / "NPUWH_RECORDING" / "manifest.json"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    found = loaded(run)
    assert found.rows("SELECT start_ns, end_ns FROM op ORDER BY id") == times
    assert found.warnings() == {"bad-manifest", "incomplete-recording"}


@pytest.mark.parametrize("shift", [10**13, -(10**13)])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("clock", [0, 1])
def test_anchors_that_contradict_those_of_the_chunks_are_not_used(run, loaded, times, shift, place, clock):
    anchors = json.loads((run / "NPUWH_RECORDING" / "manifest.json").read_text())["anchors"]
    anchors[place][clock] += shift
    manifest(run, anchors=anchors)
    found = loaded(run)
    assert found.rows("SELECT start_ns, end_ns FROM op ORDER BY id") == times
    assert {"bad-anchor", "bad-manifest"} & found.warnings()


@pytest.mark.parametrize("told", [1, 3, 99])
def test_another_format_is_one_line(run, loaded, told):
    manifest(run, format=told)
    with pytest.raises(InputError, match=f"is a recording of format {told}, and this npuwh reads format 2; ingest it"):
        loaded(run)


@pytest.mark.parametrize(
    ("ended_by", "state", "reason"),
    [
        ("disk full", "disk-error", "the disk was full (/x: No space left on device)"),
        ("disk limit", "disk-budget", "its limit of disk space was reached (/x: No space left on device)"),
        (None, "disk-error", "/x: No space left on device"),
    ],
)
def test_why_it_ended_early_is_told(run, loaded, ended_by, state, reason):
    manifest(run, ended_by=ended_by or "", state=state, reason="/x: No space left on device")
    assert loaded(run).issues("incomplete-recording") == [(f"the recording ends early: {reason}", 1, 0)]


def test_a_killed_process_is_told(run, loaded):
    manifest(run, state="recording", ended_by="")
    text = "the recording ends early: its process ended before it could complete it"
    assert loaded(run).issues("incomplete-recording") == [(text, 1, 0)]


def test_many_missing_chunks_are_few_issues(run, loaded):
    chunks = json.loads((run / "NPUWH_RECORDING" / "manifest.json").read_text())["chunks"]
    chunks += [{"file": f"op-{number:06}.arrows", "rows": 3} for number in range(1000, 4000)]
    manifest(run, chunks=chunks)
    assert [count for _, count, _ in loaded(run).issues("missing-chunk")] == [1, 1, 1, 2997]


def test_without_any_anchor_nothing_is_loaded_as_times(run, loaded):
    manifest(run, anchors=[])
    for path in run.glob("NPUWH_RECORDING/anchor-*"):
        path.unlink()
    with pytest.raises(InputError, match="nothing tells what its times mean"):
        loaded(run)


@pytest.mark.parametrize("anchors", [1, 2])
def test_one_anchor_and_the_measured_rate_give_right_lengths(run, loaded, times, anchors):
    content = json.loads((run / "NPUWH_RECORDING" / "manifest.json").read_text())
    first = content["anchors"][0]
    later = [first[0] + 3, first[1] + 1, first[2] + 1]  # too close to tell a rate
    manifest(run, anchors=[first, later][:anchors], chunks=[c for c in content["chunks"] if c["table"] != "anchor"])
    for path in run.glob("NPUWH_RECORDING/anchor-*"):
        path.unlink()
    found = loaded(run)
    lengths = [end - start for start, end in found.rows("SELECT start_ns, end_ns FROM op ORDER BY id")]
    assert len(lengths) == RANGES
    assert lengths == pytest.approx([end - start for start, end in times], rel=1e-3, abs=2)
    ((text, _, _),) = found.issues("short-clock")
    assert text.endswith("lengths are right within 0.0002")

"""Damaged PROF streams: nothing crashes, every byte is accounted for, only what is damaged is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from prof_forms import FORMS
from prof_reading import read, write_slices
from prof_records import Form

_BY_KIND = {(form.stream, form.kind, str(form.options)): form for form in FORMS}
_MARKED = [form for form in _BY_KIND.values() if "_magic" in form.fixed]
_UNMARKED = [form for form in _BY_KIND.values() if "_magic" not in form.fixed and form.kind != "expand_stream_spec"]


def _name(form: Form) -> str:
    return f"{form.kind}{form.options.get('version', '')}"


def _records(form: Form, count: int) -> tuple[list[bytes], list[dict]]:
    rng = random.Random(form.kind)
    made = [form.make(rng) for _ in range(count)]
    return [blob for blob, _ in made], [row for _, row in made]


def _rows(form: Form, folder: Path, blobs: list[bytes], first: int = 0) -> tuple[list[dict], dict[str, int]]:
    reading = read(form.stream, write_slices(folder, f"{form.stream}.data.0", blobs, first), **form.options)
    return reading.rows.get(form.kind, []), reading.faults


@pytest.mark.parametrize("form", FORMS, ids=_name)
def test_a_cut_tail_costs_one_record(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 2)
    whole = b"".join(blobs)
    for size in range(len(whole) + 1):
        found, faults = _rows(form, tmp_path, [whole[:size]])
        assert found == rows[: size // form.size]
        assert faults == ({"truncated_tail": 1} if size % form.size else {})


@pytest.mark.parametrize("form", _MARKED, ids=_name)
def test_a_dropped_front_costs_one_record(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 8)
    whole = b"".join(blobs)
    for dropped in range(1, form.size):
        found, faults = _rows(form, tmp_path, [whole[dropped:]], first=3)
        assert found == rows[1:]
        assert faults.keys() <= {"damaged_record", "front_partial"}


@pytest.mark.parametrize("form", _UNMARKED, ids=_name)
def test_a_dropped_front_is_skipped_where_the_ring_began_anew(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 64)
    whole = b"".join(blobs)
    for dropped in (1, form.size // 2, form.size - 1):
        found, faults = _rows(form, tmp_path, [whole[dropped : 7 * form.size + 5], whole[7 * form.size + 5 :]], first=3)
        assert found == rows[1:]
        assert faults == {"front_partial": 1}


@pytest.mark.parametrize("form", _MARKED, ids=_name)
def test_bytes_in_between_cost_no_other_record(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 12)
    for junk in (b"\0", b"\xff" * 13, b"\x5a" * 31, bytes(1000)):
        found, faults = _rows(form, tmp_path, [b"".join(blobs[:5]) + junk + b"".join(blobs[5:])])
        assert found == rows
        assert faults == {"damaged_record": 1}


@pytest.mark.parametrize("form", _MARKED, ids=_name)
def test_a_damaged_mark_costs_its_record(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 9)
    place = 0 if form.format.startswith("HHIIIQ") else 2
    damaged = bytearray(blobs[4])
    damaged[place] ^= 0xFF
    found, faults = _rows(form, tmp_path, [b"".join([*blobs[:4], bytes(damaged), *blobs[5:]])])
    assert found in (rows[:4] + rows[5:], rows)  # a mark that is not asked for may be wrong
    assert faults in ({"damaged_record": 1}, {})


@pytest.mark.parametrize("form", FORMS, ids=_name)
def test_empty_missing_and_foreign_files(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 2)
    paths = write_slices(tmp_path, form.stream, [b"", blobs[0], b"", blobs[1], b""])
    assert read(form.stream, paths, **form.options).rows[form.kind] == rows
    assert read(form.stream, [], **form.options).rows == {}
    reading = read(form.stream, [tmp_path / "nothing"], **form.options)
    assert reading.rows == {}
    assert set(reading.faults) == {"file_missing"}
    reading = read(form.stream, [Path("/dev/zero")], **form.options)
    assert (reading.rows, set(reading.faults)) == ({}, {"file_not_regular"})


@pytest.mark.parametrize("form", FORMS, ids=_name)
def test_random_damage_is_accounted_for(form: Form, tmp_path: Path):
    rng = random.Random(form.kind)
    blobs, _ = _records(form, 20)
    for _ in range(40):
        whole = bytearray(b"".join(rng.sample(blobs, 20)))
        for _ in range(rng.randrange(1, 12)):
            action, at = rng.randrange(4), rng.randrange(len(whole))
            if action == 0:
                whole[at] ^= 1 << rng.randrange(8)
            elif action == 1:
                del whole[at : at + rng.randrange(1, 100)]
                whole = whole or bytearray(1)
            elif action == 2:
                whole[at:at] = rng.randbytes(rng.randrange(1, 100))
            else:
                whole[at : at + 8] = b"\xff" * 8
        middle = rng.randrange(len(whole))
        paths = write_slices(tmp_path, form.stream, [bytes(whole[:middle]), bytes(whole[middle:])], rng.randrange(2))
        reading = read(form.stream, paths, window_bytes=4096, batch_rows=3, **form.options)
        files = reading.ledger["files"]
        assert all(file["bytes_seen"] == file["size_bytes"] for file in files)
        assert sum(fault["bytes"] for fault in reading.ledger["faults"]) == reading.ledger["bytes_rejected"]


@pytest.mark.parametrize("form", FORMS, ids=_name)
def test_nothing_is_joined_across_a_missing_slice(form: Form, tmp_path: Path):
    blobs, rows = _records(form, 90)
    whole, size = b"".join(blobs), form.size
    slices = [whole[: 30 * size + 5], whole[30 * size + 5 : 60 * size + 7], whole[60 * size + 7 :]]
    paths = write_slices(tmp_path, f"{form.stream}.data.0", slices)
    assert read(form.stream, paths, **form.options).rows[form.kind] == rows
    reading = read(form.stream, [paths[0], paths[2]], batch_rows=10, **form.options)
    assert reading.rows[form.kind] == rows[:30] + rows[61:]
    assert reading.faults["missing_slice"] == 1
    assert [file["bytes_seen"] for file in reading.ledger["files"]] == [len(slices[0]), len(slices[2])]

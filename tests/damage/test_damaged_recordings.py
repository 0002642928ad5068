"""Recordings damaged in every way that files can be: whatever is wrong, an ingest ends soon, with what can be had, and
every loss is told.

`NPUWH_DAMAGES=2000 pytest tests/damage/test_damaged_recordings.py` tries more of them.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from damages import OF_DATA, OF_FOLDERS, Done, data_files

from warehouse.batches.recorded import RECORDED
from warehouse.errors import InputError
from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent.parent / "readers" / "recorded"))

from recordings import RANGES, chunk_bytes, record

TRIED = int(os.environ.get("NPUWH_DAMAGES", "40"))
LONGEST = 60  # seconds that one ingest may take
LARGEST = 400 << 20  # bytes that the test's process may grow by
TABLES = ("op", "mark", "python_call", "gc_event", "thread")


def swapped(rng, root):
    """Two chunks have each other's names."""
    path, other = rng.sample(chunks(root), 2)
    content = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)
    return Done(f"{path.name} and {other.name} swapped", [path, other])


def twice(rng, root):
    path = rng.choice(chunks(root))
    target = path.with_name(f"{path.name.partition('-')[0]}-{rng.choice((0, 7, 999_999)):06}.arrows")
    shutil.copy(path, target)
    return Done(f"{path.name} again as {target.name}", [target])


def endless(rng, root):
    """A file of a terabyte that takes no room on the disk."""
    path = rng.choice(data_files(root))
    os.truncate(path, path.stat().st_size + (1 << 30))
    return Done(f"{path.name} has a gigabyte of zeros behind it", [path])


def other_schema(rng, root):
    path = rng.choice(chunks(root))
    with pa.OSFile(str(path), "w") as file, pa.ipc.new_stream(file, pa.schema([("x", pa.int64())])) as writer:
        writer.write_batch(pa.record_batch([pa.array(range(5))], ["x"]))
    return Done(f"{path.name} has one column", [path])


def without_sums(rng, root):
    """As another writer of the format writes it: compressed, with dictionaries, in one batch."""
    path = rng.choice(chunks(root))
    with pa.OSFile(str(path)) as file:
        table = pa.ipc.open_stream(file).read_all()
    kind = rng.choice(("plain", "lz4", "dictionary"))
    if kind == "dictionary":
        table = table.set_column(0, table.schema.names[0], table.column(0).dictionary_encode())
    options = pa.ipc.IpcWriteOptions(compression="lz4" if kind == "lz4" else None)
    with pa.OSFile(str(path), "w") as file, pa.ipc.new_stream(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return Done(f"{path.name} {kind} and without sums", [path])


def tiny_batches(rng, root):
    """A row a batch, some thousand of them."""
    path = rng.choice(chunks(root))
    table = path.name.partition("-")[0]
    with pa.OSFile(str(path)) as file:
        rows = pa.ipc.open_stream(file).read_all().to_pylist()
    batches = [{name: [row[name]] for name in row} for row in rows[:50]] * (3000 // max(len(rows[:50]), 1))
    path.write_bytes(chunk_bytes(table, batches))
    return Done(f"{path.name} as {len(batches)} batches", [path])


def noise_with_sums(rng, root):
    """Numbers without sense, as somebody may write them."""
    path = rng.choice(chunks(root))
    name = path.name.partition("-")[0]
    with pa.OSFile(str(path)) as file:
        columns = pa.ipc.open_stream(file).read_all().to_pydict()
    column = rng.choice([each.name for each in RECORDED[name] if each.type != pa.binary()])
    bits = RECORDED[name].field(column).type.bit_width
    is_signed = pa.types.is_signed_integer(RECORDED[name].field(column).type)
    for _ in range(rng.choice((1, 1, 5, 50))):
        number = rng.getrandbits(bits) >> rng.randrange(bits)
        columns[column][rng.randrange(len(columns[column]))] = number - (1 << bits - 1) if is_signed else number
    path.write_bytes(chunk_bytes(name, [columns]))
    return Done(f"{path.name}: noise in {column}", [path])


def chunks(root: Path) -> list[Path]:
    return [path for path in data_files(root) if path.name.endswith(".arrows")]


OWN = (swapped, twice, endless, other_schema, without_sums, tiny_batches, noise_with_sums, noise_with_sums)
SHARED = [*OF_DATA.values(), *(OF_FOLDERS[name] for name in ("file_removed", "linked", "dangling", "pipe"))]
# what changes the meaning of what is there and still is a recording that can be: nobody can tell it
BELIEVED = ("tiny_batches", "noise_with_sums")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    run = record(tmp_path_factory.mktemp("sound") / "host_1_20260101000000000_ascend_pt")
    ingest([run], run.parent / "W.db")
    return run, counts(run.parent / "W.db")


def counts(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


@pytest.mark.parametrize("seed", range(TRIED))
def test_damage_is_told_and_costs_what_it_hits(sound, tmp_path, seed):
    whole, expected = sound
    assert expected["op"] == RANGES
    run = Path(shutil.copytree(whole, tmp_path / "in" / whole.name))
    rng = random.Random(seed)
    damage = rng.choice([*OWN, *OWN, *SHARED])
    done = damage(rng, run)
    before, made = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, tmp_path / "W.db"
    began = time.monotonic()
    old = signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"{done.text}: it hangs"))
    signal.alarm(LONGEST)
    refused = ""
    try:
        ingest([run], made)
    except InputError as error:
        refused = str(error)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
    assert "fault of npuwh" not in refused, done.text
    assert "\n" not in refused
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < LARGEST, done.text
    assert time.monotonic() - began < LONGEST
    if refused:
        return
    connection = sqlite3.connect(made)
    told = connection.execute("SELECT count(*) FROM issue WHERE code NOT IN ('no-prof', 'not-read')").fetchone()[0]
    if damage.__name__ not in BELIEVED:
        assert told or counts(made) == expected, done.text
    unbooked = "SELECT path FROM source WHERE record_count <> loaded_count + rejected_count"
    assert connection.execute(unbooked).fetchall() == [], done.text
    unbooked = "SELECT path FROM source WHERE decoded_bytes + rejected_bytes <> size_bytes AND kind = 'recorded chunk'"
    assert connection.execute(unbooked).fetchall() == [], done.text

"""Damaged run directories: read as far as they can be, and what is lost is told.

Longer with `NPUWH_EXAMPLES=5000` before pytest.
"""

import os
import random
import resource
import subprocess
import sys
from contextlib import suppress

import pytest
from damages import EVERY, OF_DATA, slices

from warehouse.errors import InputError

EXAMPLES = int(os.environ.get("NPUWH_EXAMPLES", "40"))
MOST_MEMORY = 1 << 20  # KiB; a sound run of this size takes a quarter of it
LONGEST_RECORD = 512
# damage that touches a few places: how many bytes each touches, and how many places
LOCAL = (
    "flipped_bits",
    "overwritten",
    "largest_numbers",
    "inserted",
    "deleted_bytes",
    "appended",
    "cut_off",
    "cut_before",
)


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_it_is_read_and_what_is_lost_is_told(whole, copied, loaded, tmp_path, seed):
    rng = random.Random(seed)
    root = copied(rng.choice(whole))
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        with suppress(IndexError, ValueError, OSError):  # nothing of the kind is left to be damaged
            done.append(EVERY[rng.choice(sorted(EVERY))](rng, root).text)
    ask, refused = None, ""
    try:
        ask = loaded()
    except InputError as error:
        refused = str(error)
    if ask is None:  # for a good reason, in one line
        assert refused
        assert "\n" not in refused
        assert not (tmp_path / "W.db").exists()
        return
    assert ask("PRAGMA integrity_check") == [("ok",)], done
    assert ask("SELECT * FROM check_ledger") == [], done
    unaccounted = "state = 'used' AND decoded_bytes IS NULL"
    # damage that lies on both sides of a cut is told of the slice in which it begins
    told = "SELECT 1 FROM issue i LEFT JOIN source_table t ON t.name = i.table_name"
    told += " WHERE i.source_id = source.id OR t.source_id = source.id"
    untold = f"rejected_bytes > 0 AND NOT EXISTS ({told})"
    assert ask(f"SELECT path FROM source WHERE {unaccounted} OR {untold}") == [], done
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_MEMORY, done


def expected_loss(name, before, after):
    """(bytes touched, places) of a local damage."""
    if name in ("flipped_bits", "overwritten", "largest_numbers"):
        changed = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        places = len(changed) if name == "flipped_bits" else min(len(changed), 1)
        return len(changed), places
    return max(0, len(after) - len(before)), 1


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_only_what_is_damaged_is_lost(whole, copied, loaded, seed):
    rng = random.Random(seed)
    root = copied(rng.choice(whole))
    before = {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    name = rng.choice(LOCAL)
    done = OF_DATA[name](rng, root)
    (path,) = done.files
    touched, places = expected_loss(name, before[path], path.read_bytes())
    ask = loaded()
    ((rejected,),) = ask("SELECT rejected_bytes FROM source WHERE path = ?", str(path))
    if not ask("SELECT 1 FROM issue_named WHERE path = ? AND code IN ('not-read', 'unsupported-form')", str(path)):
        # the record that holds a place, and one that was taken for a part of it
        assert rejected <= touched + 2 * places * LONGEST_RECORD, done.text
    ((others,),) = ask(
        "SELECT count(*) FROM source WHERE path <> ? AND rejected_bytes > 0"
        " AND NOT EXISTS (SELECT 1 FROM issue WHERE source_id = source.id AND code = 'not-read')", str(path),
    )  # fmt: skip
    assert others == 0, done.text


@pytest.mark.parametrize("cut", [1, 12, 63, 64, 65, 640])
def test_a_cut_log_loses_the_tasks_of_its_records(whole, copied, loaded, cut):
    """64 bytes a record, two records a task."""
    rank = whole[1]
    root = copied(rank)
    (log,) = root.rglob("stars_soc.data.0.slice_0")
    size = log.stat().st_size
    os.truncate(log, size - cut)
    ask = loaded()
    kept = (size - cut) // 64
    ((tasks,),) = ask("SELECT count(*) FROM device_task")
    whole_tasks = len(rank.truth.tasks)
    assert whole_tasks - (size // 64 - kept) <= tasks < whole_tasks
    found = set(ask("SELECT stream_no, task_no, start_ns, end_ns FROM device_task"))
    assert found <= {(row.stream_no, row.task_no, row.start_ns, row.end_ns) for row in rank.truth.tasks}
    ((rejected, decoded),) = ask("SELECT rejected_bytes, decoded_bytes FROM source WHERE path = ?", str(log))
    assert (rejected, decoded) == ((size - cut) % 64, kept * 64)


CAPPED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
from warehouse.ingest import ingest
print(ingest([Path(sys.argv[1])], sys.argv[2]).records)
"""


@pytest.mark.parametrize("form", [b"\xff" * 4, b"\xff\xff\xff\x7f", b"\xff" * 8], ids=bytes.hex)
def test_sizes_in_headers_do_not_make_it_allocate(whole, copied, tmp_path, form):
    """Every fourth word of every slice is the largest number."""
    root = copied(whole[0])
    for path in [*slices(root), *root.glob("FRAMEWORK/torch.*")]:
        data = bytearray(path.read_bytes())
        for place in range(0, len(data) - 16, 16):
            data[place + 8 : place + 8 + len(form)] = form
        path.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", CAPPED, root, tmp_path / "W.db"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0 or "InputError" in done.stderr, done.stderr

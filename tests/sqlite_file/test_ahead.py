"""Rows written in a thread of the writer's own: the file is the same, and what goes wrong is told all the same."""

import errno
import os
import signal
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from warehouse import _native

STATEMENTS = [
    "CREATE TABLE s (id INTEGER PRIMARY KEY, value TEXT) STRICT",
    "CREATE TABLE t (a INTEGER NOT NULL, b INTEGER, c TEXT) STRICT",
    "CREATE INDEX t_b ON t (b)",
]
AHEAD = 1 << 20


@contextmanager
def writer_into(path, **options):
    with path.open("w+b", buffering=0) as file, tempfile.TemporaryFile() as spill:
        yield _native.DatabaseWriter(file.fileno(), spill.fileno(), STATEMENTS, strings="s", **options)


def fill(writer):
    random = np.random.default_rng(5)
    for part in range(60):
        numbers = random.integers(0, 1 << 40, 3000)
        texts = pa.array([f"text {number % 1000}" for number in numbers.tolist()])
        writer.append("t", {"a": numbers, "b": writer.intern(texts), "c": texts})
        numbers[:] = part  # after it was handed over: that was a copy
    writer.settle()


def test_the_file_is_the_same(tmp_path):
    for name, options in (("one", {}), ("other", {"ahead_bytes": AHEAD})):
        with writer_into(tmp_path / name, **options) as writer:
            fill(writer)
            assert writer.last_rowid("t") == 180_000
            writer.finish()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_what_goes_wrong_is_raised_later_and_taken_back(tmp_path):
    with writer_into(tmp_path / "w.db", ahead_bytes=AHEAD) as writer:
        writer.append("t", {"a": 1})
        writer.mark()
        writer.append("t", {"a": pa.nulls(3, pa.int64())})
        with pytest.raises(_native.ConstraintError, match="NOT NULL"):
            writer.settle()
        with pytest.raises(_native.ConstraintError, match="NOT NULL"):
            writer.append("t", {"a": 2})
        writer.rewind()
        writer.release()
        writer.append("t", {"a": 3})
        writer.finish()


def test_what_goes_wrong_in_the_last_rows_is_raised_when_the_file_is_finished(tmp_path):
    with writer_into(tmp_path / "w.db", ahead_bytes=AHEAD) as writer:
        writer.append("t", {"a": None})
        with pytest.raises(_native.ConstraintError, match="NOT NULL"):
            writer.finish()


def test_wrong_columns_are_told_at_once(tmp_path):
    with writer_into(tmp_path / "w.db", ahead_bytes=AHEAD) as writer:
        with pytest.raises(IndexError, match="no column z"):
            writer.append("t", {"z": 1})
        with pytest.raises(ValueError, match="differ in length"):
            writer.append("t", {"a": np.zeros(2, np.int64), "b": np.zeros(3, np.int64)})


def test_a_full_disk():
    with writer_into(Path("/dev/full"), ahead_bytes=AHEAD) as writer, pytest.raises(OSError, match="space") as raised:
        fill(writer)
    assert raised.value.errno == errno.ENOSPC


def test_interrupted_while_it_is_finished(tmp_path):
    with writer_into(tmp_path / "w.db", ahead_bytes=1 << 30) as writer:
        numbers = pa.array(np.random.default_rng(1).integers(0, 1 << 60, 1_000_000))
        for _ in range(20):
            writer.append("t", {"a": numbers, "b": numbers})
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            writer.finish()


def test_given_up_with_work_waiting(tmp_path):
    for _ in range(20):
        with writer_into(tmp_path / "w.db", ahead_bytes=1 << 30) as writer:
            writer.append("t", {"a": np.arange(100_000), "c": pa.array(["x"] * 100_000)})
            del writer


def test_several_threads_intern(tmp_path):
    with writer_into(tmp_path / "w.db", ahead_bytes=AHEAD) as writer:
        words = [f"word {number}" for number in range(2000)]
        found = {}

        def intern(number):
            rotated = words[number * 200 :] + words[: number * 200]
            found[number] = dict(zip(rotated, writer.intern(pa.array(rotated)).tolist(), strict=True))

        threads = [threading.Thread(target=intern, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({tuple(sorted(each.items())) for each in found.values()}) == 1
        writer.finish()

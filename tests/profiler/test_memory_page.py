"""The page of a memory timeline in a browser: it draws, says what it shows, and asks no network for anything."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from warehouse.profiler.memory_page import Curves, page, thinned

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MIB = 1 << 20


@pytest.fixture
def shown(tmp_path):
    """A function: a page -> its DOM after its scripts ran, without any network; what it logs fails the test."""
    if BROWSER is None:
        pytest.skip("no browser is installed: apt-get install chromium")

    def show(text):
        file = tmp_path / "memory.html"
        file.write_text(text)
        done = subprocess.run(
            [
                BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}",
                "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1200,800", "--enable-logging=stderr",
                "--virtual-time-budget=2000", "--dump-dom", file.as_uri(),
            ],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        assert "CONSOLE" not in done.stderr, done.stderr
        return done.stdout

    return show


def curves(count=200):
    """A parameter that stays, an activation that grows and goes: its peak in the middle."""
    times = np.arange(count) * 1_000_000 + 5_000_000_000
    sizes = np.zeros((count, 8), np.int64)
    sizes[:, 0] = 4 * MIB
    sizes[:, 4] = np.minimum(np.arange(count), count - np.arange(count)) * (MIB // 10)
    return Curves(times, sizes)


def test_what_the_page_shows(shown):
    dom = shown(page("cpu <0>", curves(), 20 * MIB))
    assert "<h1>Memory of cpu &lt;0&gt;</h1>" in dom
    rows = [re.sub(r"<[^>]*>", "|", row) for row in re.findall(r"<tr[^>]*data-at.*?</tr>", dom)]
    # a legend of what there is, in the order in which it lies, with what it holds at the end, at the peak, at most
    assert [[cell for cell in row.split("|") if cell] for row in rows] == [
        ["Activation", "102.4 KiB", "10 MiB", "10 MiB"],
        ["Parameter", "4 MiB", "4 MiB", "4 MiB"],
    ]
    assert dom.count("<polygon ") == 2
    assert [*re.findall(r'<polygon [^>]*fill="([^"]*)"', dom)] == ["#3d8b5f", "#d9605a"]
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", dom)
    assert labels[:2] == ["0 B", "4 MiB"]
    assert {"0", "50", "100", "150", "time since the first change (ms)", "memory held"} <= set(labels)
    cards = re.findall(r"<div><b>(.*?)</b><span>(.*?)</span></div>", dom)
    assert cards == [
        ("14 MiB", "most held at once"), ("100 ms", "at"), ("20 MiB", "most reserved by the allocator"),
        ("4.1 MiB", "at the end"), ("199 ms", "time shown"), ("200", "changes"),
    ]  # fmt: skip


def test_long_and_short_recordings(shown):
    long = curves(300_000)
    text = page("npu:0", long, 0)
    assert len(text) < 400_000
    dom = shown(text)
    assert "Of 300,000 changes" in dom
    assert "time since the first change (s)" in dom
    assert "NaN" not in dom
    dom = shown(page("cpu", Curves(np.array([7]), np.array([[5, 0, 0, 0, 0, 0, 0, 0]])), 0))
    assert "<polygon " in dom
    assert "NaN" not in dom


def test_what_falls_into_the_same_time_keeps_its_peak():
    long = curves(100_000)
    thin = thinned(long, 50)
    assert len(thin.times) <= 52
    assert thin.sizes.sum(axis=1).max() == long.sizes.sum(axis=1).max()
    assert (thin.times[0], thin.times[-1]) == (long.times[0], long.times[-1])
    assert (np.diff(thin.times) > 0).all()

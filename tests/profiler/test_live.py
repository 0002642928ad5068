"""Counters of a running recording for Prometheus: off by default, on this host alone."""

from __future__ import annotations

import re
import socket

import pytest

pytest.importorskip("prometheus_client", reason="prometheus_client is not installed: pip install 'npuwh[live]'")

SCRIPT = """
import sys, urllib.request
from warehouse.profiler import profile, schedule, ProfilerActivity
def work():
    return sum(range(10))
with profile(activities=[ProfilerActivity.CPU], with_stack=True, schedule=schedule(wait=0, warmup=1, active=3)) as prof:
    for _ in range(3):
        for _ in range(100): work()
        prof.step()
    if len(sys.argv) > 1:
        print(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics", timeout=20).read().decode())
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_counters_can_be_scraped(script):
    port = free_port()
    done = script(SCRIPT, str(port), NPUWH_LIVE=f"{port - 1}+", LOCAL_RANK="1")
    values = {
        name: float(value) for name, value in re.findall(r"^(npuwh_\w+(?:\{.*\})?) (\S+)$", done.out, re.MULTILINE)
    }
    assert values["npuwh_is_recording"] == 1
    assert values["npuwh_step"] == 3
    assert 0 < values["npuwh_last_step_seconds"] < 20
    assert values["npuwh_recorded_threads"] >= 1
    assert values['npuwh_lost_records_total{ring="frames"}'] == 0
    assert {"npuwh_recorded_frames_total", "npuwh_recorded_ops_total", "npuwh_written_bytes_total"} <= set(values)
    assert "# TYPE npuwh_recorded_frames_total counter" in done.out


def test_nothing_is_served_unless_it_is_asked_for(script):
    done = script(SCRIPT + "import threading\nprint([t.name for t in threading.enumerate()])\n")
    assert done.out == "['MainThread']\n"


@pytest.mark.parametrize("wanted", ["many", "70000", "127.0.0.1:"])
def test_wrong_wishes_are_told(script, wanted):
    done = script(SCRIPT, NPUWH_LIVE=wanted)
    assert "NPUWH_LIVE=" in done.err
    assert "'no counters' is used instead" in done.err


def test_a_port_that_is_taken(script):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = script(SCRIPT, NPUWH_LIVE=str(taken.getsockname()[1]))
    assert "no live counters: 127.0.0.1:" in done.err
    assert "Traceback" not in done.err

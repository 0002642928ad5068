"""Counters of the recording of this process for Prometheus, while it runs; off unless it is asked for.

`serve(9400)`, or $NPUWH_LIVE: a port, or `address:port`; `+` behind it adds $LOCAL_RANK, for several ranks on one host.
Only this host can read them unless another address is given.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

from warehouse import _recorder
from warehouse.profiler.own_frames import disown_server
from warehouse.profiler.settings import logger, report

VARIABLE = "NPUWH_LIVE"
LOOPBACK = "127.0.0.1"
_COUNTERS = {
    "ops": ("recorded_ops", "Ranges of the framework that were recorded"),
    "frames": ("recorded_frames", "Calls and returns of Python functions that were recorded"),
    "other_records": ("recorded_others", "Allocations, marks and the like that were recorded"),
    "bytes_written": ("written_bytes", "Bytes of the recording on disk"),
}
_LOSSES = {"lost_events": "events", "lost_frames": "frames"}
_GAUGES = {
    "ring_peak_bytes": ("ring_peak_bytes", "Most that ever waited in the ring of one thread"),
    "threads": ("recorded_threads", "Threads that were recorded"),
}

_lock = threading.Lock()
_served: tuple[str, int] | None = None
_steps = {"number": 0.0, "seconds": 0.0, "begun": 0.0}


def serve(port: int, address: str = LOOPBACK) -> bool:
    """Serve the counters at http://address:port/metrics from a thread of its own, once a process; whether they are.
    Trouble is logged, never raised.

    >>> serve(-1)
    False
    """
    global _served  # noqa: PLW0603 one server a process
    if not isinstance(port, int) or not 0 < port < 1 << 16:
        report(VARIABLE, port, "a port from 1 to 65535", "no counters")
        return False
    with _lock:
        if _served is not None:
            return _served == (address, port)
        try:
            from prometheus_client import CollectorRegistry, start_http_server
        except ImportError:
            logger.warning("no live counters: prometheus_client is missing; pip install 'npuwh[live]'")
            return False
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Counters())
        try:
            started = start_http_server(port, addr=address, registry=registry)
        except OSError as error:
            logger.warning("no live counters: %s:%d cannot be served: %s", address, port, error)
            return False
        if started is not None:  # older ones give nothing
            disown_server(*started)
        _served = (address, port)
    return True


def serve_as_asked() -> None:
    """Serve where $NPUWH_LIVE asks for it."""
    given = os.environ.get(VARIABLE, "")
    if not given or _served is not None:
        return
    address, _, port = given.rpartition(":")
    is_shifted = port.endswith("+")
    number = port.removesuffix("+")
    if not (number.isascii() and number.isdigit()):
        report(VARIABLE, given, "a port, or address:port, with + behind it to add $LOCAL_RANK", "no counters")
        return
    shift = os.environ.get("LOCAL_RANK", "0") if is_shifted else "0"
    serve(int(number) + (int(shift) if shift.isdigit() else 0), address.strip("[]") or LOOPBACK)


def note_step(number: int) -> None:
    """A step begins."""
    now = time.monotonic()
    if _steps["begun"]:
        _steps["seconds"] = now - _steps["begun"]
    _steps["begun"], _steps["number"] = now, float(number)


def note_stop() -> None:
    """No step is under way any more."""
    _steps["begun"] = 0.0


class _Counters:
    """What Prometheus asks for a scrape."""

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        found = _recorder.counters()
        for key, (name, text) in _COUNTERS.items():
            yield CounterMetricFamily(f"npuwh_{name}", text, value=found[key])
        lost = CounterMetricFamily("npuwh_lost_records", "Records that full rings did not take", labels=["ring"])
        for key, ring in _LOSSES.items():
            lost.add_metric([ring], found[key])
        yield lost
        for key, (name, text) in _GAUGES.items():
            yield GaugeMetricFamily(f"npuwh_{name}", text, value=found[key])
        yield GaugeMetricFamily("npuwh_is_recording", "1 while records are taken", value=int(_recorder.is_on()))
        yield GaugeMetricFamily("npuwh_step", "Number of the current step", value=_steps["number"])
        yield GaugeMetricFamily("npuwh_last_step_seconds", "How long the last step took", value=_steps["seconds"])

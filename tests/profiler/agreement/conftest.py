"""These tests watch torch with its own profiler and with ours at once."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, observer_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Recordings go to the test's folder; torch's warnings are its own affair."""
    monkeypatch.setenv("ASCEND_WORK_PATH", str(tmp_path))
    monkeypatch.setenv("NPUWH_CACHE", str(observer_cache))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def no_collections() -> Iterator[None]:
    """What is freed and finalised must not depend on when the collector runs."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()

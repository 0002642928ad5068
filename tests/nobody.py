"""A user who is not root, for tests of what may not be read or written: root may do everything."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import warehouse

_NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be somebody else for a while, if we are root; skips where that one cannot see the installed package."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        try:
            Path(warehouse.__file__).stat()
        except PermissionError:
            pytest.skip("only root may look into the folder in which npuwh is installed")
        yield
    finally:
        os.seteuid(0)

"""Keep pyarrow from importing pandas, which nothing here uses."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Refusal:
    """pyarrow imports pandas, where it is installed, as soon as it is given a list: a third of a second and 50 MB."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not imported in npuwh's own processes", name=name)
        return None


def refuse_pandas() -> None:
    """From now on `import pandas` fails in this process, unless it is imported already: for processes of our own.

    >>> refuse_pandas()  # doctest: +SKIP
    """
    if not any(isinstance(finder, _Refusal) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Refusal())

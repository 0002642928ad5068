"""npuwh: the analysis warehouse for Ascend NPU profiles.

    import warehouse

    with warehouse.open("W.db") as w:
        w.sql("SELECT name, count(*) AS calls FROM op_named GROUP BY name")
        w.view("device_task_named", rank_id=1).filter(pl.col("core") == "AI_CORE").collect()
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import NpuwhError

if TYPE_CHECKING:
    from warehouse.query import Warehouse

__all__ = ["NpuwhError", "Warehouse", "open"]


def open(path: Path | str) -> Warehouse:
    """Open a warehouse for reading; WarehouseFileError or WarehouseVersionError say why that cannot be.

    >>> with open("W.db") as w:  # doctest: +SKIP
    ...     w.ranks()
    """
    from warehouse.query import Warehouse

    return Warehouse(path)


def __getattr__(name: str) -> Any:
    """`Warehouse` brings polars and Arrow: it is imported when somebody asks for it."""
    if name == "Warehouse":
        from warehouse.query import Warehouse

        return Warehouse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

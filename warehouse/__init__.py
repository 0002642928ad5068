"""npuwh: the analysis warehouse for Ascend NPU profiles.

    import warehouse

    with warehouse.open("W.db") as w:
        w.sql("SELECT name, count(*) AS calls FROM op_named GROUP BY name")
        w.view("device_task_named", rank_id=1).filter(pl.col("core") == "AI_CORE").collect()
"""

from pathlib import Path

from warehouse.errors import NpuwhError
from warehouse.query import Warehouse

__all__ = ["NpuwhError", "Warehouse", "open"]


def open(path: Path | str) -> Warehouse:
    """Open a warehouse for reading; WarehouseFileError or WarehouseVersionError say why that cannot be.

    >>> with open("W.db") as w:  # doctest: +SKIP
    ...     w.ranks()
    """
    return Warehouse(path)

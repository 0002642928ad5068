"""Taking a rank out of a warehouse, before its changed input is loaded again."""

from __future__ import annotations

from warehouse.store.loader import Loader, writing_to
from warehouse.store.table_list import TABLES

# rows that belong to no rank, but are left by one: table, and where the rest of them is still used
_ORPHANS = [
    ("stack_frame", "stack_id NOT IN (SELECT stack_id FROM op WHERE stack_id IS NOT NULL)"),
    (
        "kernel",
        """id NOT IN (SELECT kernel_id FROM device_task WHERE kernel_id IS NOT NULL
                      UNION SELECT kernel_id FROM graph_node WHERE kernel_id IS NOT NULL)""",
    ),
    ("run", "id NOT IN (SELECT run_id FROM rank)"),
]


def delete_rank(loader: Loader, rank_id: int) -> None:
    """Delete the rank and everything that carries its id, its sources and issues too, and what nobody uses after that.

    Strings stay: they are shared and cost little.  Inside the loader's transaction, so a failed reload keeps the rank.

    >>> delete_rank(loader, 3)  # doctest: +SKIP
    """
    execute = loader.connection.execute
    of_rank = "(SELECT id FROM source WHERE rank_id = ?)"
    with writing_to(loader.path):
        execute(f"DELETE FROM source_table WHERE source_id IN {of_rank}", [rank_id])
        execute(f"DELETE FROM issue WHERE source_id IN {of_rank}", [rank_id])
        for table in TABLES.values():
            if "rank_id" in table.column_names:
                execute(f"DELETE FROM {table.name} WHERE rank_id = ?", [rank_id])
        execute("DELETE FROM rank WHERE id = ?", [rank_id])
        for table_name, condition in _ORPHANS:
            execute(f"DELETE FROM {table_name} WHERE {condition}")


def delete_failures(loader: Loader, paths: list[str]) -> None:
    """Forget that source files of these paths failed before, with the issues that say so.

    >>> delete_failures(loader, ["/data/run/ascend_pytorch_profiler_0.db"])  # doctest: +SKIP
    """
    execute = loader.connection.execute
    with writing_to(loader.path):
        for path in paths:
            failed = "(SELECT id FROM source WHERE path = ? AND state = 'failed' AND rank_id IS NULL)"
            execute(f"DELETE FROM issue WHERE source_id IN {failed}", [path])
            execute(f"DELETE FROM source WHERE id IN {failed}", [path])

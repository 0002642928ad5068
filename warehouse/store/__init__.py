"""The warehouse file: tables, migrations, views, reading and writing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from warehouse.store.alteration import altered_tables, missing_indexes
from warehouse.store.dangling import dangling_ids
from warehouse.store.integrity import integrity
from warehouse.store.narrowing import narrowed
from warehouse.store.opening import READ_SETUP, is_warehouse, one_state, open_read, open_write, read_uri
from warehouse.store.reading import file_of, reading, reading_error
from warehouse.store.registry import (
    PLUMBING,
    QUESTIONS,
    did_you_mean,
    require_views,
    rooms,
    stale_views,
    view,
    views,
    with_those_they_use,
)
from warehouse.store.row_look import has_rows
from warehouse.store.select import Window, column_kinds, quoted, select
from warehouse.store.table_list import TABLES
from warehouse.store.table_shape import TableColumn, WarehouseTable
from warehouse.store.unfinished import left_beside
from warehouse.store.version import latest_version
from warehouse.store.view_file import View, ViewColumn, ViewWindow

if TYPE_CHECKING:
    from warehouse.store.adding import Removed, more_rows
    from warehouse.store.loader import Loader
    from warehouse.store.removal import delete_failures, delete_rank
    from warehouse.store.writing import add_to, create, new_warehouse, upgrade

__all__ = [
    "PLUMBING",
    "QUESTIONS",
    "READ_SETUP",
    "TABLES",
    "Loader",
    "Removed",
    "TableColumn",
    "View",
    "ViewColumn",
    "ViewWindow",
    "WarehouseTable",
    "Window",
    "add_to",
    "altered_tables",
    "column_kinds",
    "create",
    "dangling_ids",
    "delete_failures",
    "delete_rank",
    "did_you_mean",
    "file_of",
    "has_rows",
    "integrity",
    "is_warehouse",
    "latest_version",
    "left_beside",
    "missing_indexes",
    "more_rows",
    "narrowed",
    "new_warehouse",
    "one_state",
    "open_read",
    "open_write",
    "quoted",
    "read_uri",
    "reading",
    "reading_error",
    "require_views",
    "rooms",
    "select",
    "stale_views",
    "upgrade",
    "view",
    "views",
    "with_those_they_use",
]

# what writes needs Arrow, polars and, to migrate, Alembic: that is imported when it is used, so that reading starts
# quickly
_LATER = {
    "adding": ("Removed", "more_rows"),
    "loader": ("Loader",),
    "removal": ("delete_failures", "delete_rank"),
    "writing": ("add_to", "create", "new_warehouse", "upgrade"),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The warehouse file: tables, migrations, views, reading and writing."""

from warehouse.store.integrity import integrity
from warehouse.store.loader import Loader
from warehouse.store.migrate import latest_version
from warehouse.store.narrowing import narrowed
from warehouse.store.opening import is_warehouse, open_read, open_write
from warehouse.store.registry import stale_views, view, views
from warehouse.store.removal import delete_failures, delete_rank
from warehouse.store.select import Window, column_kinds, quoted, select
from warehouse.store.view_file import View, ViewColumn, ViewWindow
from warehouse.store.writing import add_to, create, new_warehouse, upgrade

__all__ = [
    "Loader",
    "View",
    "ViewColumn",
    "ViewWindow",
    "Window",
    "add_to",
    "column_kinds",
    "create",
    "delete_failures",
    "delete_rank",
    "integrity",
    "is_warehouse",
    "latest_version",
    "narrowed",
    "new_warehouse",
    "open_read",
    "open_write",
    "quoted",
    "select",
    "stale_views",
    "upgrade",
    "view",
    "views",
]

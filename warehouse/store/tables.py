"""The warehouse's tables as SQLAlchemy metadata, made from the list in table_list.py; for migrations and indexes."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Index, Integer, MetaData, Table, Text, text

from warehouse.store.table_list import METRIC_COLUMNS, TABLES
from warehouse.store.table_shape import WarehouseTable
from warehouse.store.version import APPLICATION_ID

__all__ = ["APPLICATION_ID", "METRIC_COLUMNS", "metadata"]

metadata = MetaData()

_TYPES = {"INTEGER": Integer, "REAL": REAL, "TEXT": Text}


def _add(table: WarehouseTable) -> None:
    columns = [
        Column(
            column.name,
            _TYPES[column.kind](),
            primary_key=column.name == "id",
            nullable=not column.is_required,
            server_default=None if column.default is None else text(str(column.default)),
            comment=column.meaning,
        )
        for column in table.columns
    ]
    built = Table(table.name, metadata, *columns, sqlite_strict=True, comment=table.purpose)
    for keys in table.indexes + table.unique:
        Index(f"{table.name}__{'__'.join(keys)}", *(built.c[key] for key in keys), unique=keys in table.unique)


for _each in TABLES.values():
    _add(_each)

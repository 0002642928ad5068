"""What a table of the warehouse is, and the short form that table_list.py tells it in."""

from __future__ import annotations

from dataclasses import dataclass

from warehouse.store.column_meanings import meaning


@dataclass(frozen=True)
class TableColumn:
    """One column; `kind` is INTEGER, REAL or TEXT, `default` what a row has that does not say it."""

    name: str
    kind: str
    is_required: bool
    meaning: str
    default: int | None = None

    @property
    def unit(self) -> str:
        """What the end of the name says: ns, bytes, count, ratio, text, else -.

        >>> TableColumn("start_ns", "INTEGER", True, "begin").unit
        'ns'
        """
        ending = self.name.rpartition("_")[2]
        if ending in _UNITS:
            return ending
        return "text" if self.kind == "TEXT" else "-"


@dataclass(frozen=True)
class WarehouseTable:
    """One table; `indexes` and `unique` hold the columns of each index."""

    name: str
    purpose: str
    columns: tuple[TableColumn, ...]
    indexes: tuple[tuple[str, ...], ...]
    unique: tuple[tuple[str, ...], ...]

    @property
    def column_names(self) -> list[str]:
        return [column.name for column in self.columns]


_UNITS = ("ns", "us", "bytes", "count", "ratio")
_KINDS = {"": "INTEGER", "text": "TEXT", "real": "REAL"}


def _column(table: str, spec: str) -> TableColumn:
    """`name`, `name!` (NOT NULL), `name=0` (DEFAULT 0), `name:text`, `name:real`; `id` is the primary key."""
    spec, _, default = spec.partition("=")
    name, _, kind = spec.rstrip("!").partition(":")
    is_required = spec.endswith("!") or name == "id"
    return TableColumn(name, _KINDS[kind], is_required, meaning(table, name), int(default) if default else None)


def table(name: str, purpose: str, columns: str, indexes: tuple[str, ...], unique: tuple[str, ...]) -> WarehouseTable:
    """A table of columns as in `_column`; an index is the names of its columns.

    >>> made = table("run", "A session.", "id name:text! path:text!", (), ("path",))
    >>> made.column_names, made.unique
    (['id', 'name', 'path'], (('path',),))
    """
    return WarehouseTable(
        name,
        purpose,
        tuple(_column(name, spec) for spec in columns.split()),
        tuple(tuple(keys.split()) for keys in indexes),
        tuple(tuple(keys.split()) for keys in unique),
    )

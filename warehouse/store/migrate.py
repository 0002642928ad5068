"""Bringing tables and views of a file to this version, all or nothing.

Alembic runs without an ini file: the folder of revisions and the connection are handed over here.
`PRAGMA user_version` is the ordinal of the last revision (1 for the first), so any SQLite client can read it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from warehouse.store.registry import create_views, drop_views
from warehouse.store.resources import resource_folder
from warehouse.store.version import APPLICATION_ID, latest_version


def migrate(connect: Callable[[], sqlite3.Connection], migrations: Path | None = None) -> None:
    """Make tables and views current in one transaction: drop views, migrate, create views, set the version.

    The order is SQLite's: a table with a view on it can be neither renamed nor rebuilt.  `connect` opens the file; what
    it gives is closed at the end.  An error, or SIGKILL, leaves tables, views and version as they were.
    Views of the user's own are put back after ours.
    """
    config = Config()
    folder = migrations or resource_folder("migrations")
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    with _plain_errors(), _engine(connect).begin() as transaction:
        sqlite = transaction.connection.driver_connection
        assert isinstance(sqlite, sqlite3.Connection)
        users_views = drop_views(sqlite)
        config.attributes["connection"] = transaction
        command.upgrade(config, "head")
        create_views(sqlite)
        for statement in users_views:
            sqlite.execute(statement)
        sqlite.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        sqlite.execute(f"PRAGMA user_version = {latest_version(folder)}")


@contextmanager
def _plain_errors() -> Iterator[None]:
    """SQLite's own errors, without SQLAlchemy's wrapping."""
    try:
        yield
    except DBAPIError as error:
        raise (error.orig or error) from error


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    """An engine with SQLAlchemy's documented pair of listeners, which makes DDL transactional.

    Left alone, Python's driver begins and commits around statements as it thinks fit, and half of a failed migration
    would stay.  IMMEDIATE: of two upgrades of one file the second waits, then finds nothing left to do.
    """
    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def _no_implicit_transaction(dbapi_connection: sqlite3.Connection, _record: object) -> None:
        dbapi_connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _explicit_begin(transaction: Connection) -> None:
        transaction.exec_driver_sql("BEGIN IMMEDIATE")

    return engine

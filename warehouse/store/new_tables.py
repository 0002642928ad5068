"""The tables and views of a new file at once, without running the revisions, which would bring Alembic.

`migrations/newest.ddl` is what all revisions come to.  It is made from them by `python -m tests.store.newest --write`
and tested to be what they make.
"""

from __future__ import annotations

import sqlite3

from warehouse.store.registry import create_views
from warehouse.store.resources import resource_folder
from warehouse.store.version import APPLICATION_ID, latest_version


def make_tables(connection: sqlite3.Connection) -> None:
    """Make all tables, with what the revisions put into them, and all views in an empty database.

    >>> connection = sqlite3.connect(":memory:")
    >>> make_tables(connection)
    >>> connection.execute("SELECT count(*) FROM op_named").fetchone()
    (0,)
    """
    connection.executescript(f"BEGIN; {(resource_folder('migrations') / 'newest.ddl').read_text(encoding='utf-8')}")
    create_views(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {latest_version()}")
    connection.execute("COMMIT")

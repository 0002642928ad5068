"""The tables and views of a new file at once, without running the revisions, which would bring Alembic.

`migrations/newest.ddl` is what all revisions come to.  It is made from them by `python -m tests.store.newest --write`,
says in its first line which they were, and is tested to be what they make.
"""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

from warehouse.store.registry import create_views
from warehouse.store.resources import resource_folder
from warehouse.store.version import APPLICATION_ID, latest_version


def make_tables(connection: sqlite3.Connection) -> bool:
    """Make all tables, with what the revisions put into them, and all views in an empty database.

    False, and nothing is done, if the script is of other revisions: they have to be run.

    >>> connection = sqlite3.connect(":memory:")
    >>> make_tables(connection)
    True
    >>> connection.execute("SELECT count(*) FROM op_named").fetchone()
    (0,)
    """
    script = (resource_folder("migrations") / "newest.ddl").read_text(encoding="utf-8")
    if not script.startswith(revisions_line()):
        return False
    connection.executescript(f"BEGIN; {script}")
    create_views(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {latest_version()}")
    connection.execute("COMMIT")
    return True


def revisions_line() -> str:
    """The first line of a script of the revisions that are there."""
    digest = blake2b(digest_size=16)
    for file in sorted((resource_folder("migrations") / "versions").glob("[0-9]*.py")):
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return f"-- revisions {digest.hexdigest()}\n"

"""What all revisions come to, for `migrations/newest.ddl`.

`python -m tests.store.newest` tells whether the file is current (exit code 1 if not), `--write` makes it so.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from warehouse.store.migrate import migrate
from warehouse.store.new_tables import revisions_line
from warehouse.store.resources import resource_folder

FILE = resource_folder("migrations") / "newest.ddl"


def migrated(path: Path) -> sqlite3.Connection:
    """A new database at `path` to which every revision was applied."""
    migrate(lambda: sqlite3.connect(path))
    return sqlite3.connect(path)


def newest() -> str:
    """The statements that make the tables and the rows that the revisions leave, each ended by a semicolon."""
    with TemporaryDirectory() as folder:
        connection = migrated(Path(folder) / "w.db")
        made = [
            sql
            for (sql,) in connection.execute(
                "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY rowid"
            )
        ]
        filled = [line.removesuffix(";") for line in connection.iterdump() if line.startswith("INSERT")]
        connection.close()
    return revisions_line() + "".join(f"{statement};\n" for statement in made + filled)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="make the file current")
    text = newest()
    if parser.parse_args().write:
        FILE.write_text(text, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is not what the revisions make: run `python -m tests.store.newest --write`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

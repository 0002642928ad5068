"""`npuwh upgrade`: bring an older warehouse to this version."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from warehouse import store
from warehouse.cli.outcome import telling


def upgrade(warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")]) -> None:
    """Bring an older warehouse to this version of npuwh, in one transaction: its tables and its views.

    Example: npuwh upgrade W.db
    """
    done = "upgraded; it now has" if store.upgrade(warehouse) else "nothing to do, it has"
    with telling(f"{warehouse} is of this version"):
        print(f"{warehouse}: {done} file version {store.latest_version()} and the views of this npuwh")

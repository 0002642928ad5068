"""What marks a file as a warehouse, and of which version; without anything that migrates."""

from __future__ import annotations

from pathlib import Path

from warehouse.store.resources import resource_folder

APPLICATION_ID = 0x4E505748  # "NPWH": marks the file as a warehouse of ours


def latest_version(migrations: Path | None = None) -> int:
    """Ordinal of the newest revision in the folder `migrations` (default: npuwh's own).

    The ordinal starts the file's name, so that opening a warehouse imports no revision.

    >>> latest_version() >= 1
    True
    """
    folder = (migrations or resource_folder("migrations")) / "versions"
    return max(int(file.name[:4]) for file in folder.glob("[0-9][0-9][0-9][0-9]_*.py"))

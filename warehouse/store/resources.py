"""Where the view and migration files lie: inside an installed package, beside it in the source tree."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def resource_folder(name: str) -> Path:
    """The folder `sql` or `migrations`.

    A wheel carries both inside the package (pyproject.toml, wheel.packages); an editable install leaves them where they
    are written, beside the package.  `importlib.resources` does not see the second place, so both are looked at here.

    >>> resource_folder("sql").joinpath("base").is_dir()
    True
    """
    for parent in (_PACKAGE, _PACKAGE.parent):
        folder = parent / name
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{name}/ is neither in nor beside {_PACKAGE}: the installation of npuwh is incomplete")

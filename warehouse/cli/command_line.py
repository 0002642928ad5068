"""The verbs as one command: parsing, help, and usage errors as one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from warehouse.cli.build_torch import build_torch
from warehouse.cli.check import check
from warehouse.cli.demo import demo
from warehouse.cli.export import export
from warehouse.cli.info import info
from warehouse.cli.ingest import ingest
from warehouse.cli.outcome import EXIT_CODES, WRONG, reporting, say
from warehouse.cli.record import record
from warehouse.cli.sql import sql
from warehouse.cli.upgrade import upgrade
from warehouse.cli.views import views

VERBS = (ingest, info, sql, views, export, check, upgrade, demo, record, build_torch)
# what stands behind SCRIPT is the script's, whatever it looks like
_SETTINGS = {"record": {"allow_interspersed_args": False}}

_CODES = "Exit codes: " + " · ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())

app = typer.Typer(
    help="npuwh: the analysis warehouse for Ascend NPU profiles.  One SQLite file holds everything a profile knows.",
    epilog=_CODES,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _verb in VERBS:
    _help, _, _example = (_verb.__doc__ or "").partition("Example:")
    app.command(
        help=_help.strip(),
        epilog=f"Example: {' '.join(_example.split())}",
        context_settings=_SETTINGS.get(_verb.__name__),
    )(reporting(_verb))


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"npuwh {version('npuwh')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(WRONG)


def name_of(verb: Callable[..., int | None]) -> str:
    """The word for it on the command line.

    >>> name_of(build_torch)
    'build-torch'
    """
    return verb.__name__.replace("_", "-")


def run(given: list[str]) -> int:
    """Run one command line; returns the exit code.  KeyboardInterrupt is the caller's.

    Example: `run(["info", "W.db"])`
    """
    try:
        code = app(given, prog_name="npuwh", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # usage errors are told by their shape: their class lives in click or in typer, depending on typer's version
        tell = getattr(error, "format_message", None)
        if tell is None:
            raise
        verb = next((word for word in given if not word.startswith("-")), "")
        known = verb in (name_of(listed) for listed in VERBS)
        say(f"{tell()} See: npuwh {verb + ' ' if known else ''}--help")
        return WRONG
    return code if isinstance(code, int) else 0

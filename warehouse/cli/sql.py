"""`npuwh sql`: any SELECT, as text or as a file."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Annotated, Any, cast

import typer

from warehouse.cli.outcome import give_up, say
from warehouse.cli.result_file import check_target, replacing
from warehouse.cli.show import show_rows
from warehouse.errors import NpuwhError, UsageError, WriteError
from warehouse.plain_rows import PlainWarehouse

_GUARDED = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes these for formulas
_NUMBER = re.compile(r"[+-](\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")  # what is a number by itself is no formula


def sql(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    statement: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT statement; it can only read.")],
    form: Annotated[
        str | None,
        typer.Option("--format", help="table, csv, json or parquet; else by the ending of -o (.txt: table)."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of -o if it is there.")] = False,
) -> None:
    """Ask a warehouse anything in SQL.

    The table on a terminal rounds and cuts what is long; csv, json and parquet are exact.  In csv, a text or column
    name that a spreadsheet takes for a formula gets a ' in front; what is a number by itself, as -1.5, stays.

    Example: npuwh sql W.db "SELECT kernel_name, total_ns FROM kernel_time ORDER BY total_ns DESC LIMIT 10"
    """
    write = FORMATS[_chosen(form, output)]
    with PlainWarehouse(warehouse) as opened:
        if output is None:
            if write is FORMATS["parquet"] and sys.stdout.isatty():
                raise UsageError("--format parquet: is no text for a terminal; give a file with -o")
            with _telling_of_what_was_written(sys.stdout.buffer) as out:
                write(opened, statement, out)
            return
        check_target(output, opened, force)
        with replacing(output) as file:
            write(opened, statement, file)


def _chosen(form: str | None, output: Path | None) -> str:
    """What is asked for with --format, else by the ending of the file, else a table."""
    if form is not None:
        if form not in FORMATS:
            raise UsageError(f"--format {form}: is none of {', '.join(FORMATS)}")
        return form
    ending = output.suffix[1:].lower() if output is not None else ""
    if ending in ("", "txt"):
        return "table"
    if ending not in FORMATS:
        raise UsageError(f"{output}: .{ending} is no format; say which with --format: {', '.join(FORMATS)}")
    return ending


class _Counting(io.RawIOBase):
    """A stream that knows whether anything was written to it."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__()
        self._out = out
        self.has_output = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._out.isatty()

    def write(self, data: Any, /) -> int:
        self.has_output = self.has_output or bool(data)
        return self._out.write(data)

    def flush(self) -> None:
        self._out.flush()


@contextmanager
def _telling_of_what_was_written(standard: IO[bytes]) -> Iterator[IO[bytes]]:
    """Standard output; an error after the first of its bytes says that they are not all."""
    out = _Counting(standard)
    try:
        yield cast("IO[bytes]", out)
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up(standard)
        if isinstance(error, NpuwhError):
            raise
        raise WriteError(f"standard output: {error.strerror or error}; what was written is incomplete") from error
    except NpuwhError as error:
        if not out.has_output:
            raise
        raise type(error)(f"{error}; what was written to standard output is incomplete") from error
    except BaseException:
        if out.has_output:
            say("what was written to standard output is incomplete")
        raise


def _table(opened: PlainWarehouse, statement: str, out: IO[bytes]) -> None:
    names, batches = opened.result(statement)
    with _text(out) as text:
        show_rows(names, chain.from_iterable(batches), text, null="NULL")


def _csv(opened: PlainWarehouse, statement: str, out: IO[bytes]) -> None:
    names, batches = opened.result(statement)
    with _text(out) as text:
        writer = csv.writer(text)
        writer.writerow(map(_guarded, names))
        for rows in batches:
            writer.writerows([tuple(map(_guarded, row)) for row in rows])


def _guarded(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str) and value.startswith(_GUARDED) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def _json(opened: PlainWarehouse, statement: str, out: IO[bytes]) -> None:
    """An array of objects, one a line."""
    names, batches = opened.result(statement)
    with _text(out) as text:
        lead = "["
        for row in chain.from_iterable(batches):
            fields = dict(zip(names, map(_plain, row), strict=True))
            text.write(f"{lead}\n{json.dumps(fields, ensure_ascii=False, allow_nan=False)}")
            lead = ","
        text.write("[]\n" if lead == "[" else "\n]\n")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no infinity
    return value


def _parquet(opened: PlainWarehouse, statement: str, out: IO[bytes]) -> None:
    from pyarrow.parquet import ParquetWriter

    from warehouse.query import Warehouse

    with Warehouse(opened.path) as typed:
        batches = typed.batches(statement)
        with ParquetWriter(out, batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)


class _text(io.TextIOWrapper):  # noqa: N801 - used like a function
    """UTF-8 text over a binary stream that stays open."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__(out, encoding="utf-8", errors="backslashreplace", newline="", write_through=False)

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self.flush()
        except OSError:
            if kind is None:
                raise
        finally:
            with suppress(OSError):  # a full disk: else it would flush once more, and again when it is thrown away
                self.detach()


FORMATS: dict[str, Callable[[PlainWarehouse, str, IO[bytes]], None]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "parquet": _parquet,
}

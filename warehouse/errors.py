"""What can go wrong, seen by the user: one base and few leaves; `exit_code` is what the command line ends with.

A message says what is wrong, where (file, table, view, column) and what to do.
"""

from __future__ import annotations


class NpuwhError(Exception):
    """Base of every error that is not a fault of npuwh itself; only the command line catches it."""

    exit_code = 2


class UsageError(NpuwhError, ValueError):
    """The command or call cannot be meant this way: unknown view, step, kind; an output inside the input."""


class InputError(NpuwhError, ValueError):
    """An input is no profile, or is damaged, or cannot be read."""


class WarehouseFileError(NpuwhError, ValueError):
    """The file is no warehouse of ours, or is damaged."""


class WarehouseVersionError(WarehouseFileError):
    """The file is a warehouse, but of another version of npuwh."""


class WriteError(NpuwhError, OSError):
    """A result could not be written: disk full, no permission, another process is writing it."""


class UntoldError(NpuwhError, OSError):
    """What was asked for is made, but could not be told: standard output takes nothing more."""

    exit_code = 1


class QueryError(NpuwhError, ValueError):
    """SQL that does not run, or that a read-only warehouse does not allow."""

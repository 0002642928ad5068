"""The words that settings are made of, as torch_npu's profiler spells them (framework-files.md 6.5), and how a wrong
one is reported."""

from __future__ import annotations

import enum
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from warehouse.errors import UsageError

logger = logging.getLogger("npuwh.profiler")
_LONGEST_SHOWN = 300  # of a wrong setting


def _is_told(record: logging.LogRecord) -> bool:
    """Errors always; warnings unless the user turned them off, and of several ranks by the first alone
    (framework-files.md 6.1).  What is told becomes one line that any file can take."""
    record.msg, record.args = printable(record.getMessage()).replace("\n", " "), ()
    if record.levelno >= logging.ERROR:
        return True
    is_off = "1" in (os.environ.get("TORCH_NPU_WARNING_DISABLE"), os.environ.get("TORCH_NPU_DISABLED_WARNING"))
    return not is_off and os.environ.get("RANK", "0") in ("", "0")


logger.addFilter(_is_told)


def printable(text: str) -> str:
    """The text with an escape for each half of a surrogate pair, which no file in UTF-8 can hold.

    >>> printable("a\\udc80b")
    'a\\\\udc80b'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def is_text(given: object) -> bool:
    """Whether it is a text that files in UTF-8 can hold.

    >>> is_text("a"), is_text("\\udc80"), is_text(b"a")
    (True, False, False)
    """
    if not isinstance(given, str):
        return False
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True


class ProfilerLevel:
    """How much is recorded on the device.

    >>> ProfilerLevel.Level1
    'Level1'
    """

    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"
    Level_none = "Level_none"


class AiCMetrics:
    """Which counters of the AI cores are recorded.

    >>> AiCMetrics.PipeUtilization
    'ACL_AICORE_PIPE_UTILIZATION'
    """

    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"
    AiCoreNone = "ACL_AICORE_NONE"


class ExportType:
    """What an analysis leaves: a warehouse, the vendor's text files, or both.

    >>> [ExportType.Db, ExportType.Text]
    ['db', 'text']
    """

    Db = "db"
    Text = "text"


class HostSystem:
    """What is recorded of the host beside the program.

    >>> HostSystem.CPU
    'cpu'
    """

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
    NUMA = "numa"


class ProfilerActivity(enum.Enum):
    """What is recorded at all.

    >>> ProfilerActivity.CPU.name
    'CPU'
    """

    CPU = 0
    NPU = 1


def supported_activities() -> set[ProfilerActivity]:
    """The activities that can be asked for.

    >>> ProfilerActivity.CPU in supported_activities()
    True
    """
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}


def words_of(kind: type) -> list[str]:
    """The values of a class of words, in the order they stand there.

    >>> words_of(ExportType)
    ['db', 'text']
    """
    return [value for name, value in vars(kind).items() if not name.startswith("_")]


class WrongSettingError(UsageError):
    """A setting that is not allowed, where nothing may be used instead (`refusing`)."""

    def __init__(self, name: str, given: object, allowed: str) -> None:
        super().__init__(f"{name}={given!r} is not allowed ({allowed})")
        self.name = name
        self.given = given
        self.allowed = allowed


_is_refusing = False


@contextmanager
def refusing() -> Iterator[None]:
    """Within, a wrong setting is a WrongSettingError instead of being told and replaced: on a command line it is given
    before anything runs, and can still be put right.

    >>> with refusing():
    ...     report("every_step", 0, "a whole number from 1", 1)
    Traceback (most recent call last):
    warehouse.profiler.settings.WrongSettingError: every_step=0 is not allowed (a whole number from 1)
    """
    global _is_refusing  # noqa: PLW0603 one command a process
    _is_refusing = True
    try:
        yield
    finally:
        _is_refusing = False


def report(name: str, given: object, allowed: str, used: object) -> None:
    """Say that a setting is wrong: what was given, what is allowed, what is used instead."""
    if _is_refusing:
        raise WrongSettingError(name, given, allowed)
    logger.warning("%s=%s is not allowed (%s); %r is used instead", name, _shown(given), allowed, used)


def _shown(given: object) -> str:
    try:
        shown = repr(given)
    except Exception:  # it is the program's own object, and a number may have more digits than Python writes
        return f"<{type(given).__name__}>"
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def checked_count(name: str, given: object, least: int = 0) -> int:
    """A whole number from `least` on; anything else is reported and becomes `least`.  A switch counts as a number, as
    with torch_npu.

    >>> checked_count("active", 3, least=1)
    3
    """
    if isinstance(given, int) and given >= least:
        return given
    report(name, given, f"a whole number from {least}", least)
    return least


def checked_flag(name: str, given: object, default: bool = False) -> bool:
    """A switch; anything but True and False is reported and becomes the default.

    >>> checked_flag("with_stack", True)
    True
    """
    if isinstance(given, bool):
        return given
    report(name, given, "True or False", default)
    return default

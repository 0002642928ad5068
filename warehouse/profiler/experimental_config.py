"""`_ExperimentalConfig`: what is recorded beyond ranges, and what an analysis leaves (framework-files.md 6.5)."""

from __future__ import annotations

from typing import Any

from warehouse.profiler.settings import (
    AiCMetrics,
    ExportType,
    HostSystem,
    ProfilerLevel,
    checked_flag,
    is_text,
    logger,
    report,
    words_of,
)

_LONGEST_MS = 1_000_000_000
_LEVELS_WITHOUT_METRICS = (ProfilerLevel.Level0, ProfilerLevel.Level_none)


class _ExperimentalConfig:
    """Settings, checked one after the other; each wrong one is reported with what is allowed and what is used instead.

    >>> config = _ExperimentalConfig(profiler_level=ProfilerLevel.Level1, export_type=[ExportType.Db])
    >>> config.export_type, config.aic_metrics
    (['db'], 'ACL_AICORE_PIPE_UTILIZATION')
    """

    def __init__(
        self,
        profiler_level: str = ProfilerLevel.Level0,
        aic_metrics: str | None = None,
        l2_cache: bool = False,
        msprof_tx: bool = False,
        mstx: bool = False,
        data_simplification: bool | None = True,
        record_op_args: bool = False,
        op_attr: bool = False,
        gc_detect_threshold: float | None = None,
        export_type: str | list[str] = ExportType.Text,
        host_sys: list[str] | None = None,
        mstx_domain_include: list[str] | None = None,
        mstx_domain_exclude: list[str] | None = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
    ) -> None:
        self.profiler_level = _word("profiler_level", profiler_level, ProfilerLevel, ProfilerLevel.Level0)
        self.aic_metrics = _metrics(aic_metrics, self.profiler_level)
        self.l2_cache = checked_flag("l2_cache", l2_cache)
        self.msprof_tx = checked_flag("msprof_tx", msprof_tx)
        self.mstx = checked_flag("mstx", mstx)
        if self.profiler_level == ProfilerLevel.Level_none and not (self.mstx or self.msprof_tx):
            report("mstx", False, "True at Level_none, which records marks alone", True)
            self.mstx = True
        self.data_simplification = data_simplification
        if data_simplification is not None:
            self.data_simplification = checked_flag("data_simplification", data_simplification, default=True)
        self.record_op_args = checked_flag("record_op_args", record_op_args)
        self.export_type = checked_export_type(export_type) or [ExportType.Text]
        self.op_attr = checked_flag("op_attr", op_attr)
        if self.op_attr and ExportType.Db not in self.export_type:
            report("op_attr", True, "only with export_type db", False)
            self.op_attr = False
        self.gc_detect_threshold = _threshold(gc_detect_threshold)
        self.sys_io = checked_flag("sys_io", sys_io)
        self.sys_interconnection = checked_flag("sys_interconnection", sys_interconnection)
        include = _words("mstx_domain_include", mstx_domain_include)
        exclude = _words("mstx_domain_exclude", mstx_domain_exclude)
        if (include or exclude) and not (self.mstx or self.msprof_tx):
            report("mstx_domain_include/exclude", include or exclude, "only with mstx or msprof_tx", [])
            include, exclude = [], []
        if include and exclude:
            report("mstx_domain_exclude", exclude, "not together with mstx_domain_include", [])
            exclude = []
        self.mstx_domain_include = include
        self.mstx_domain_exclude = exclude
        self.host_sys = _host_systems(host_sys)

    def __repr__(self) -> str:
        return f"_ExperimentalConfig({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def supported_profiler_level() -> set[str]:
    """The levels that can be asked for."""
    return set(words_of(ProfilerLevel))


def supported_ai_core_metrics() -> set[str]:
    """The counters of the AI cores that can be asked for."""
    return set(words_of(AiCMetrics))


def supported_export_type() -> set[str]:
    """What an analysis can leave."""
    return set(words_of(ExportType))


def checked_export_type(given: object) -> list[str] | None:
    """The export types without repetition, or None (reported) if any is unknown.

    >>> checked_export_type(["db", "text", "db"])
    ['db', 'text']
    """
    allowed = words_of(ExportType)
    wanted = [given] if isinstance(given, str) else given
    if isinstance(wanted, list) and wanted and all(isinstance(each, str) and each in allowed for each in wanted):
        return list(dict.fromkeys(wanted))
    report("export_type", given, f"one or a list of {allowed}", [ExportType.Text])
    return None


def _word(name: str, given: object, kind: type, default: str) -> str:
    allowed = words_of(kind)
    if isinstance(given, str) and given in allowed:
        return given
    report(name, given, f"one of {allowed}", default)
    return default


def _metrics(given: object, level: str) -> str:
    default = AiCMetrics.AiCoreNone if level in _LEVELS_WITHOUT_METRICS else AiCMetrics.PipeUtilization
    if given is None:
        return default
    metrics = _word("aic_metrics", given, AiCMetrics, default)
    if level in _LEVELS_WITHOUT_METRICS and metrics != AiCMetrics.AiCoreNone:
        report("aic_metrics", given, f"only from Level1 on; the level is {level}", AiCMetrics.AiCoreNone)
        return AiCMetrics.AiCoreNone
    return metrics


def _threshold(given: Any) -> float | None:
    if given is None or (isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= _LONGEST_MS):
        return given
    report("gc_detect_threshold", given, f"a number of ms from 0 to {_LONGEST_MS}, or None", None)
    return None


def _words(name: str, given: object) -> list[str]:
    if given is None:
        return []
    if isinstance(given, list) and all(is_text(each) for each in given):
        return list(dict.fromkeys(given))
    report(name, given, "a list of texts in UTF-8", [])
    return []


def _host_systems(given: object) -> list[str]:
    if given is None:
        return []
    allowed = words_of(HostSystem)
    if isinstance(given, list | tuple | set | frozenset) and all(each in allowed for each in given):
        unmet = [each for each in (HostSystem.OSRT, HostSystem.NUMA) if each in given]
        if unmet:
            text = "host_sys: %s cannot be recorded without a tracer of the process or a preloaded library"
            logger.warning(text, " and ".join(unmet))
        return list(dict.fromkeys(given))
    report("host_sys", given, f"a list of {allowed}", [])
    return []

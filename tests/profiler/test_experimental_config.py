"""Settings beyond ranges: defaults, and what becomes of wrong ones (framework-files.md 6.5)."""

from __future__ import annotations

import inspect

import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from warehouse import profiler
from warehouse.profiler import AiCMetrics, ExportType, ProfilerLevel, _ExperimentalConfig


def test_defaults_say_nothing(caplog):
    config = _ExperimentalConfig()
    assert (config.profiler_level, config.aic_metrics, config.export_type) == ("Level0", "ACL_AICORE_NONE", ["text"])
    assert caplog.messages == []


def test_metrics_of_level_1_are_pipe_utilization():
    assert _ExperimentalConfig(profiler_level=ProfilerLevel.Level1).aic_metrics == AiCMetrics.PipeUtilization


def test_order_of_positional_settings_is_the_vendors():
    assert list(inspect.signature(_ExperimentalConfig).parameters) == [
        "profiler_level", "aic_metrics", "l2_cache", "msprof_tx", "mstx", "data_simplification", "record_op_args",
        "op_attr", "gc_detect_threshold", "export_type", "host_sys", "mstx_domain_include", "mstx_domain_exclude",
        "sys_io", "sys_interconnection",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "name", "used"),
    [
        ({"profiler_level": "Level9"}, "profiler_level", "Level0"),
        ({"profiler_level": "Level1", "aic_metrics": "X"}, "aic_metrics", AiCMetrics.PipeUtilization),
        ({"aic_metrics": AiCMetrics.Memory}, "aic_metrics", AiCMetrics.AiCoreNone),
        ({"l2_cache": 1}, "l2_cache", False),
        ({"msprof_tx": "yes"}, "msprof_tx", False),
        ({"mstx": None}, "mstx", False),
        ({"profiler_level": ProfilerLevel.Level_none}, "mstx", True),
        ({"data_simplification": 0}, "data_simplification", True),
        ({"record_op_args": 2}, "record_op_args", False),
        ({"op_attr": True}, "op_attr", False),
        ({"gc_detect_threshold": -1}, "gc_detect_threshold", None),
        ({"gc_detect_threshold": "1"}, "gc_detect_threshold", None),
        ({"export_type": "csv"}, "export_type", ["text"]),
        ({"export_type": ["db", "csv"]}, "export_type", ["text"]),
        ({"export_type": []}, "export_type", ["text"]),
        ({"host_sys": "cpu"}, "host_sys", []),
        ({"host_sys": ["cpu", "gpu"]}, "host_sys", []),
        ({"mstx_domain_include": ["a"]}, "mstx_domain_include", []),
        ({"mstx": True, "mstx_domain_include": "a"}, "mstx_domain_include", []),
        ({"mstx": True, "mstx_domain_include": ["a"], "mstx_domain_exclude": ["b"]}, "mstx_domain_exclude", []),
        ({"sys_io": 1}, "sys_io", False),
        ({"sys_interconnection": 1}, "sys_interconnection", False),
    ],
)
def test_a_wrong_setting_is_told_once_and_replaced(settings, name, used, caplog):
    config = _ExperimentalConfig(**settings)
    assert getattr(config, name) == used
    assert len(caplog.messages) == 1
    assert name in caplog.messages[0]
    assert f"{used!r} is used instead" in caplog.messages[0]


def test_right_settings_are_kept(caplog):
    config = _ExperimentalConfig(
        profiler_level=ProfilerLevel.Level2, aic_metrics=AiCMetrics.MemoryUB, l2_cache=True, mstx=True,
        data_simplification=None, op_attr=True, gc_detect_threshold=0, export_type=["db", "text", "db"],
        host_sys=["cpu", "mem", "cpu"], mstx_domain_include=["a", "a", "b"],
    )  # fmt: skip
    assert config.export_type == [ExportType.Db, ExportType.Text]
    assert config.host_sys == ["cpu", "mem"]
    assert config.mstx_domain_include == ["a", "b"]
    assert (config.gc_detect_threshold, config.data_simplification, config.op_attr) == (0, None, True)
    assert caplog.messages == []


def test_the_supported_words():
    assert profiler.supported_profiler_level() == {"Level0", "Level1", "Level2", "Level_none"}
    assert len(profiler.supported_ai_core_metrics()) == 9
    assert profiler.supported_export_type() == {"db", "text"}

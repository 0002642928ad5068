"""The file that dynamic_profile watches: what it says to a profiler, and a line for whatever is wrong in it."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from warehouse.profiler import dynamic_config


@pytest.fixture
def config(tmp_path):
    """A function: what stands in the file -> the profiler of its window."""

    def make(given):
        path = tmp_path / "profiler_config.json"
        path.write_text(json.dumps(given))
        return dynamic_config.profiler_of(dynamic_config.read_config(path))

    return make


def facts(profiler):
    return profiler._facts()


def test_the_defaults_are_a_right_file(config, caplog):
    profiler = config({**dynamic_config.DEFAULTS, "activities": ["CPU"], "warmup": 1})
    assert caplog.messages == []
    assert facts(profiler)["selection"]["every_step"] == 1


def test_selection_and_limits(config, caplog):
    profiler = config(
        {
            "activities": ["CPU"], "warmup": 1, "metadata": {"a": [1]},
            "selection": {"include_ops": ["aten::*"], "modules": ["Linear"], "every_step": 3, "shortest_us": 1.5},
            "disk_limits": {"disk_bytes": 1000, "chunk_seconds": 2},
        }
    )  # fmt: skip
    assert caplog.messages == []
    assert facts(profiler)["selection"] == {
        "include_ops": ("aten::*",), "exclude_ops": (), "modules": ("Linear",), "every_step": 3, "shortest_us": 1.5,
    }  # fmt: skip
    assert (profiler._limits.disk_bytes, profiler._limits.chunk_seconds) == (1000, 2)
    assert profiler.metadata.content()["a"] == [1]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"colour": 1}, "colour is no setting and is left out; there are: activities, prof_dir, "),
        ({"selection": {"ops": []}}, "selection.ops is no setting and is left out; there are: include_ops, "),
        ({"disk_limits": {"bytes": 1}}, "disk_limits.bytes is no setting"),
        ({"experimental_config": {"level": 1}}, "experimental_config.level is no setting"),
        ({"selection": []}, "selection=[] is not allowed (an object); 'its defaults' is used instead"),
        ({"selection": {"every_step": 0}}, "every_step=0 is not allowed (a whole number from 1)"),
        ({"selection": {"include_ops": "aten::*"}}, "include_ops='aten::*' is not allowed (a list of patterns)"),
        ({"disk_limits": {"disk_bytes": "1G"}}, "disk_bytes='1G' is not allowed (a whole number of bytes)"),
        ({"disk_limits": {"ring_bytes": 3}}, "ring_bytes=3 is not allowed (a power of two from 4096 to 1073741824)"),
        ({"record_shapes": 1}, "record_shapes=1 is not allowed (True or False)"),
        ({"analyse": "yes"}, "analyse='yes' is not allowed (True or False)"),
        ({"is_rank": None}, "is_rank=None is not allowed (True or False)"),
        ({"rank_list": [0, "1"]}, "rank_list=[0, '1'] is not allowed (a list of ranks)"),
        ({"active": 0}, "active=0 is not allowed (a whole number from 1)"),
        ({"warmup": -1}, "warmup=-1 is not allowed (a whole number from 0)"),
        ({"start_step": True}, "start_step=True is not allowed (a whole number, or -1 for at once)"),
        ({"start_step": -2}, "start_step=-2 is not allowed"),
        ({"activities": ["CPU", "GPU"]}, "activities=['CPU', 'GPU'] is not allowed"),
        ({"activities": [["CPU"], "CPU"]}, "activities=[['CPU'], 'CPU'] is not allowed"),
        ({"prof_dir": 3}, "dir_name=3 is not allowed (a path)"),
        ({"metadata": [1]}, "metadata=[1] is not allowed (an object)"),
        ({"experimental_config": {"host_sys": [{}]}}, "host_sys=[{}] is not allowed"),
    ],
)
def test_a_line_for_each_wrong_key(config, given, told, caplog):
    config({"activities": ["CPU"], "warmup": 1, **given})
    lines = [line for line in caplog.messages if "warmup=0: the first" not in line]
    assert len(lines) == 1
    assert told in lines[0]


@pytest.mark.parametrize("text", ["", "[1]", "{", "nul", '{"a": "' + "x" * (1 << 20) + '"}', "[" * 100_000])
def test_a_file_that_is_no_config_plans_nothing(tmp_path, text, caplog):
    path = tmp_path / "profiler_config.json"
    path.write_text(text)
    assert dynamic_config.read_config(path) is None
    assert len(caplog.messages) == 1
    assert "no window is planned" in caplog.messages[0]

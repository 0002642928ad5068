"""Operators of TorchScript have their place in the script as stack, those of Python theirs in Python."""

from __future__ import annotations

import sqlite3

import pytest

pytestmark = pytest.mark.torch


def test_stacks_of_scripts_and_of_python(script):
    done = script(
        """
        import torch
        from warehouse.profiler import *
        from warehouse.profiler import _ExperimentalConfig
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 4)
            def forward(self, x):
                return torch.relu(self.layer(x))
        net = torch.jit.script(Net())
        def in_python():
            return torch.sigmoid(torch.ones(4, 4))
        with torch.no_grad():
            net(torch.ones(4, 4)), net(torch.ones(4, 4))
            with profile(
                activities=[ProfilerActivity.CPU],
                with_stack=True,
                with_modules=True,
                on_trace_ready=tensorboard_trace_handler("./result"),
                experimental_config=_ExperimentalConfig(export_type=ExportType.Db),
            ):
                net(in_python())
        """
    )
    connection = sqlite3.connect(done.warehouse("result"))
    stacks = dict(
        connection.execute(
            """
            SELECT name.value, frame.value FROM op
            JOIN string AS name ON name.id = op.name_id
            JOIN stack_frame USING (stack_id) JOIN string AS frame ON frame.id = stack_frame.string_id
            WHERE stack_frame.depth = 0 AND name.value IN ('aten::relu', 'aten::linear', 'aten::sigmoid')
            """
        ).fetchall()
    )
    assert stacks["aten::relu"].endswith(("train.py(10): forward", "train.py(10): <forward op>"))
    assert "linear.py" in stacks["aten::linear"]
    assert stacks["aten::sigmoid"].endswith("train.py(12): in_python")
    connection.close()

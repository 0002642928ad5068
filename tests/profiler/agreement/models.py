"""Pieces of work that torch does in different ways; each is built once a test, and called as often as it likes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.norm = nn.LayerNorm(16)
        self.last = nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.first(x)))
        return self.last(x)


def training() -> Callable[[], Any]:
    """Forward, backward and optimizer."""
    net, data = _Net(), torch.randn(4, 8)
    optimizer = torch.optim.AdamW(net.parameters())

    def work() -> None:
        for _ in range(2):
            optimizer.zero_grad()
            net(data).square().mean().backward()
            optimizer.step()

    return work


def convolutions() -> Callable[[], Any]:
    """A small network for pictures, with buffers that change in the forward pass."""
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout())
    data = torch.randn(2, 3, 8, 8)
    return lambda: net(data).sum().backward()


def attention() -> Callable[[], Any]:
    """A layer of a transformer: lists of tensors, views, integer inputs."""
    table, layer = nn.Embedding(10, 8), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    tokens = torch.randint(0, 10, (2, 5))

    def work() -> None:
        parts = layer(table(tokens)).split(2, dim=1)
        torch.cat([parts[0], parts[1]]).sum().backward()

    return work


def checkpointing() -> Callable[[], Any]:
    """The forward pass again within the backward pass."""
    net, data = _Net(), torch.randn(4, 8, requires_grad=True)

    def work() -> None:
        checkpoint(net, data, use_reentrant=False).sum().backward()
        checkpoint(net, data, use_reentrant=True).sum().backward()

    return work


def script() -> Callable[..., Any]:
    """TorchScript, of a module and of a function."""
    net, data = torch.jit.script(_Net()), torch.randn(4, 8)

    @torch.jit.script
    def repeated(x: torch.Tensor, times: int) -> torch.Tensor:
        for _ in range(times):
            x = x * 2 + 1
        return x

    def work(is_backward: bool = True) -> None:
        loss = repeated(net(data), 3).sum()
        if is_backward:
            loss.backward()

    return work


def inference() -> Callable[[], Any]:
    """Nothing for autograd."""
    net, data = _Net(), torch.randn(4, 8)

    def work() -> None:
        with torch.inference_mode():
            net(data)
        with torch.no_grad():
            net(data)

    return work


def autocast() -> Callable[[], Any]:
    """Types that change on the way."""
    net, data = _Net(), torch.randn(4, 8)

    def work() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = net(data).float().sum()
        loss.backward()

    return work


def odd_inputs() -> Callable[[], Any]:
    """Inputs of every kind: complex, half, boolean, quantized, sparse, empty, no dimension, none at all."""

    def work() -> None:
        torch.randn(3, dtype=torch.complex64).abs()
        torch.ones(2, 2, dtype=torch.float16) + torch.ones((), dtype=torch.float64)
        torch.where(torch.tensor([True, False]), 1, 0)
        torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.quint8).dequantize()
        torch.eye(3).to_sparse().to_dense()
        torch.empty(0, 3).sum()
        torch.stack([torch.zeros(2)] * 3).index_select(0, torch.tensor([0, 2]))
        torch.clamp(torch.arange(4), min=1, max=None)
        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2))
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).mul(2)
        torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
        torch.ones(2, 2)[:, None, ..., [0, 1]].pow_(2.5)

    return work


class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2


def own_function() -> Callable[[], Any]:
    """A function of autograd in Python, gradients of gradients, hooks."""

    def work() -> None:
        x = torch.randn(4, requires_grad=True)
        x.register_hook(lambda gradient: gradient * 1)
        (slope,) = torch.autograd.grad(_Twice.apply(x).pow(3).sum(), x, create_graph=True)
        slope.sum().backward()

    return work


def user_ranges() -> Callable[[], Any]:
    """Ranges of the program's own, nested, repeated, with an error inside, and one that is left by a future."""

    def work() -> None:
        for _ in range(3):
            with torch.profiler.record_function("outer"), torch.profiler.record_function("inner", "argument"):
                torch.ones(2).add(1)
        try:
            with torch.profiler.record_function("failing"):
                torch.ones(2).view(3)
        except RuntimeError:
            torch.zeros(1)

    return work


MODELS = (
    training, convolutions, attention, checkpointing, script, inference, autocast, odd_inputs, own_function,
    user_ranges,
)  # fmt: skip

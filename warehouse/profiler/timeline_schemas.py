"""Which of its inputs an operator writes, by the schemas that torch has of it."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any


@cache
def has_schema(name: str, kinds: tuple[str, ...]) -> bool:
    """Whether an operator of that name with inputs of such kinds is registered; by its name alone without torch.

    >>> has_schema("my range", ())
    False
    """
    return "::" in name and (_torch() is None or _written(name, kinds) is not None)


@cache
def written_inputs(name: str, kinds: tuple[str, ...]) -> tuple[bool | None, ...]:
    """Whether an operator writes into each of its inputs; None where no schema tells.

    >>> written_inputs("my range", ("tensor", "scalar"))
    (None, None)
    """
    return _written(name, kinds) or (None,) * len(kinds)


@cache
def _written(name: str, kinds: tuple[str, ...]) -> tuple[bool, ...] | None:
    """By all schemas that fit the kinds of the inputs; None if none does."""
    fitting = [each for each in _registered(name) if len(each) == len(kinds) and all(map(_fits, each, kinds))]
    if not fitting:
        return None
    writes = [[bool(argument.alias_info and argument.alias_info.is_write) for argument in each] for each in fitting]
    return tuple(any(column) for column in zip(*writes, strict=True))


@cache
def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


@cache
def _registered(name: str) -> list[list[Any]]:
    torch = _torch()
    if torch is None or "::" not in name:
        return []
    return [schema.arguments for schema in torch._C._jit_get_schemas_for_operator(name)]


def _fits(argument: Any, kind: str) -> bool:
    text = str(argument.type)
    if text == "Any":
        return True
    if text.startswith("Optional["):
        if kind == "none":
            return True
        text = text.removeprefix("Optional[").removesuffix("]")
    if text == "Tensor":
        return kind in ("tensor", "none")  # one that has no sizes is told as none
    if text.startswith("List[") and "Tensor" in text:
        return kind in ("tensors", "none", "scalars")  # an empty list has no kind of its own
    return kind not in ("tensor", "tensors")

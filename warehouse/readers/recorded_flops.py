"""How many floating-point operations an operator takes, from the sizes of its inputs.

A multiplication with an addition counts as two.  Only operators that do the work themselves are counted, not those that
call them, so that sums count nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from warehouse.batches.recorded_inputs import RecordedInput, RecordedTensor

DOMAIN = "mfu_flops"  # of the marks that tell them, as the vendor's (framework-files.md 6.2)


def flops_of(name: str, inputs: list[RecordedInput]) -> int | None:
    """The number, or None for operators that are not counted and inputs that do not fit.

    >>> def tensor(*sizes): return RecordedInput("tensor", RecordedTensor(1, 1, 4, 6, (0, -1), sizes))
    >>> flops_of("aten::mm", [tensor(2, 3), tensor(3, 5)])
    60
    """
    formula = _FORMULAS.get(name)
    if formula is None:
        return None
    try:
        return formula(inputs)
    except (IndexError, TypeError, ValueError, ZeroDivisionError):
        return None


def is_counted(name: str) -> bool:
    """Whether there is a formula for the operator.

    >>> is_counted("aten::mm"), is_counted("aten::view")
    (True, False)
    """
    return name in _FORMULAS


def _sizes(inputs: list[RecordedInput], place: int) -> tuple[int, ...]:
    value = inputs[place].value
    if not isinstance(value, RecordedTensor):
        raise TypeError("not a tensor")
    return value.sizes


def _product(first: int) -> Callable[[list[RecordedInput]], int]:
    """Matrices, or batches of them, at `first` and the next place."""

    def formula(inputs: list[RecordedInput]) -> int:
        one, two = _sizes(inputs, first), _sizes(inputs, first + 1)
        *batch, rows, inner = one
        return 2 * prod(batch) * rows * inner * two[-1]

    return formula


def _convolution(inputs: list[RecordedInput]) -> int:
    """convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)"""
    data, weight = _sizes(inputs, 0), _sizes(inputs, 1)
    if inputs[6].value:  # transposed: each input element meets the whole kernel of its group
        return 2 * data[0] * prod(data[2:]) * prod(weight)
    output = _output_sizes(data[2:], weight[2:], inputs)
    return 2 * data[0] * prod(output) * prod(weight)


def _output_sizes(data: tuple[int, ...], kernel: tuple[int, ...], inputs: list[RecordedInput]) -> list[int]:
    stride, padding, dilation = (_spread(inputs[place], len(kernel)) for place in (3, 4, 5))
    return [
        (size + 2 * pad - gap * (length - 1) - 1) // step + 1
        for size, length, step, pad, gap in zip(data, kernel, stride, padding, dilation, strict=True)
    ]


def _spread(given: RecordedInput, count: int) -> list[int]:
    values = given.value
    if not isinstance(values, list) or not all(isinstance(each, int) for each in values):
        raise TypeError("no list of numbers")
    numbers = [each for each in values if isinstance(each, int)]
    return numbers * count if len(numbers) == 1 else numbers


def _convolution_backward(inputs: list[RecordedInput]) -> int:
    """convolution_backward(grad_output, input, weight, ...): a product for each of the two gradients."""
    gradient, weight = _sizes(inputs, 0), _sizes(inputs, 2)
    return 4 * gradient[0] * prod(gradient[2:]) * prod(weight)


def _attention(inputs: list[RecordedInput]) -> int:
    """query, key, value: two products of matrices."""
    query, key, value = (_sizes(inputs, place) for place in range(3))
    *batch, rows, inner = query
    return 2 * prod(batch) * rows * key[-2] * (inner + value[-1])


def _each_element(inputs: list[RecordedInput]) -> int:
    return prod(_sizes(inputs, 0))


_FORMULAS: dict[str, Callable[[list[RecordedInput]], int]] = {
    "aten::mm": _product(0),
    "aten::bmm": _product(0),
    "aten::addmm": _product(1),
    "aten::baddbmm": _product(1),
    "aten::convolution": _convolution,
    "aten::convolution_backward": _convolution_backward,
    "aten::_scaled_dot_product_flash_attention": _attention,
    "aten::_scaled_dot_product_flash_attention_for_cpu": _attention,
    "aten::_scaled_dot_product_efficient_attention": _attention,
    "aten::add": _each_element,
    "aten::mul": _each_element,
}

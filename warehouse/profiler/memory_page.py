"""The page of a memory timeline: stacked areas drawn by the page itself, with what each category holds at any time.
One file; it asks nothing of any network."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import numpy.typing as npt

_MOST_POINTS = 4000  # more than a screen has columns
# from below, in the order of the categories
_AREAS = (
    ("Parameter", "#3d8b5f"),
    ("Optimizer state", "#e0ab45"),
    ("Input", "#4b5563"),
    ("Temporary", "#a78bda"),
    ("Activation", "#d9605a"),
    ("Gradient", "#3f63c4"),
    ("Autograd detail", "#86aef0"),
    ("Unknown", "#a3a8b0"),
)
Numbers = npt.NDArray[np.int64]


@dataclass
class Curves:
    """Times in ns, rising, and after each the bytes of every category: a row a time."""

    times: Numbers
    sizes: Numbers


def page(device: str, curves: Curves, reserved: int) -> str:
    """The page as HTML.  `reserved`: most that the allocator reserved, 0 if it does not tell.

    >>> "Memory of cpu" in page("cpu", Curves(np.array([10]), np.zeros((1, 8), np.int64)), 0)
    True
    """
    thin = thinned(curves)
    held = curves.sizes.sum(axis=1)
    peak = int(held.argmax())
    shown = {
        "times": (thin.times - curves.times[0]).tolist(),
        "sizes": thin.sizes.tolist(),
        "names": [name for name, _ in _AREAS],
        "colors": [color for _, color in _AREAS],
        "peaks": curves.sizes.max(axis=0).tolist(),
        "peak": int(held[peak]),
        "peak_at": int(curves.times[peak] - curves.times[0]),
        "reserved": reserved,
        "changes": len(curves.times),
    }
    data = json.dumps(shown, separators=(",", ":")).replace("<", "\\u003c")
    text = files("warehouse.profiler").joinpath("memory_page.html").read_text("utf-8")
    return text.replace("@TITLE@", html.escape(f"Memory of {device}")).replace("@DATA@", data)


def thinned(curves: Curves, most: int = _MOST_POINTS) -> Curves:
    """About `most` points at most, the first and the last among them; of those that fall into the same short time the
    highest stays, so that no peak is lost.

    >>> thinned(Curves(np.array([0, 1, 2, 9]), np.array([[1], [9], [2], [3]])), 2).sizes.tolist()
    [[1], [9], [3]]
    """
    count = len(curves.times)
    if count <= most:
        return curves
    span = max(int(curves.times[-1] - curves.times[0]), 1)
    part = (curves.times - curves.times[0]).astype(float) * (most / span)
    part = np.minimum(part.astype(np.int64), most - 1)
    order = np.lexsort((curves.sizes.sum(axis=1), part))
    highest = order[np.append(np.flatnonzero(np.diff(part[order])), count - 1)]
    kept = np.unique([0, *highest.tolist(), count - 1])
    return Curves(curves.times[kept], curves.sizes[kept])

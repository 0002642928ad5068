"""The page of a memory timeline: stacked areas drawn by the page itself, with a legend and what is held at each time.
One file; it asks nothing of any network."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass

_MOST_POINTS = 4000  # more than a screen has columns
# from below; the vendor's colours (framework-files.md 5.13)
_AREAS = (
    ("Parameter", "darkgreen"),
    ("Optimizer state", "goldenrod"),
    ("Input", "black"),
    ("Temporary", "mediumpurple"),
    ("Activation", "red"),
    ("Gradient", "mediumblue"),
    ("Autograd detail", "royalblue"),
    ("Unknown", "grey"),
)


@dataclass
class Curves:
    """Times in ns, and after each the bytes of every category."""

    times: list[int]
    sizes: list[list[int]]


def page(device: str, curves: Curves, reserved: int) -> str:
    """The page as HTML.  `reserved`: most that the allocator reserved, 0 if it does not tell.

    >>> "memory of cpu" in page("cpu", Curves([10], [[0] * 8]), 0)
    True
    """
    thin = thinned(curves)
    first = curves.times[0]
    peak = max(map(sum, curves.sizes))
    facts = f"most allocated {_bytes(peak)}" + (f", most reserved {_bytes(reserved)}" if reserved else "")
    shown = {
        "times": [round((time - first) / 1e6, 6) for time in thin.times],
        "sizes": thin.sizes,
        "names": [name for name, _ in _AREAS],
        "colors": [color for _, color in _AREAS],
    }
    data = json.dumps(shown, separators=(",", ":")).replace("<", "\\u003c")
    title = html.escape(f"memory of {device}: {facts}")
    return _PAGE.replace("@TITLE@", title).replace("@DATA@", data)


def thinned(curves: Curves, most: int = _MOST_POINTS) -> Curves:
    """At most about `most` points; of those that fall together the highest stays, so that no peak is lost.

    >>> thinned(Curves([1, 2, 3, 4], [[1], [9], [2], [3]]), 2).sizes
    [[9], [3]]
    """
    count = len(curves.times)
    if count <= most:
        return curves
    kept = []
    for place in range(most):
        part = range(place * count // most, (place + 1) * count // most)
        kept.append(max(part, key=lambda each: sum(curves.sizes[each])))
    return Curves([curves.times[each] for each in kept], [curves.sizes[each] for each in kept])


def _bytes(count: int) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count = count / 1024  # type: ignore[assignment]
    return f"{count:.4g} GiB"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>@TITLE@</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff }
h1 { font-size: 1.1em }
canvas { width: 100%; height: 60vh; border: 1px solid #ccc; display: block }
#legend span { display: inline-block; margin: .5em 1.2em .2em 0; cursor: pointer; user-select: none }
#legend i { display: inline-block; width: .9em; height: .9em; margin-right: .4em; vertical-align: -.1em }
#legend .off { opacity: .35 }
#told { min-height: 1.4em; font-variant-numeric: tabular-nums }
</style>
<h1>@TITLE@</h1>
<canvas></canvas>
<div id="legend"></div>
<p id="told">Point at a time to read what is held; click a category to leave it out.</p>
<script>
"use strict";
const data = @DATA@;
const canvas = document.querySelector("canvas"), told = document.querySelector("#told");
const left = 90, bottom = 30, top_ = 10, right = 10;
const shown = data.names.map((_, at) => data.sizes.some(row => row[at] !== 0));
function text(bytes) {
  for (const unit of ["B", "KiB", "MiB"]) {
    if (Math.abs(bytes) < 1024) return +bytes.toPrecision(4) + " " + unit;
    bytes /= 1024;
  }
  return +bytes.toPrecision(4) + " GiB";
}
const sum = row => row.reduce((held, size, at) => held + (shown[at] ? Math.max(size, 0) : 0), 0);
let x, y, width, height;
function draw() {
  const scale = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  canvas.width = box.width * scale; canvas.height = box.height * scale;
  width = box.width; height = box.height;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const last = data.times[data.times.length - 1] || 1, most = Math.max(...data.sizes.map(sum), 1);
  x = time => left + (width - left - right) * time / last;
  y = bytes => height - bottom - (height - bottom - top_) * bytes / most;
  pen.font = "12px system-ui, sans-serif"; pen.fillStyle = "#222"; pen.strokeStyle = "#ddd";
  for (let part = 0; part <= 5; ++part) {
    const level = y(most * part / 5), time = last * part / 5;
    pen.beginPath(); pen.moveTo(left, level); pen.lineTo(width - right, level); pen.stroke();
    pen.textAlign = "right"; pen.fillText(text(most * part / 5), left - 6, level + 4);
    pen.textAlign = part === 5 ? "right" : "center"; pen.fillText(+time.toPrecision(4) + " ms", x(time), height - 10);
  }
  const below = data.times.map(() => 0);
  data.names.forEach((_, at) => {
    if (!shown[at]) return;
    pen.fillStyle = data.colors[at];
    pen.beginPath();
    pen.moveTo(x(data.times[0]), y(below[0]));
    const above = data.sizes.map((row, place) => below[place] + Math.max(row[at], 0));
    above.forEach((level, place) => {
      if (place) pen.lineTo(x(data.times[place]), y(above[place - 1]));
      pen.lineTo(x(data.times[place]), y(level));
    });
    for (let place = below.length - 1; place >= 0; --place) {
      pen.lineTo(x(data.times[place]), y(below[place]));
      if (place) pen.lineTo(x(data.times[place]), y(below[place - 1]));
    }
    pen.closePath(); pen.fill();
    above.forEach((level, place) => { below[place] = level; });
  });
}
canvas.addEventListener("mousemove", event => {
  const time = (event.offsetX - left) / (width - left - right) * data.times[data.times.length - 1];
  let low = 0, high = data.times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (data.times[middle] <= time) low = middle; else high = middle - 1;
  }
  const row = data.sizes[low];
  told.textContent = data.times[low] + " ms: " + text(sum(row)) + " — " +
    data.names.map((name, at) => row[at] && shown[at] ? name + " " + text(row[at]) : "").filter(Boolean).join(", ");
});
const legend = document.querySelector("#legend");
data.names.forEach((name, at) => {
  if (!data.sizes.some(row => row[at] !== 0)) return;
  const entry = document.createElement("span"), color = document.createElement("i");
  color.style.background = data.colors[at];
  entry.append(color, name);
  entry.onclick = () => { shown[at] = !shown[at]; entry.classList.toggle("off"); draw(); };
  legend.append(entry);
});
window.addEventListener("resize", draw);
draw();
</script>
</html>
"""

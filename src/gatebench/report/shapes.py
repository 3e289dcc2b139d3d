"""What pictures are made of: a few SVG shapes, drawn by one template macro."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WIDTH = 360
"""Units; a phone shows about one pixel for each."""


@dataclass(frozen=True)
class Shape:
    """One SVG element. The template escapes everything, so any text may stand here."""

    kind: str
    css: str
    at: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    title: str = ""
    """Shown when pointed at."""


@dataclass(frozen=True)
class Figure:
    """One picture with its words."""

    id: str
    title: str
    caption: str
    height: float
    shapes: tuple[Shape, ...]
    legend: tuple[tuple[str, str], ...] = ()
    """(css class, words) of each colour."""
    width: int = WIDTH


def _at(**numbers: float) -> dict[str, str]:
    return {key: f"{value:.1f}" for key, value in numbers.items()}


def line(css: str, start: tuple[float, float], end: tuple[float, float]) -> Shape:
    """A straight line."""
    return Shape("line", css, _at(x1=start[0], y1=start[1], x2=end[0], y2=end[1]))


def rect(css: str, at: tuple[float, float], size: tuple[float, float], title: str = "") -> Shape:
    """A box; a negative size is none."""
    width, height = max(size[0], 0.0), max(size[1], 0.0)
    return Shape("rect", css, _at(x=at[0], y=at[1], width=width, height=height), title=title)


def dot(css: str, at: tuple[float, float], radius: float, title: str = "") -> Shape:
    """A circle."""
    return Shape("circle", css, _at(cx=at[0], cy=at[1], r=radius), title=title)


def text(css: str, at: tuple[float, float], words: str) -> Shape:
    """Words; ``end`` or ``middle`` in the class anchors them there."""
    return Shape("text", css, _at(x=at[0], y=at[1]), text=words)


def ribbon(css: str, left: tuple[float, float, float], right: tuple[float, float, float]) -> Shape:
    """A band from one edge to another, each given as (x, top, bottom)."""
    (x1, top1, bottom1), (x2, top2, bottom2) = left, right
    middle = (x1 + x2) / 2
    path = (
        f"M{x1:.1f} {top1:.1f} C{middle:.1f} {top1:.1f} {middle:.1f} {top2:.1f} {x2:.1f} {top2:.1f}"
        f" L{x2:.1f} {bottom2:.1f} C{middle:.1f} {bottom2:.1f} {middle:.1f} {bottom1:.1f} "
        f"{x1:.1f} {bottom1:.1f} Z"
    )
    return Shape("path", css, {"d": path})


def polyline(css: str, points: list[tuple[float, float]]) -> Shape:
    """A broken line through points."""
    return Shape("polyline", css, {"points": " ".join(f"{x:.1f},{y:.1f}" for x, y in points)})


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers across a range, ends included or passed."""
    span = max(high - low, 1e-9)
    size = 10.0 ** len(str(int(span / about)).lstrip("0")) / 10 if span / about >= 1 else 1.0
    while size > span / about:
        size /= 10
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= span / about)
    first, last = int(low // step), int(-(-high // step))
    return [round(step * k, 10) for k in range(first, last + 1)]

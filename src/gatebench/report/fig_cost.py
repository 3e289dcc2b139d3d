"""Cost against requirements, and the configs that no other beats."""

from dataclasses import dataclass

from gatebench.report import words
from gatebench.report.results import Results
from gatebench.report.shapes import WIDTH, Figure, Shape, dot, line, polyline, text, ticks

LEFT, RIGHT, TOP, BOTTOM = 40, WIDTH - 14, 10, 220
LABEL = 13
"""Least distance between two labels."""


@dataclass(frozen=True)
class Point:
    """One config."""

    config: str
    usd: float
    share: float
    on_frontier: bool


@dataclass(frozen=True)
class Plane:
    """Dollars and shares to units."""

    usd: tuple[float, float]
    percent: tuple[float, float]

    def at(self, point: Point) -> tuple[float, float]:
        """Where a config stands."""
        return self.x(point.usd), self.y(100 * point.share)

    def x(self, usd: float) -> float:
        """Dollars to the right."""
        low, high = self.usd
        return LEFT + (usd - low) / (high - low) * (RIGHT - LEFT)

    def y(self, percent: float) -> float:
        """Percent upwards."""
        low, high = self.percent
        return BOTTOM - (percent - low) / (high - low) * (BOTTOM - TOP)


def cost_plane(found: Results) -> Figure | None:
    """The picture; ``None`` unless two configs or more have both figures."""
    points = _points(found)
    if len(points) < 2:  # noqa: PLR2004  # one point compares with nothing
        return None
    dollars = ticks(0.0, max(p.usd for p in points) * 1.05 or 1.0, 4)
    shares = ticks(min(80.0, min(100 * p.share for p in points) - 5), 100, 5)
    plane = Plane((dollars[0], dollars[-1]), (max(shares[0], 0.0), 100.0))
    return Figure(
        id="cost",
        title="Requirements against cost",
        caption="Mean dollars per trial and hidden pass rate; points alone, without their "
        "uncertainty. The line joins configs that no other beats on both.",
        height=BOTTOM + 34,
        shapes=tuple(
            _axes(plane, dollars, shares) + _frontier(plane, points) + _dots(plane, points)
        ),
        legend=(("c-front", "on the frontier"), ("c-behind", "another passes more for less")),
    )


def _points(found: Results) -> list[Point]:
    rates = {c.config: c.pass_rate.value for c in found.configs}
    return [
        Point(c.config, c.total.value, share, on_frontier=bool(c.on_frontier))
        for c in found.costs
        if c.total.value is not None and (share := rates[c.config]) is not None
    ]


def _axes(plane: Plane, dollars: list[float], shares: list[float]) -> list[Shape]:
    shapes: list[Shape] = []
    for percent in (s for s in shares if 0 <= s <= 100):  # noqa: PLR2004  # a share
        y = plane.y(percent)
        shapes += [line("grid", (LEFT, y), (RIGHT, y))]
        shapes += [text("small end", (LEFT - 5, y + 4), f"{percent:.0f} %")]
    for usd in dollars:
        anchor = "small end" if usd == dollars[-1] else "small middle"
        shapes += [line("grid", (plane.x(usd), TOP), (plane.x(usd), BOTTOM))]
        shapes += [
            text(
                anchor,
                (plane.x(usd), BOTTOM + 14),
                f"${usd:g}" if usd >= 1 or not usd else f"${usd:.2f}",
            )
        ]
    return [*shapes, text("small end", (RIGHT, BOTTOM + 28), "per trial")]


def _frontier(plane: Plane, points: list[Point]) -> list[Shape]:
    front = sorted((p for p in points if p.on_frontier), key=lambda p: p.usd)
    return [polyline("c-line", [plane.at(p) for p in front])] if len(front) > 1 else []


def _dots(plane: Plane, points: list[Point]) -> list[Shape]:
    shapes: list[Shape] = []
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda p: -p.share):
        x, y = plane.at(point)
        css = "c-front" if point.on_frontier else "c-behind"
        told = f"{point.config}: {words.percent(point.share)} for {words.usd(point.usd)}"
        left = x > (LEFT + RIGHT) / 2
        at = _free((x - 8 if left else x + 8, y + 4), taken)
        taken.append(at)
        shapes += [dot(css, (x, y), 5, told)]
        shapes += [text("label end" if left else "label", at, point.config)]
    return shapes


def _free(at: tuple[float, float], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """The same place, or lower where another label stands in the way."""
    x, y = at
    near = 60
    while any(abs(y - other) < LABEL and abs(x - side) < near for side, other in taken):
        y += 2
    return x, y

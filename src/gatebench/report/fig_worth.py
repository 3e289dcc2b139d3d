"""Acceptability curves: how sure the job is of a net benefit, by what a requirement is worth."""

from gatebench.report import words
from gatebench.report.money_sheets import name
from gatebench.report.results import Results
from gatebench.report.shapes import WIDTH, Figure, Shape, line, polyline, text
from gatebench.stats.compared import Comparison, Point

LEFT, RIGHT, TOP, BOTTOM = 40, WIDTH - 14, 10, 170
SURE = 0.975
"""Where a two-sided 95 % interval of the net benefit just excludes 0."""


def worth_curves(found: Results) -> Figure | None:
    """One curve for each planned contrast; ``None`` where there is none to draw."""
    curves = [c for c in found.comparisons if c.planned and len(c.acceptability) > 1]
    if not curves:
        return None
    shapes = _axes(curves[0].acceptability)
    shapes += [_curve(n, c) for n, c in enumerate(curves)]
    return Figure(
        id="acceptability",
        title="How sure is the benefit, at what worth?",
        caption="One minus the one-sided p that extra requirements, at the worth below, outweigh "
        "the extra cost; tasks like these. Above the dark line the 95 % interval excludes 0.",
        height=BOTTOM + 34,
        shapes=tuple(shapes),
        legend=tuple((f"a-{n}", name(c)) for n, c in enumerate(curves)),
    )


def _axes(points: tuple[Point, ...]) -> list[Shape]:
    shapes: list[Shape] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        shapes.append(line("grid", (LEFT, _y(share)), (RIGHT, _y(share))))
        shapes.append(text("small end", (LEFT - 5, _y(share) + 4), words.percent(share)))
    for n, point in enumerate(points):
        if n % 2 == 0:
            at = (_x(n, len(points)), BOTTOM + 14)
            shapes.append(text("small middle", at, f"${point.worth_usd:g}"))
    shapes.append(line("zero", (LEFT, _y(SURE)), (RIGHT, _y(SURE))))
    return [*shapes, text("small end", (RIGHT, BOTTOM + 28), "worth of a hidden requirement")]


def _curve(n: int, found: Comparison) -> Shape:
    points = found.acceptability
    at = [(_x(i, len(points)), _y(p.confidence)) for i, p in enumerate(points)]
    return polyline(f"a-{n}", at)


def _x(n: int, of: int) -> float:
    """The grid's points stand at equal distances: worths grow by factors."""
    return LEFT + n / (of - 1) * (RIGHT - LEFT)


def _y(share: float) -> float:
    return BOTTOM - share * (BOTTOM - TOP)

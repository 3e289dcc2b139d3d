"""Stop by stop: how requirements pass and fail, and what blocks move between the two."""

from dataclasses import dataclass

from gatebench.report.results import Results
from gatebench.report.shapes import WIDTH, Figure, Shape, rect, ribbon, text
from gatebench.stats.records import FlowStep

TOP, HEIGHT, COLUMN, LEFT, RIGHT = 20, 110, 12, 12, WIDTH - 12
MOST = 9
"""Looks drawn; later ones are in the table."""


@dataclass(frozen=True)
class Place:
    """A column's x, and how many units one requirement is high."""

    x: float
    unit: float

    def y(self, requirements: float) -> float:
        """Height above the bottom."""
        return TOP + HEIGHT - requirements * self.unit


def flows(found: Results) -> tuple[Figure, ...]:
    """One picture for each gated config."""
    figures = (
        _flow(config, [s for s in found.flow if s.config == config][:MOST])
        for config in found.job.configs
    )
    return tuple(f for f in figures if f)


def _flow(config: str, steps: list[FlowStep]) -> Figure | None:
    most = max((s.passing + s.failing for s in steps), default=0)
    if not most:
        return None
    gap = (RIGHT - LEFT - COLUMN) / max(len(steps) - 1, 3)
    places = [Place(LEFT + gap * n, HEIGHT / most) for n in range(len(steps))]
    shapes: list[Shape] = []
    for n, step in enumerate(steps):
        if n + 1 < len(steps):
            shapes += _ribbons(step, places[n], places[n + 1])
    for step, place in zip(steps, places, strict=True):
        shapes += _column(step, place)
    return Figure(
        id=f"flow-{config}",
        title=f"{config}: requirements stop by stop",
        caption="Column n: requirements of the trials that reached stop n (or, after a last block, "
        "their end). A column is lower when trials have ended.",
        height=TOP + HEIGHT + 18,
        shapes=tuple(shapes),
        legend=(
            ("w-pass", "passing"),
            ("w-fail", "failing"),
            ("w-repaired", "repaired"),
            ("w-broken", "broken by a block"),
        ),
    )


def _column(step: FlowStep, place: Place) -> list[Shape]:
    whole = step.passing + step.failing
    passing, failing = place.y(step.passing), place.y(whole)
    bottom = place.y(0)
    middle = place.x + COLUMN / 2
    anchor = "" if place.x == LEFT else " middle"
    return [
        rect("w-pass", (place.x, passing), (COLUMN, bottom - passing), f"{step.passing} pass"),
        rect("w-fail", (place.x, failing), (COLUMN, passing - failing), f"{step.failing} fail"),
        text("small" + anchor, (middle if anchor else place.x, bottom + 13), f"{step.n}"),
        text(
            "small" + anchor,
            (middle if anchor else place.x, failing - 4),
            f"{step.passing}/{whole}",
        ),
    ]


def _ribbons(step: FlowStep, here: Place, there: Place) -> list[Shape]:
    """Untouched and broken leave from the passing part, repaired and still broken from above."""
    parts = (
        ("w-stay", step.untouched, step.left_passing, 0),
        ("w-broken", step.broken, step.left_passing + step.untouched, None),
        ("w-repaired", step.repaired, step.passing, step.untouched),
        ("w-still", step.still_broken, step.passing + step.repaired, None),
    )
    passing = step.untouched + step.repaired
    landing = {"w-broken": passing, "w-still": passing + step.broken}
    return [
        _band(css, (here, start), (there, landing.get(css, end or 0)), n)
        for css, n, start, end in parts
        if n
    ]


def _band(css: str, start: tuple[Place, int], end: tuple[Place, int], n: int) -> Shape:
    (here, low), (there, base) = start, end
    return ribbon(
        css,
        (here.x + COLUMN, here.y(low + n), here.y(low)),
        (there.x, there.y(base + n), there.y(base)),
    )

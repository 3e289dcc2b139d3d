"""Forest plot: each contrast's points of the hidden pass rate, with both intervals."""

from dataclasses import dataclass

from gatebench.report import words
from gatebench.report.money_sheets import name
from gatebench.report.results import Results
from gatebench.report.shapes import WIDTH, Figure, Shape, dot, line, rect, text, ticks
from gatebench.stats.compared import Comparison
from gatebench.stats.estimate import Estimate

TOP, ROW, LEFT, RIGHT = 8, 46, 12, WIDTH - 12


@dataclass(frozen=True)
class Scale:
    """Points to units."""

    low: float
    high: float

    def x(self, share: float) -> float:
        """Where a difference stands."""
        return LEFT + (100 * share - self.low) / (self.high - self.low) * (RIGHT - LEFT)


def forest(found: Results) -> Figure | None:
    """The plot; ``None`` where nothing can be compared."""
    rows = [c for c in found.comparisons if c.difference.value is not None]
    if not rows:
        return None
    marks = ticks(*_range(rows))
    scale = Scale(marks[0], marks[-1])
    bottom = TOP + ROW * len(rows)
    shapes = _axis(scale, marks, bottom)
    for n, row in enumerate(rows):
        shapes += _row(row, scale, TOP + ROW * n)
    return Figure(
        id="forest",
        title="Effects on the hidden pass rate",
        caption="Points of difference, first config minus second, with 95 % intervals. An interval "
        "that crosses 0 shows no difference; it doesn't show that there is none.",
        height=bottom + 20,
        shapes=tuple(shapes),
        legend=(("f-a", "tasks like these"), ("f-b", "these tasks only")),
    )


def _range(rows: list[Comparison]) -> tuple[float, float]:
    figures = [0.0]
    for row in rows:
        for estimate in (row.difference, row.difference_these_tasks):
            figures += [estimate.value or 0.0, *(estimate.interval or ())]
    return 100 * min(figures) - 2, 100 * max(figures) + 2


def _axis(scale: Scale, marks: list[float], bottom: float) -> list[Shape]:
    shapes: list[Shape] = []
    for mark in marks:
        x = scale.x(mark / 100)
        shapes.append(line("zero" if mark == 0 else "grid", (x, TOP), (x, bottom)))
        shapes.append(text("small middle", (x, bottom + 14), words.points(mark / 100)))
    return shapes


def _row(row: Comparison, scale: Scale, top: float) -> list[Shape]:
    told = words.change(row.difference)
    return [
        text("label", (LEFT, top + 12), name(row)),
        text("small end", (RIGHT, top + 12), told if row.difference.interval else told + ", alone"),
        *_whisker("f-a", row.difference, scale, top + 24),
        *_whisker("f-b", row.difference_these_tasks, scale, top + 35),
    ]


def _whisker(css: str, estimate: Estimate, scale: Scale, y: float) -> list[Shape]:
    if estimate.value is None:
        return []
    x = scale.x(estimate.value)
    title = words.change(estimate)
    if estimate.interval is None:
        return [dot(f"{css} hollow", (x, y), 3.5, f"{title}: {estimate.reason}")]
    low, high = (scale.x(limit) for limit in estimate.interval)
    return [
        line(f"{css} stroke", (low, y), (high, y)),
        rect(f"{css} fill", (x - 3.5, y - 3.5), (7, 7), title),
    ]

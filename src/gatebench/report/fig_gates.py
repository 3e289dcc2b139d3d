"""Per gate two bars: what it said of failing states, and of wholly passing ones."""

from gatebench.model.labels import Label
from gatebench.report.results import Results
from gatebench.report.shapes import WIDTH, Figure, Shape, line, rect, text
from gatebench.report.sheets import gate_name
from gatebench.stats.records import GateTable

LEFT, RIGHT, ROW, BAR = 12, WIDTH - 12, 62, 14
Segment = tuple[str, str, int]
APART = (Label.UNSCORABLE, Label.GATE_FAULT, Label.UNDELIVERED)


def confusion(found: Results) -> Figure | None:
    """The bars of every single gate; ``None`` where none stood at a stop."""
    gates = [g for g in found.gates if g.gate is not None]
    longest = max((sum(n for _, _, n in bar) for g in gates for bar in bars(g)), default=0)
    if not longest:
        return None
    shapes: list[Shape] = []
    for n, gate in enumerate(gates):
        shapes += _row(gate, ROW * n + 4, (RIGHT - LEFT) / longest)
    return Figure(
        id="confusion",
        title="What each gate said, against the truth",
        caption="All stops. Upper bar: at least one hidden requirement fails. Lower bar: all pass. "
        "Stops of one trial hang together, so no interval is drawn.",
        height=ROW * len(gates) + 4,
        shapes=tuple(shapes),
        legend=(
            ("g-right", "right block"),
            ("g-gaveup", "gave up"),
            ("g-miss", "miss"),
            ("g-false", "false block"),
            ("g-regression", "regression block"),
            ("g-correct", "correct allow"),
        ),
    )


def bars(gate: GateTable) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Segments (class, name, count) for failing and for wholly passing states."""
    labels, seen = gate.labels, gate.detection
    right, false = labels[Label.RIGHT_BLOCK], labels[Label.FALSE_BLOCK]
    return (
        (
            ("g-right", "right block", right),
            ("g-gaveup", "gave up", seen.failing_blocked - right),
            ("g-miss", "miss", labels[Label.MISS]),
        ),
        (
            ("g-false", "false block", false),
            ("g-gaveup", "gave up", seen.passing_blocked - false),
            ("g-regression", "regression block", labels[Label.REGRESSION_BLOCK]),
            ("g-correct", "correct allow", labels[Label.CORRECT_ALLOW]),
        ),
    )


def _row(gate: GateTable, top: float, unit: float) -> list[Shape]:
    failing, passing = bars(gate)
    return [
        text("label", (LEFT, top + 12), gate_name(gate)),
        *_apart(gate, top + 12),
        *_bar(failing, top + 18, unit),
        *_bar(passing, top + 18 + BAR + 3, unit),
    ]


def _apart(gate: GateTable, y: float) -> list[Shape]:
    """Stops that say nothing about the gate's judgement, in words."""
    apart = [(label.replace("_", " "), gate.labels[label]) for label in APART]
    told = ", ".join(f"{n} {name}" for name, n in apart if n)
    return [text("small end", (RIGHT, y), told)] if told else []


def _bar(segments: tuple[Segment, ...], top: float, unit: float) -> list[Shape]:
    shapes: list[Shape] = [line("grid", (LEFT, top), (LEFT, top + BAR))]
    x = float(LEFT)
    for css, name, n in segments:
        width = n * unit
        if n:
            shapes.append(rect(css, (x, top), (width - 0.7, BAR), f"{n} {name}"))
        if width > 4 + 7 * len(str(n)):
            shapes.append(text(f"on-{css} middle", (x + width / 2, top + 11), str(n)))
        x += width
    return shapes

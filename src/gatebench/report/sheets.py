"""The report's tables as text cells, once for Markdown and for the page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gatebench.model.labels import Label
from gatebench.report import words
from gatebench.report.results import Results
from gatebench.stats.estimate import Estimate
from gatebench.stats.records import ConfigTable, GateTable, TaskTable

LABELS: tuple[tuple[str, str], ...] = (
    (Label.RIGHT_BLOCK, "right"),
    (Label.FALSE_BLOCK, "false"),
    (Label.REGRESSION_BLOCK, "regression"),
    (Label.MISS, "miss"),
    (Label.CORRECT_ALLOW, "correct allow"),
    (Label.GIVE_UP, "give-up"),
    (Label.UNSCORABLE, "unscorable"),
    (Label.GATE_FAULT, "gate fault"),
    (Label.UNDELIVERED, "undelivered"),
)
"""Labels in the order of their columns, and the columns' heads."""


@dataclass(frozen=True)
class Sheet:
    """One table: the first column names the row, the others are right-aligned."""

    id: str
    title: str
    note: str
    """What the columns mean, one or two sentences."""
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def outcome_sheets(found: Results) -> tuple[Sheet, ...]:
    """What came of the trials: per config, per task."""
    return tuple(s for s in (_configs(found), _grid(found)) if s.rows)


def gate_sheets(found: Results) -> tuple[Sheet, ...]:
    """What each gate said against the truth."""
    sheets = (_labels(found), _first_stop(found), _blamed(found), _shadows(found))
    return tuple(s for s in sheets if s.rows)


def _configs(found: Results) -> Sheet:
    return Sheet(
        id="configs",
        title="Per config",
        note="Hidden requirements passing at the end. Pass rate: tasks weigh equal, 95 % interval "
        "over tasks like these. Gain: points above all first stops of the same tasks.",
        headers=(
            "config",
            "trials",
            "hidden",
            "fully passing",
            "pass rate",
            "gain",
            "stops",
            "blocks",
            "right",
            "false",
            "regression",
            "misses",
            "gave up",
            "ended blocked",
            "invalid",
        ),
        rows=tuple(_config_row(c) for c in found.configs),
    )


def _config_row(table: ConfigTable) -> tuple[str, ...]:
    counts = table.counts
    return (
        table.config,
        words.of(counts.valid, counts.planned),
        words.of(counts.passed, counts.possible),
        words.of(counts.full, counts.judged),
        words.rate(table.pass_rate),
        words.change(table.gain),
        *(words.count(n) for n in dict(table.blocks).values()),
        str(counts.invalid),
    )


def _grid(found: Results) -> Sheet:
    configs = found.job.configs
    cells = {(t.task, t.config): t for t in found.tasks}
    return Sheet(
        id="tasks",
        title="Per task",
        note="Hidden requirements passing at the end, and fully passing trials in brackets.",
        headers=("task", *configs),
        rows=tuple(
            (task, *(_cell(cells.get((task, c))) for c in configs)) for task in found.job.tasks
        ),
    )


def _cell(table: TaskTable | None) -> str:
    if table is None or table.counts.passed is None:
        return words.UNKNOWN
    counts = table.counts
    return f"{words.of(counts.passed, counts.possible)} ({words.of(counts.full, counts.judged)})"


def gate_name(table: GateTable) -> str:
    """``g13 · review``, or ``g13 · all``."""
    return f"{table.config} · {table.gate or 'all'}"


def _labels(found: Results) -> Sheet:
    return Sheet(
        id="labels",
        title="Per gate, all stops",
        note="Stops by label; counts only, because stops of one trial hang together. The last four "
        "columns say nothing about the gate's judgement. Not run: an earlier gate was red.",
        headers=("gate", *(head for _, head in LABELS), "not run"),
        rows=tuple(
            (gate_name(g), *(str(g.labels[label]) for label, _ in LABELS), str(g.not_run))
            for g in found.gates
        ),
    )


def _shadows(found: Results) -> Sheet:
    labels = tuple(pair for pair in LABELS if pair[0] is not Label.GIVE_UP)
    return Sheet(
        id="shadows",
        title="Shadow gates: what they would have said",
        note="They looked at every stop and nobody was told: each stop gets the label that the "
        "gate's word would have earned alone. They stand in no other table. The last two columns "
        "are of first stops alone.",
        headers=(
            "gate",
            *(head for _, head in labels),
            "failing, blocked",
            "passing, blocked",
        ),
        rows=tuple(
            (
                f"{g.config} · {g.gate}",
                *(str(g.labels[label]) for label, _ in labels),
                words.share(g.right_block_rate),
                words.share(g.false_block_rate),
            )
            for g in found.shadows
        ),
    )


def _first_stop(found: Results) -> Sheet:
    columns: tuple[tuple[str, Callable[[GateTable], Estimate]], ...] = (
        ("failing, blocked", lambda g: g.right_block_rate),
        ("passing, blocked", lambda g: g.false_block_rate),
        ("blocks that were right", lambda g: g.ppv),
        ("allows that were right", lambda g: g.npv),
        ("trials with a false block", lambda g: g.trials_with_false_block),
    )
    return Sheet(
        id="first-stop",
        title="Per gate, first stop of each trial",
        note="Failing, blocked: sensitivity. Passing, blocked: the false-block rate. Trials with a "
        "false block: of those that reached a wholly passing stop. Under 5 counts only, from 5 "
        "counts with limits, from 10 a rate.",
        headers=("gate", *(head for head, _ in columns), "MCC"),
        rows=tuple(
            (gate_name(g), *(words.share(what(g)) for _, what in columns), _plain(g.mcc))
            for g in found.gates
        ),
    )


def _blamed(found: Results) -> Sheet:
    return Sheet(
        id="blamed",
        title="What blocks pointed at",
        note="Matched: at a requirement that fails; by luck: elsewhere. Over-strict: the reference "
        "would have been blocked too; outside: a defect the hidden tests don't look for. Not "
        "known: not looked into, or a reviewer's word on good work.",
        headers=(
            "gate",
            "right",
            "matched",
            "by luck",
            "right, not known",
            "false",
            "over-strict",
            "outside",
            "false, not known",
        ),
        rows=tuple(
            (f"{r.config} · {r.gate}", *(str(n) for n in list(dict(r).values())[2:]))
            for r in found.reasons
        ),
    )


def _plain(estimate: Estimate) -> str:
    return words.number(estimate.value)


def reasons(found: Results) -> tuple[tuple[str, str], ...]:
    """Estimates of the config table that have no interval, and why."""
    named: Iterable[tuple[str, Estimate]] = (
        (f"{what} of {c.config}", getattr(c, key))
        for c in found.configs
        for what, key in (("pass rate", "pass_rate"), ("gain", "gain"))
    )
    return tuple((name, e.reason) for name, e in named if e.interval is None and e.reason)

"""The live table: what each config came to so far, in plain counts.

Fills while a job runs, so it needs nothing but the records: no scipy, no statsmodels. Unknown
is ``None`` in the records and '–' in the table, never 0.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from gatebench.model.job import JobData, TrialData
from gatebench.model.score import Score

UNKNOWN = "–"
SIMULATED = "SIMULATED"


@dataclass(frozen=True)
class Trials:
    """How many trials of a config there are, by how far they came."""

    planned: int
    valid: int
    """Done, and nothing of ours broke."""
    invalid: int
    """Done, but a fault of the harness makes them unusable."""

    @property
    def done(self) -> int:
        """Valid and invalid ones."""
        return self.valid + self.invalid


@dataclass(frozen=True)
class Hidden:
    """Hidden requirements and whole trials at the end of the valid trials."""

    passed: int | None
    """``None`` while no valid trial has a verdict."""
    possible: int
    """Verdicts there are: passed and failed ones."""
    unscorable: int
    """Requirements without a verdict, left out of ``possible``."""
    full: int | None
    """Trials in which every requirement passes."""
    judged: int
    """Trials whose every requirement has a verdict."""


@dataclass(frozen=True)
class Blocks:
    """Sums over the valid trials; ``None`` where there is no hook (bare) or nothing is known."""

    total: int | None
    right: int | None
    false: int | None
    regression: int | None
    misses: int | None
    give_ups: int | None
    """Trials in which the gate gave up."""


@dataclass(frozen=True)
class Cost:
    """US dollars over the valid trials, by role; a sum with an unknown part is ``None``."""

    worker_usd: float | None
    reviewers_usd: float | None
    writer_usd: float | None
    total_usd: float | None


@dataclass(frozen=True)
class ConfigCounts:
    """One row of the table."""

    config: str
    trials: Trials
    hidden: Hidden
    blocks: Blocks
    cost: Cost
    wall_s: float | None
    """Mean wall time of a valid trial, hooks included."""


@dataclass(frozen=True)
class JobCounts:
    """The whole table."""

    name: str
    simulated: bool
    rows: tuple[ConfigCounts, ...]
    """In the matrix's order of configs."""


def count(job: JobData) -> JobCounts:
    """Count a job as it is on disk, finished or not."""
    return JobCounts(job.name, job.simulated, tuple(_row(job, name) for name in job.configs))


def count_trials(config: str, trials: Iterable[TrialData]) -> ConfigCounts:
    """One row from any set of trials, e.g. those of one task."""
    given = tuple(trials)
    scores = [t.score for t in given if t.score is not None and t.valid]
    return ConfigCounts(
        config=config,
        trials=_trials(given),
        hidden=_hidden(scores),
        blocks=_blocks(scores),
        cost=_cost(scores),
        wall_s=_mean([s.wall_s for s in scores]),
    )


def _row(job: JobData, config: str) -> ConfigCounts:
    return count_trials(config, job.of(config))


def _trials(given: tuple[TrialData, ...]) -> Trials:
    valid = sum(t.valid for t in given)
    done = sum(t.score is not None for t in given)
    return Trials(planned=len(given), valid=valid, invalid=done - valid)


def _hidden(scores: list[Score]) -> Hidden:
    known = [s for s in scores if s.hidden_pass is not None and s.hidden_fail is not None]
    whole = [s.passed for s in known if s.passed is not None]
    return Hidden(
        passed=sum(s.hidden_pass or 0 for s in known) if known else None,
        possible=sum((s.hidden_pass or 0) + (s.hidden_fail or 0) for s in known),
        unscorable=sum(s.hidden_unscorable or 0 for s in known),
        full=sum(whole) if whole else None,
        judged=len(whole),
    )


def _blocks(scores: list[Score]) -> Blocks:
    return Blocks(
        total=_sum([s.blocks_total for s in scores]),
        right=_sum([s.right_blocks for s in scores]),
        false=_sum([s.false_blocks for s in scores]),
        regression=_sum([s.regression_blocks for s in scores]),
        misses=_sum([s.misses for s in scores]),
        give_ups=_sum([s.give_up for s in scores]),
    )


def _cost(scores: list[Score]) -> Cost:
    return Cost(
        worker_usd=_total([s.cost_worker_usd for s in scores]),
        reviewers_usd=_total([s.cost_reviewers_usd for s in scores]),
        writer_usd=_total([s.cost_testwriter_usd for s in scores]),
        total_usd=_total([s.cost_total_usd for s in scores]),
    )


def _sum(parts: list[int | None] | list[bool | None]) -> int | None:
    """A sum of counts; unknown when nothing is there or a part is unknown."""
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _total(parts: list[float | None]) -> float | None:
    """The same for money."""
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _mean(parts: list[float | None]) -> float | None:
    total = _total(parts)
    return None if total is None else total / len(parts)


def of(part: int | None, whole: int) -> str:
    """``41/50``, or '–' where nothing is known."""
    return UNKNOWN if part is None else f"{part}/{whole}"


def number(value: int | None) -> str:
    """A count, or '–'."""
    return UNKNOWN if value is None else str(value)


def dollars(value: float | None) -> str:
    """Dollars without the sign, enough digits to tell small ones apart, or '–'."""
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.3f}"


def seconds(value: float | None) -> str:
    """Seconds, or minutes and seconds from a hundred on, or '–'."""
    if value is None:
        return UNKNOWN
    if value < 99.5:  # noqa: PLR2004  # where two digits end
        return f"{value:.1f}s" if value < 9.95 else f"{value:.0f}s"  # noqa: PLR2004  # the same
    minutes, rest = divmod(round(value), 60)
    return f"{minutes}m{rest:02d}s"


Cell = Callable[[ConfigCounts], str]

OUTCOME: tuple[tuple[str, Cell], ...] = (
    ("trials", lambda r: of(r.trials.done, r.trials.planned)),
    ("hidden", lambda r: of(r.hidden.passed, r.hidden.possible)),
    ("full", lambda r: of(r.hidden.full, r.hidden.judged)),
    ("blocks", lambda r: number(r.blocks.total)),
    ("right", lambda r: number(r.blocks.right)),
    ("false", lambda r: number(r.blocks.false)),
    ("regr.", lambda r: number(r.blocks.regression)),
    ("miss", lambda r: number(r.blocks.misses)),
    ("gave\nup", lambda r: number(r.blocks.give_ups)),
)
PRICE: tuple[tuple[str, Cell], ...] = (
    ("worker\n$", lambda r: dollars(r.cost.worker_usd)),
    ("review\n$", lambda r: dollars(r.cost.reviewers_usd)),
    ("writer\n$", lambda r: dollars(r.cost.writer_usd)),
    ("total\n$", lambda r: dollars(r.cost.total_usd)),
    ("wall\nmean", lambda r: seconds(r.wall_s)),
    ("in-\nval.", lambda r: number(r.trials.invalid)),
)


def render(counts: JobCounts) -> Table:
    """The table, about a hundred columns wide for the shipped matrix."""
    return _table(counts, OUTCOME + PRICE)


def render_narrow(counts: JobCounts) -> Group:
    """The same in two tables under each other, for terminals of 80 columns."""
    return Group(_table(counts, OUTCOME), _table(counts, PRICE))


def fitting(counts: JobCounts, width: int) -> Table | Group:
    """The widest form of which nothing is cut off in so many columns; else the narrow one."""
    table = render(counts)
    roomy = Console(width=width * 4)
    needed = Measurement.get(roomy, roomy.options, table).maximum
    return table if needed <= width else render_narrow(counts)


def _table(counts: JobCounts, columns: tuple[tuple[str, Cell], ...]) -> Table:
    title = Text(counts.name, style="bold")
    if counts.simulated:
        title = Text(f"{SIMULATED} · ", style="bold reverse yellow") + title
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    table.add_column("config", no_wrap=True)
    for header, _ in columns:
        table.add_column(header, justify="right", no_wrap=True)
    for row in counts.rows:
        table.add_row(row.config, *(cell(row) for _, cell in columns))
    return table

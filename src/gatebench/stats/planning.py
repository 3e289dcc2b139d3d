"""How many tasks and repetitions an effect needs, and what they cost.

The variance of a task's difference between two configs has two parts: ``σ²`` by which tasks really
differ in what a gate does, and ``ω²/r`` by which trials differ by chance. More repetitions shrink
the second alone; more tasks shrink both.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from gatebench.model.base import Filed, Record
from gatebench.stats.cells import Cells
from gatebench.stats.mde import power, t_mde
from gatebench.stats.tasklevel import SHARES

TASKS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
REPS = (1, 2, 3, 4, 6, 8)
FEWEST = 3
"""Tasks a pilot needs before its spread over tasks is used."""


class Spread(Record):
    """Variance of a task's difference between two configs, in shares squared."""

    between: float
    """``σ²``: over tasks, repetitions without end."""
    within: float
    """``ω²``: of the difference of one trial each."""
    source: str
    """Where both come from, in words."""

    def se(self, tasks: int, reps: int) -> float:
        """Standard error of the mean difference."""
        return math.sqrt((self.between + self.within / reps) / tasks)


ASSUMED = Spread(
    between=0.0106,
    within=0.0688,
    source="assumed: fits the smallest effects that were measured on simulated jobs",
)
"""Solves the measured table (`gatebench.stats.mde.MEASURED`) at 20 tasks for both parts."""


class DesignPlan(Record):
    """One size of an experiment."""

    tasks: int
    reps: int
    trials: int
    """Over all configs."""
    power: float
    """Chance to see the effect at 5 %."""
    mde: float | None
    """Smallest effect seen with 80 % power; ``None`` where none possible is."""
    cost_usd: float | None
    hours: float | None
    """Of trials, one after another."""


class PlanResult(Filed):
    """What ``gatebench plan --json`` prints."""

    contrast: tuple[str, str]
    effect: float
    """Difference of pass rates, a share."""
    power: float
    spread: Spread
    configs: tuple[str, ...]
    usd_per_trial: dict[str, float] | None
    """By config; ``None`` where no price is known."""
    price_source: str
    designs: tuple[DesignPlan, ...]
    recommended: DesignPlan | None
    """The cheapest (or smallest) design that reaches the power; ``None`` where none does."""
    words: str


@dataclass(frozen=True)
class Prices:
    """What a trial costs and takes, by config."""

    usd: dict[str, float]
    source: str
    seconds: dict[str, float] | None = None


@dataclass(frozen=True)
class Wanted:
    """What is asked for."""

    contrast: tuple[str, str]
    effect: float
    power: float
    configs: tuple[str, ...]
    most_tasks: int = 100


def plan(wanted: Wanted, spread: Spread, prices: Prices | None) -> PlanResult:
    """All designs that come into question, and the best.

    Args:
        wanted: the effect, the power and the configs that are run.
        spread: the variance of a task's difference.
        prices: of a trial; ``None`` where nothing is known.
    """
    designs = tuple(_designs(wanted, spread, prices))
    enough = [d for d in designs if d.power >= wanted.power]
    best = min(enough, key=lambda d: (d.cost_usd or 0.0, d.trials, d.reps), default=None)
    return PlanResult(
        contrast=wanted.contrast,
        effect=wanted.effect,
        power=wanted.power,
        spread=spread,
        configs=wanted.configs,
        usd_per_trial=prices.usd if prices else None,
        price_source=prices.source if prices else "no price known",
        designs=designs,
        recommended=best,
        words=_words(wanted, best),
    )


def _designs(wanted: Wanted, spread: Spread, prices: Prices | None) -> Iterator[DesignPlan]:
    for tasks in (n for n in TASKS if n <= wanted.most_tasks):
        for reps in REPS:
            se, each = spread.se(tasks, reps), tasks * reps
            smallest = t_mde(se, tasks - 1)
            yield DesignPlan(
                tasks=tasks,
                reps=reps,
                trials=each * len(wanted.configs),
                power=power(wanted.effect, se, tasks - 1) if se else 1.0,
                mde=smallest if smallest is None or smallest <= SHARES[1] else None,
                cost_usd=each * sum(prices.usd[c] for c in wanted.configs) if prices else None,
                hours=_hours(wanted, prices, each),
            )


def _hours(wanted: Wanted, prices: Prices | None, each: int) -> float | None:
    if prices is None or prices.seconds is None:
        return None
    return each * sum(prices.seconds[c] for c in wanted.configs) / 3600


def _words(wanted: Wanted, best: DesignPlan | None) -> str:
    one, two = wanted.contrast
    effect = f"a difference of {100 * wanted.effect:.0f} points between {one} and {two}"
    if best is None:
        return f"No design up to {wanted.most_tasks} tasks shows {effect} with that power."
    cost = "" if best.cost_usd is None else f", about ${best.cost_usd:,.2f}"
    return (
        f"To see {effect} with {100 * wanted.power:.0f} % power: {best.tasks} tasks × {best.reps} "
        f"repetitions × {len(wanted.configs)} configs = {best.trials} trials{cost}."
    )


def pilot_spread(cells: Cells, contrast: tuple[str, str]) -> Spread | None:
    """Both parts of the variance from a job; ``None`` where it is too small to tell.

    ``ω²`` pools the cells' variances, ``σ² = max(0, s² − mean of the tasks' ω²/r)`` with ``s²``
    over task differences.
    """
    within = [_within(cells, config) for config in contrast]
    tasks = [t for t in cells.job.tasks if all(cells.ends(c, t) for c in contrast)]
    if None in within or len(tasks) < FEWEST:
        return None
    one, two = (w for w in within if w is not None)
    gaps = [_mean(cells, contrast[0], t) - _mean(cells, contrast[1], t) for t in tasks]
    chance = fmean(
        one / len(cells.ends(contrast[0], t)) + two / len(cells.ends(contrast[1], t)) for t in tasks
    )
    if not one + two and not variance(gaps):
        return None
    return Spread(
        between=max(0.0, variance(gaps) - chance),
        within=one + two,
        source=f"the pilot {cells.job.name}: {len(tasks)} tasks, a rough guess",
    )


def _mean(cells: Cells, config: str, task: str) -> float:
    return fmean(float(x) for x in cells.ends(config, task))


def _within(cells: Cells, config: str) -> float | None:
    """Variance of a trial's share around its task, pooled; ``None`` with one trial each."""
    found: list[Sequence[float]] = [
        [float(x) for x in cells.ends(config, t)] for t in cells.job.tasks
    ]
    found = [cell for cell in found if len(cell) > 1]
    if not found:
        return None
    freedom = sum(len(cell) - 1 for cell in found)
    return sum(variance(cell) * (len(cell) - 1) for cell in found) / freedom


def pilot_prices(cells: Cells, configs: Sequence[str]) -> Prices | None:
    """Mean dollars and seconds of a trial by config; ``None`` where one is unknown."""
    usd: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for config in configs:
        scores = [d.score for d in cells.of(config)]
        paid = [s.cost_total_usd for s in scores if s.cost_total_usd is not None]
        took = [s.wall_s for s in scores if s.wall_s is not None]
        if not paid:
            return None
        usd[config] = fmean(paid)
        if took:
            seconds[config] = fmean(took)
    whole = seconds if len(seconds) == len(usd) else None
    return Prices(usd, f"means of the pilot {cells.job.name}", whole)

"""What a config costs, and where it goes: worker, reviewers, writer; fixed, per stop, induced."""

import math
from collections.abc import Callable, Sequence

from gatebench.model.score import Score
from gatebench.stats.cells import Cells, Done
from gatebench.stats.compare import cost_difference, total_usd
from gatebench.stats.estimate import Estimate, undefined
from gatebench.stats.records import CostTable
from gatebench.stats.tasklevel import COST_METHOD, difference

MONEY = (0.0, math.inf)
"""What a mean cost can be."""
CATCH = "gates' own dollars ÷ right blocks"
Money = Callable[[Score], float | None]


def cost_tables(cells: Cells) -> tuple[CostTable, ...]:
    """One row per config."""
    frontier = frontier_of(cells)
    return tuple(_table(cells, config, frontier.get(config)) for config in cells.job.configs)


def frontier_of(cells: Cells) -> dict[str, bool]:
    """Which configs no other beats: as many requirements or more for as little or less.

    Points alone, without their uncertainty: a picture, not a verdict.
    """
    points = {c: p for c in cells.job.configs if (p := _point(cells, c))}
    return {
        config: not any(_dominates(other, mine) for other in points.values())
        for config, mine in points.items()
    }


def _point(cells: Cells, config: str) -> tuple[float, float] | None:
    """Mean share and mean dollars over tasks."""
    ends, usd = cells.end_means(config), cells.means(config, total_usd)
    if not ends or not usd:
        return None
    return sum(ends.values()) / len(ends), sum(usd.values()) / len(usd)


def _dominates(other: tuple[float, float], mine: tuple[float, float]) -> bool:
    return other != mine and other[0] >= mine[0] and other[1] <= mine[1]


def _table(cells: Cells, config: str, on_frontier: bool | None) -> CostTable:  # noqa: FBT001  # a fact
    trials = cells.of(config)
    return CostTable(
        config=config,
        total=difference(list(cells.means(config, total_usd).values()), skewed=True, bounds=MONEY),
        worker_usd_mean=_mean(trials, lambda s: s.cost_worker_usd),
        reviewers_usd_mean=_mean(trials, lambda s: s.cost_reviewers_usd),
        writer_usd_mean=_mean(trials, lambda s: s.cost_testwriter_usd),
        reviewers_usd_per_stop=_per_stop(trials),
        induced_worker=_induced(cells, config),
        own_usd_per_right_block=_per_catch(trials),
        work_s_mean=_mean(trials, _work_s),
        hook_s_mean=_mean([d for d in trials if not _reused(d)], lambda s: s.hook_wall_s),
        on_frontier=on_frontier,
    )


def _mean(trials: Sequence[Done], what: Money) -> float | None:
    """Mean over trials; unknown when a part is."""
    total = _sum(trials, what)
    return None if total is None else total / len(trials)


def _sum(trials: Sequence[Done], what: Money) -> float | None:
    known = [v for d in trials if (v := what(d.score)) is not None]
    return sum(known) if known and len(known) == len(trials) else None


def _reused(done: Done) -> bool:
    """Whether a gate's result was known already, so that its time is no gate's time."""
    return any(gate.cached for stop in done.trial.stops for gate in stop.gates)


def _work_s(score: Score) -> float | None:
    return None if score.wall_s is None else score.wall_s - (score.hook_wall_s or 0.0)


def _own(score: Score) -> float | None:
    parts = (score.cost_reviewers_usd, score.cost_testwriter_usd)
    return None if None in parts else sum(p for p in parts if p is not None)


def _per_stop(trials: Sequence[Done]) -> float | None:
    usd, stops = _sum(trials, lambda s: s.cost_reviewers_usd), _sum(trials, lambda s: s.hook_calls)
    return usd / stops if usd is not None and stops else None


def _induced(cells: Cells, config: str) -> Estimate:
    if config == "bare" or "bare" not in cells.job.configs:
        reason = "this is bare" if config == "bare" else "the job has no bare"
        return undefined(reason, COST_METHOD)
    return cost_difference(cells, (config, "bare"), lambda s: s.cost_worker_usd)


def _per_catch(trials: Sequence[Done]) -> Estimate:
    usd, catches = _sum(trials, _own), _sum(trials, lambda s: s.right_blocks)
    if catches is None:
        return undefined("no hook: nothing to catch with", CATCH)
    if not catches or usd is None:
        reason = "no right block" if not catches else "a cost is unknown"
        return undefined(reason, CATCH, round(catches))
    reason = "a ratio of two sums; no interval was measured to hold"
    n = round(catches)
    return Estimate(value=usd / catches, n=n, interval=None, method=CATCH, reason=reason)

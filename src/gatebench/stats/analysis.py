"""From a job's records to every estimate: pure, and the same however often it is done."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from gatebench.model.job import JobData, TrialData
from gatebench.model.score import Score
from gatebench.stats.blamed import reason_tables
from gatebench.stats.cells import Cells, Done
from gatebench.stats.compare import comparisons
from gatebench.stats.costs import cost_tables
from gatebench.stats.estimate import Estimate, undefined
from gatebench.stats.judged import UNMEASURED, gate_tables, shadow_tables
from gatebench.stats.panels import replay_tables
from gatebench.stats.premise import premise
from gatebench.stats.proportions import bare_share
from gatebench.stats.records import Analysis, BlockCounts, ConfigTable, Counts, TaskTable
from gatebench.stats.replayed import Seen
from gatebench.stats.reviewers import reviewer_tables
from gatebench.stats.tasklevel import SHARES, difference, pass_rate
from gatebench.stats.transitions import flow, transition_tables
from gatebench.stats.warn import warnings

WORTH_USD = 1.0
"""What a passing requirement is taken to be worth where nobody says."""


def analyze(job: JobData, worth_usd: float = WORTH_USD) -> Analysis:
    """Every table and estimate of one job, finished or not.

    Args:
        job: as it is on disk; tagged trials are left out already.
        worth_usd: dollars a passing hidden requirement is worth, for the net benefit.
    """
    cells = Cells(job)
    return Analysis(
        configs=tuple(_config(cells, config) for config in job.configs),
        tasks=tuple(_task(cells, c, t) for t in job.tasks for c in job.configs),
        gates=gate_tables(cells),
        comparisons=comparisons(cells, worth_usd),
        transitions=transition_tables(cells),
        flow=flow(cells),
        costs=cost_tables(cells),
        reviewers=reviewer_tables(cells),
        premise=premise(cells),
        shadows=shadow_tables(cells),
        reasons=reason_tables(cells),
        replay=replay_tables(Seen(job.replay)) if job.replay else None,
        warnings=warnings(cells),
    )


def _config(cells: Cells, config: str) -> ConfigTable:
    trials = cells.of(config)
    counts = _counts(cells, tuple(cells.job.of(config)), trials)
    return ConfigTable(
        config=config,
        counts=counts,
        blocks=_blocks(trials),
        pass_rate=pass_rate(list(cells.end_means(config).values()), counts.possible),
        full_rate=_full_rate(counts),
        gain=_gain(cells, config),
        tampered=sum(bool(d.score.tampered) for d in trials),
    )


def _task(cells: Cells, config: str, task: str) -> TaskTable:
    trials = cells.of(config, task)
    return TaskTable(
        config=config,
        task=task,
        counts=_counts(cells, tuple(cells.job.of(config, task)), trials),
        blocks=_blocks(trials),
        cost_total_usd=_money(trials),
    )


def _gain(cells: Cells, config: str) -> Estimate:
    gated = any(d.score.hook_calls is not None for d in cells.of(config))
    if cells.of(config) and not gated:
        return undefined("no gate: the end is the first stop", "t on task figures")
    return difference(gains(cells, config), bounds=SHARES)


def gains(cells: Cells, config: str) -> list[float]:
    """End minus all first stops of the task, by task: before its first block a trial is bare."""
    found = []
    for task in cells.job.tasks:
        setups = {d.setup for d in cells.of(config, task)}
        end = cells.end_mean(config, task)
        # Trials that start differently (another model, say) are no control of each other.
        first = cells.first_mean(task, setups.pop()) if len(setups) == 1 else None
        if end is not None and first is not None:
            found.append(end - first)
    return found


def _full_rate(counts: Counts) -> Estimate:
    return bare_share(counts.full or 0, counts.judged, UNMEASURED)


def _counts(cells: Cells, planned: Sequence[TrialData], trials: Sequence[Done]) -> Counts:
    ends = [d.score for d in trials if d.score.hidden_pass is not None]
    full = [s.passed for s in ends if s.passed is not None]
    whole = cells.job.requirements
    first = [(share, whole[d.task]) for d in trials if (share := cells.first_share(d)) is not None]
    return Counts(
        planned=len(planned),
        valid=len(trials),
        invalid=sum(t.score is not None and not t.valid for t in planned),
        passed=sum(s.hidden_pass or 0 for s in ends) if ends else None,
        possible=sum((s.hidden_pass or 0) + (s.hidden_fail or 0) for s in ends),
        unscorable=sum(s.hidden_unscorable or 0 for s in ends),
        full=sum(full) if full else None,
        judged=len(full),
        first_passed=int(sum((s * n for s, n in first), Fraction(0))) if first else None,
        first_possible=sum(n for _, n in first),
    )


def _blocks(trials: Sequence[Done]) -> BlockCounts:
    def total(what: Callable[[Score], int | None]) -> int | None:
        return _sum(what(d.score) for d in trials)

    return BlockCounts(
        stops=total(lambda s: s.hook_calls),
        blocks=total(lambda s: s.blocks_total),
        right=total(lambda s: s.right_blocks),
        false=total(lambda s: s.false_blocks),
        regression=total(lambda s: s.regression_blocks),
        misses=total(lambda s: s.misses),
        give_ups=total(lambda s: s.give_up),
        ended_blocked=total(lambda s: s.ended_blocked),
    )


def _sum(parts: Iterable[int | None]) -> int | None:
    """A sum with an unknown part is unknown."""
    given = list(parts)
    found = [part for part in given if part is not None]
    return sum(found) if found and len(found) == len(given) else None


def _money(trials: Sequence[Done]) -> float | None:
    parts = [d.score.cost_total_usd for d in trials]
    found = [part for part in parts if part is not None]
    return sum(found) if found and len(found) == len(parts) else None

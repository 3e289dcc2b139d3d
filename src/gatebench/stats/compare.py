"""One config against another: requirements, money, and both at a stated worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gatebench.model.score import Score
from gatebench.model.trial import PLACEBOS, kind_of
from gatebench.stats.cells import Cells, common
from gatebench.stats.compared import Comparison, PermutationResult, Point, TTestResult
from gatebench.stats.estimate import Estimate
from gatebench.stats.judged import gate_names
from gatebench.stats.multiple import PLANNED, holm
from gatebench.stats.permutation import Pair, PermutationTest, permutation_test
from gatebench.stats.ratio import per_unit
from gatebench.stats.stratified import stratified_difference
from gatebench.stats.tasklevel import SHARES, confidence_above_zero, difference, t_test

WORTHS_USD = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Grid of the acceptability curve: dollars a passing requirement is worth."""


@dataclass(frozen=True)
class Extra:
    """What one config has over another, by task: two lists in the same order of tasks."""

    requirements: list[float]
    """Extra passing requirements per trial."""
    usd: list[float]
    """Extra dollars per trial."""

    def net(self, worth_usd: float) -> list[float]:
        """Net benefit per trial by task."""
        return [worth_usd * r - c for r, c in zip(self.requirements, self.usd, strict=True)]


def pairs_of(configs: Sequence[str]) -> list[tuple[str, str]]:
    """The planned contrasts that the job has, then every other config against bare."""
    planned = [pair for pair in PLANNED if set(pair) <= set(configs)]
    others = [(c, "bare") for c in configs if c != "bare" and "bare" in configs]
    return planned + [pair for pair in others if pair not in planned]


def against_placebos(cells: Cells) -> list[tuple[str, str]]:
    """Each config with a gate that looks at something, against each whose gates look at nothing.

    Never planned: they stand outside Holm's family.
    """
    kinds = {c: {kind_of(g) for g in gate_names(cells.of(c))} for c in cells.job.configs}
    placebos = [c for c, gates in kinds.items() if gates and gates <= PLACEBOS]
    gated = [c for c, gates in kinds.items() if gates - PLACEBOS]
    return [(config, placebo) for config in gated for placebo in placebos]


def comparisons(cells: Cells, worth_usd: float) -> tuple[Comparison, ...]:
    """All comparisons of a job; the planned ones carry p values adjusted by Holm."""
    pairs = [*pairs_of(cells.job.configs), *against_placebos(cells)]
    found = [compare(cells, one, two, worth_usd) for one, two in pairs]
    planned = [c for c in found if c.planned]
    by_t = holm([c.t_test.p if c.t_test else None for c in planned])
    exact = holm([c.permutation.p if c.permutation else None for c in planned])
    adjusted = [_adjust(*three) for three in zip(planned, by_t, exact, strict=True)]
    return (*adjusted, *(c for c in found if not c.planned))


def _adjust(found: Comparison, by_t: float | None, exact: float | None) -> Comparison:
    t, permutation = found.t_test, found.permutation
    update = {
        "t_test": t and t.model_copy(update={"p_holm": by_t}),
        "permutation": permutation and permutation.model_copy(update={"p_holm": exact}),
    }
    return found.model_copy(update=update)


def compare(cells: Cells, config: str, against: str, worth_usd: float) -> Comparison:
    """One config against another over the tasks both have valid trials of."""
    ends = common(cells.end_means(config), cells.end_means(against))
    differences = [one - two for one, two in ends]
    ours, theirs = _discordant(cells, config, against)
    p = t_test(differences)
    return Comparison(
        config=config,
        against=against,
        planned=(config, against) in PLANNED,
        difference=difference(differences, bounds=SHARES),
        difference_these_tasks=stratified_difference(_strata(cells, config, against)),
        t_test=None if p is None else TTestResult(p=p, p_holm=None),
        permutation=_permutation(permutation_test(_pairs(cells, config, against))),
        only_config=ours,
        only_against=theirs,
        **_money(cells, config, against, worth_usd),
    )


def _money(cells: Cells, config: str, against: str, worth_usd: float) -> dict[str, Any]:
    extra = extra_of(cells, config, against)
    return {
        "cost_difference": cost_difference(cells, (config, against), total_usd),
        "worth_usd": worth_usd,
        "net_benefit": difference(extra.net(worth_usd)),
        "usd_per_requirement": per_unit(extra.usd, extra.requirements),
        "acceptability": _acceptability(extra),
    }


def extra_of(cells: Cells, config: str, against: str) -> Extra:
    """Extra requirements and dollars by task, over tasks where both are known of both."""
    ends = cells.end_means(config), cells.end_means(against)
    usd = cells.means(config, total_usd), cells.means(against, total_usd)
    tasks = [t for t in cells.job.tasks if all(t in known for known in (*ends, *usd))]
    return Extra(
        requirements=[cells.job.requirements[t] * (ends[0][t] - ends[1][t]) for t in tasks],
        usd=[usd[0][t] - usd[1][t] for t in tasks],
    )


def cost_difference(
    cells: Cells, pair: tuple[str, str], what: Callable[[Score], float | None]
) -> Estimate:
    """Difference of mean dollars per trial, first of the pair minus second."""
    means = common(cells.means(pair[0], what), cells.means(pair[1], what))
    return difference([one - two for one, two in means], skewed=True)


def _acceptability(extra: Extra) -> tuple[Point, ...]:
    points = ((w, confidence_above_zero(extra.net(w))) for w in WORTHS_USD)
    return tuple(Point(worth_usd=w, confidence=c) for w, c in points if c is not None)


def total_usd(score: Score) -> float | None:
    """What all roles of a trial cost."""
    return score.cost_total_usd


def _pairs(cells: Cells, config: str, against: str) -> list[Pair]:
    tasks = cells.job.tasks
    return [Pair(cells.ends(config, t), cells.ends(against, t)) for t in tasks]


def _strata(cells: Cells, config: str, against: str) -> list[tuple[list[float], list[float]]]:
    pairs = _pairs(cells, config, against)
    return [([float(x) for x in p.left], [float(x) for x in p.right]) for p in pairs]


def _permutation(test: PermutationTest | None) -> PermutationResult | None:
    if test is None:
        return None
    return PermutationResult(
        p=test.p, p_holm=None, minimum_p=test.minimum_p, labellings=test.labellings
    )


def _discordant(cells: Cells, config: str, against: str) -> tuple[int, int]:
    """Requirements passing in one trial only, over pairs of the same task and rep."""
    ours = theirs = 0
    others = {(d.task, d.trial.id.rep): d for d in cells.of(against)}
    for one in cells.of(config):
        two = others.get((one.task, one.trial.id.rep))
        if two is None or one.score.failed_reqs is None or two.score.failed_reqs is None:
            continue
        failing, other = set(one.score.failed_reqs), set(two.score.failed_reqs)
        ours += len(other - failing)
        theirs += len(failing - other)
    return ours, theirs

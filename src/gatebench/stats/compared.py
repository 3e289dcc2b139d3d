"""What a comparison of two configs comes to, as it reaches ``results.json``."""

from gatebench.model.base import Record
from gatebench.stats.estimate import Estimate


class PermutationResult(Record):
    """The exact permutation test of one comparison, about these tasks."""

    p: float
    p_holm: float | None
    minimum_p: float
    """The smallest p that these figures could have given."""
    labellings: int


class TTestResult(Record):
    """Student's t over tasks, about tasks like these."""

    p: float
    p_holm: float | None
    minimum_p: float = 0.0
    """t has no smallest p."""


class Point(Record):
    """One point of an acceptability curve."""

    worth_usd: float
    """Dollars a passing requirement is worth."""
    confidence: float
    """One minus the one-sided p that the net benefit is above 0."""


class Comparison(Record):
    """One config against another, task by task."""

    config: str
    against: str
    planned: bool
    """Decided on before any job; Holm's family."""
    difference: Estimate
    """Pass rate of ``config`` minus ``against``: tasks like these."""
    difference_these_tasks: Estimate
    t_test: TTestResult | None
    permutation: PermutationResult | None
    only_config: int
    """Requirements that pass only in ``config``, pairs of the same task and rep (McNemar's
    discordant pairs; no p: it does not hold here)."""
    only_against: int
    cost_difference: Estimate
    """Dollars per trial."""
    worth_usd: float
    """What a passing requirement is taken to be worth in ``net_benefit``."""
    net_benefit: Estimate
    """Dollars per trial: extra requirements at that worth, minus extra cost."""
    usd_per_requirement: Estimate
    acceptability: tuple[Point, ...]

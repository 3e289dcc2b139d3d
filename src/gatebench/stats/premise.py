"""Before its first block a gated trial is a bare one: what the first stops say about it."""

from fractions import Fraction

from gatebench.stats.cells import Cells, Done, known
from gatebench.stats.estimate import Estimate
from gatebench.stats.permutation import Pair, PermutationTest, permutation_test
from gatebench.stats.records import Premise
from gatebench.stats.stratified import stratified_difference

CLEAR = 0.05


def premise(cells: Cells) -> Premise | None:
    """Compare first stops of gated trials with bare ones; ``None`` where either is missing."""
    bare = cells.of("bare")
    setups = {d.setup for d in bare}
    gated = tuple(d for d in cells.everything() if d.trial.id.config != "bare")
    gated = tuple(d for d in gated if d.setup in setups)
    if not bare or not gated:
        return None
    pairs = [Pair(_shares(cells, gated, t), _shares(cells, bare, t)) for t in cells.job.tasks]
    test = permutation_test(pairs)
    strata = [([float(x) for x in p.left], [float(x) for x in p.right]) for p in pairs]
    difference = stratified_difference(strata)
    return Premise(
        bare_trials=sum(len(p.right) for p in pairs),
        gated_trials=sum(len(p.left) for p in pairs),
        difference=difference,
        p=test.p if test else None,
        minimum_p=test.minimum_p if test else None,
        words=_words(difference, test),
    )


def _shares(cells: Cells, trials: tuple[Done, ...], task: str) -> tuple[Fraction, ...]:
    return known(cells.first_share(d) for d in trials if d.task == task)


def _words(difference: Estimate, test: PermutationTest | None) -> str:
    if test is None or difference.value is None:
        return "No task has first stops of both bare and gated trials: nothing can be said."
    points = abs(100 * difference.value)
    if test.minimum_p > CLEAR:
        return "Too few first stops: no difference, however large, could have been seen."
    if test.p <= CLEAR:
        return (
            f"First stops of gated trials differ from bare ones by {points:.0f} points "
            f"(permutation p = {test.p:.3f}): look before trusting any gain."
        )
    return f"No difference seen; {_could(difference, test)}."


def _could(difference: Estimate, test: PermutationTest) -> str:
    if difference.mde is not None:
        return f"one of {100 * difference.mde:.0f} points would have been (80 % power)"
    if test.critical is not None:
        return f"one of {100 * test.critical:.0f} points would have been the smallest to show"
    return "none could have been"

"""Exact label permutation within tasks: a test about these tasks that assumes no shape."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Distribution = dict[Fraction, int]


@dataclass(frozen=True)
class Pair:
    """One task's trial figures under the two labels."""

    left: tuple[Fraction, ...]
    right: tuple[Fraction, ...]


@dataclass(frozen=True)
class PermutationTest:
    """Two-sided test that swapping labels within each task changes nothing."""

    statistic: float
    """Mean over tasks of mean(left) − mean(right)."""
    p: float
    minimum_p: float
    """The smallest p that these figures could have given under any labelling."""
    labellings: int
    critical: float | None
    """The smallest difference with p ≤ 0.05; ``None`` where there is none."""


def permutation_test(pairs: Sequence[Pair]) -> PermutationTest | None:
    """The exact test over all labellings; ``None`` without a task that has both labels.

    Every labelling within a task is equally likely under the null hypothesis; the distribution of
    the summed task differences is the convolution of the tasks' own, in exact fractions, so ties
    are ties. Fisher, The Design of Experiments (1935) §21; Good, Permutation Tests (2005) §3.
    """
    used = [pair for pair in pairs if pair.left and pair.right]
    if not used:
        return None
    total: Distribution = {Fraction(0): 1}
    for pair in used:
        total = _convolve(total, task_distribution(pair))
    observed = sum((_mean(p.left) - _mean(p.right) for p in used), Fraction(0))
    return _against(total, observed, len(used))


def task_distribution(pair: Pair) -> Distribution:
    """Difference of means under every choice of the left label, with how many choices give it."""
    figures = pair.left + pair.right
    whole, take = sum(figures, Fraction(0)), len(pair.left)
    sums = _subset_sums(figures, take)
    rest = len(figures) - take
    found: Counter[Fraction] = Counter()
    for part, ways in sums.items():
        found[part / take - (whole - part) / rest] += ways
    return dict(found)


def _subset_sums(figures: tuple[Fraction, ...], take: int) -> Counter[Fraction]:
    """Sums of all subsets of one size, by dynamic programming over (size, sum)."""
    sizes: list[Counter[Fraction]] = [Counter() for _ in range(take + 1)]
    sizes[0][Fraction(0)] = 1
    for figure in figures:
        for size in range(take, 0, -1):
            for part, ways in sizes[size - 1].items():
                sizes[size][part + figure] += ways
    return sizes[take]


def _convolve(one: Distribution, two: Distribution) -> Distribution:
    found: Counter[Fraction] = Counter()
    for a, ways_a in one.items():
        for b, ways_b in two.items():
            found[a + b] += ways_a * ways_b
    return dict(found)


def _mean(figures: tuple[Fraction, ...]) -> Fraction:
    return sum(figures, Fraction(0)) / len(figures)


def _against(total: Distribution, observed: Fraction, tasks: int) -> PermutationTest:
    labellings = sum(total.values())
    sizes: Counter[Fraction] = Counter()
    for statistic, ways in total.items():
        sizes[abs(statistic)] += ways
    tail, tails = 0, {}
    for size in sorted(sizes, reverse=True):
        tail += sizes[size]
        tails[size] = tail / labellings
    significant = [size for size, p in tails.items() if p <= 0.05]  # noqa: PLR2004  # the level
    return PermutationTest(
        statistic=float(observed / tasks),
        p=tails[abs(observed)],
        minimum_p=tails[max(tails)],
        labellings=labellings,
        critical=float(min(significant) / tasks) if significant else None,
    )

"""Exact label permutation within tasks: a test about these tasks that assumes no shape."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

Distribution = Mapping[int, int]
LEVEL = 0.05
MANY = 60
"""Figures of one task beyond which its labellings are not counted one by one any more."""
_Z = 1.959964
"""Of the normal distribution at `LEVEL`, both sides."""


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


@dataclass(frozen=True)
class Units:
    """Whole numbers in place of fractions: figures times ``figure``, differences times both."""

    figure: int
    """Common denominator of all figures."""
    mean: int
    """Common multiple of all group sizes."""

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> "Units":
        """The smallest units in which every figure and every mean is whole."""
        figures = [f for pair in pairs for f in (*pair.left, *pair.right)]
        sizes = [len(side) for pair in pairs for side in (pair.left, pair.right)]
        return cls(math.lcm(*(f.denominator for f in figures)), math.lcm(*sizes))

    def difference(self, part: int, whole: int, sizes: tuple[int, int]) -> int:
        """Mean of a part minus mean of the rest, in units."""
        left, right = sizes
        return part * (self.mean // left) - (whole - part) * (self.mean // right)


def permutation_test(pairs: Sequence[Pair]) -> PermutationTest | None:
    """The exact test over all labellings; ``None`` without a task that has both labels.

    Every labelling within a task is equally likely under the null hypothesis; the distribution of
    the summed task differences is the convolution of the tasks' own, in whole units, so ties are
    ties. Fisher, The Design of Experiments (1935) §21; Good, Permutation Tests (2005) §3.

    With more than `MANY` figures in a task the normal distribution with the labellings' own mean
    and variance takes the place of counting, which would take minutes. Hoeffding, A combinatorial
    central limit theorem, Ann. Math. Statist. 22 (1951) 558.
    """
    used = [pair for pair in pairs if pair.left and pair.right]
    if not used:
        return None
    if max(len(pair.left) + len(pair.right) for pair in used) > MANY:
        return _normal(used)
    units = Units.of(used)
    total: Distribution = {0: 1}
    observed = 0
    for pair in used:
        left, right = ([int(f * units.figure) for f in side] for side in (pair.left, pair.right))
        sizes, whole = (len(left), len(right)), sum(left) + sum(right)
        observed += units.difference(sum(left), whole, sizes)
        sums = _subset_sums(left + right, len(left))
        total = _convolve(
            total, {units.difference(s, whole, sizes): ways for s, ways in sums.items()}
        )
    return _against(total, observed, units.figure * units.mean * len(used))


def _normal(pairs: Sequence[Pair]) -> PermutationTest:
    """The test by the first two moments of the labellings."""
    statistic = sum(_mean(p.left) - _mean(p.right) for p in pairs) / len(pairs)
    deviation = math.sqrt(sum(map(_variance, pairs))) / len(pairs)
    labellings = math.prod(math.comb(len(p.left) + len(p.right), len(p.left)) for p in pairs)
    p = math.erfc(abs(statistic) / deviation / math.sqrt(2)) if deviation else 1.0
    least = 2 / labellings if deviation else 1.0
    return PermutationTest(
        statistic=statistic,
        p=max(p, least),
        minimum_p=least,
        labellings=labellings,
        critical=_Z * deviation if deviation else None,
    )


def _mean(figures: Sequence[Fraction]) -> float:
    return math.fsum(map(float, figures)) / len(figures)


def _variance(pair: Pair) -> float:
    """Of the difference of means over all labellings of one task."""
    figures = [float(f) for f in (*pair.left, *pair.right)]
    middle = math.fsum(figures) / len(figures)
    spread = math.fsum((f - middle) ** 2 for f in figures) / (len(figures) - 1)
    return spread * len(figures) / (len(pair.left) * len(pair.right))


def _subset_sums(figures: Sequence[int], take: int) -> Distribution:
    """Sums of all subsets of one size, by dynamic programming over (size, sum)."""
    sizes: list[Counter[int]] = [Counter() for _ in range(take + 1)]
    sizes[0][0] = 1
    for figure in figures:
        for size in range(take, 0, -1):
            for part, ways in sizes[size - 1].items():
                sizes[size][part + figure] += ways
    return sizes[take]


def _convolve(one: Distribution, two: Distribution) -> Distribution:
    found: Counter[int] = Counter()
    for a, ways_a in one.items():
        for b, ways_b in two.items():
            found[a + b] += ways_a * ways_b
    return found


def _against(total: Distribution, observed: int, unit: int) -> PermutationTest:
    """Two-sided tail probabilities by size of the difference; ``unit`` turns sums into means."""
    labellings = sum(total.values())
    sizes: Counter[int] = Counter()
    for statistic, ways in total.items():
        sizes[abs(statistic)] += ways
    tail, tails = 0, {}
    for size in sorted(sizes, reverse=True):
        tail += sizes[size]
        tails[size] = tail / labellings
    significant = [size for size, p in tails.items() if p <= LEVEL]
    return PermutationTest(
        statistic=observed / unit,
        p=tails[abs(observed)],
        minimum_p=tails[max(tails)],
        labellings=labellings,
        critical=min(significant) / unit if significant else None,
    )

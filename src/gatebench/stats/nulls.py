"""The planned contrasts where none is real: how often some test cries out after Holm.

Three ways of being null, mixed in equal parts: every config plays bare's trials; every config
plays the trials of the last one, whose repairs and breakages balance; and every task hands its
configs' trials to the configs at random, so that tasks differ in what a gate does but no config is
better over tasks like these. The last is no null of the tests about these very tasks, which are
measured on the other two.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from gatebench.stats import rejected
from gatebench.stats.multiple import PLANNED, holm
from gatebench.stats.permutation import Pair, permutation_test
from gatebench.stats.population import (
    END,
    FAILING_BITS,
    Counts,
    Design,
    Floats,
    Jobs,
    Population,
    sample,
)
from gatebench.stats.tasklevel import t_test

LEVEL = 0.05
T_TEST = "Student's t over tasks, Holm"
PERMUTATION = "exact label permutation within tasks, Holm"
MCNEMAR = "McNemar's exact test on requirements, Holm"
BOOTSTRAP = "cluster bootstrap by task, percentile, Holm"
USED = {T_TEST: True, PERMUTATION: True, MCNEMAR: False, BOOTSTRAP: False}
"""Which of the tests an analysis prints."""
ALIKE, BALANCED, SWAPPED = "alike", "balanced", "swapped"
Family = Sequence[float | None]


def alarms(
    population: Population, design: Design, jobs: int, rng: np.random.Generator
) -> Iterator[tuple[str, bool]]:
    """(test, whether any contrast was significant) for jobs in which nothing is real."""
    for null in (ALIKE, BALANCED, SWAPPED):
        share = jobs // 3 + (jobs % 3 if null == ALIKE else 0)
        drawn = _null(population, design, share, rng, null)
        yield from _families(population, drawn, rng, null)


def _null(
    population: Population, design: Design, jobs: int, rng: np.random.Generator, null: str
) -> Jobs:
    """Jobs whose configs play each other's trials."""
    roles = len(population.configs)
    if null != SWAPPED:
        one = 0 if null == ALIKE else roles - 1
        alike = [one] * roles
        same = Population(
            population.configs,
            population.requirements,
            population.figures[alike],
            tuple(population.counts[0] for _ in alike),
        )
        return sample(same, design, jobs, rng)
    drawn = sample(population, design, jobs, rng)
    order = rng.permuted(np.tile(np.arange(roles), (jobs, design.tasks, 1)), axis=2)
    job, task = np.indices((jobs, design.tasks))
    swapped = np.stack([drawn.figures[order[:, :, c], job, task] for c in range(roles)])
    return Jobs(drawn.tasks, swapped, drawn.counts)


def _families(
    population: Population, jobs: Jobs, rng: np.random.Generator, null: str
) -> Iterator[tuple[str, bool]]:
    pairs = [(population.number(a), population.number(b)) for a, b in PLANNED]
    ends = jobs.means[:, :, :, END]
    gaps = np.stack([ends[a] - ends[b] for a, b in pairs])
    booted = np.stack([rejected.bootstrap_p(gap, rng) for gap in gaps])
    tests: list[tuple[str, Callable[[int], Family]]] = [
        (T_TEST, lambda n: [t_test(gap[n].tolist()) for gap in gaps]),
        (BOOTSTRAP, lambda n: booted[:, n].tolist()),
    ]
    if null != SWAPPED:
        discordant = _mcnemar(jobs, pairs)
        tests.append((MCNEMAR, lambda n: discordant[:, n].tolist()))
        tests.append((PERMUTATION, lambda n: _exact(population, jobs, pairs, n)))
    for name, family in tests:
        for n in range(len(jobs.tasks)):
            yield name, any(p is not None and p <= LEVEL for p in holm(family(n)))


def _exact(
    population: Population, jobs: Jobs, pairs: Sequence[tuple[int, int]], n: int
) -> list[float | None]:
    ends = jobs.figures[:, n, :, :, END]
    passed = np.rint(ends * population.requirements).astype(int).tolist()
    of = [Fraction(k, population.requirements) for k in range(population.requirements + 1)]
    found = []
    for a, b in pairs:
        sides = zip(passed[a], passed[b], strict=True)
        test = permutation_test(
            [Pair(tuple(of[k] for k in x), tuple(of[k] for k in y)) for x, y in sides]
        )
        found.append(test.p if test else None)
    return found


def _mcnemar(jobs: Jobs, pairs: Sequence[tuple[int, int]]) -> Floats:
    """(contrast, job)."""
    bits = jobs.figures[..., FAILING_BITS].astype(np.int64)
    found = []
    for a, b in pairs:
        ours, theirs = (_ones(bits[y] & ~bits[x]) for x, y in ((a, b), (b, a)))
        found.append(rejected.mcnemar(ours, theirs))
    return np.stack(found)


def _ones(bits: Counts) -> Counts:
    """Set bits over tasks and reps, per job."""
    return np.asarray(np.bitwise_count(bits).sum(axis=(1, 2)), dtype=np.int64)

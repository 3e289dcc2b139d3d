from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebench.stats.permutation import Pair, permutation_test

cell = st.lists(st.integers(0, 5).map(lambda k: Fraction(k, 5)), min_size=1, max_size=3).map(tuple)
pairs = st.lists(st.builds(Pair, cell, cell), min_size=1, max_size=2)


def labellings(pair: Pair) -> list[Fraction]:
    figures = pair.left + pair.right
    chosen = combinations(range(len(figures)), len(pair.left))
    return [difference(figures, set(left)) for left in chosen]


def difference(figures: tuple[Fraction, ...], left: set[int]) -> Fraction:
    ours = [f for i, f in enumerate(figures) if i in left]
    theirs = [f for i, f in enumerate(figures) if i not in left]
    return sum(ours, Fraction(0)) / len(ours) - sum(theirs, Fraction(0)) / len(theirs)


@settings(max_examples=60)
@given(pairs)
def test_it_agrees_with_trying_every_labelling(given_pairs: list[Pair]) -> None:
    tried = [
        abs(sum(parts, Fraction(0))) for parts in product(*(labellings(p) for p in given_pairs))
    ]
    own = [difference(p.left + p.right, set(range(len(p.left)))) for p in given_pairs]
    observed = abs(sum(own, Fraction(0)))
    test = permutation_test(given_pairs)
    assert test is not None
    assert test.labellings == len(tried)
    assert test.p == pytest.approx(sum(t >= observed for t in tried) / len(tried))
    assert test.minimum_p == pytest.approx(sum(t == max(tried) for t in tried) / len(tried))
    assert test.minimum_p <= test.p <= 1


def numbers(*values: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(v) for v in values)


def test_two_against_two_worked_by_hand() -> None:
    # six labellings of {3, 4 | 1, 2}: differences ±2, ±1, 0, 0; two are as large as 2
    test = permutation_test([Pair(numbers(3, 4), numbers(1, 2))])
    assert test is not None
    assert (test.statistic, test.labellings) == (2.0, 6)
    assert test.p == pytest.approx(1 / 3)
    assert test.critical is None


def test_five_tasks_of_two_reps_can_reach_three_in_ten_thousand() -> None:
    test = permutation_test([Pair(numbers(10, 11), numbers(0, 1))] * 5)
    assert test is not None
    assert test.labellings == 6**5
    assert test.p == test.minimum_p == pytest.approx(2 / 7776)


def test_ties_everywhere_give_one() -> None:
    test = permutation_test([Pair(numbers(1, 1), numbers(1, 1))] * 4)
    assert test is not None
    assert (test.statistic, test.p, test.minimum_p) == (0.0, 1.0, 1.0)


def test_twenty_tasks_of_four_reps_are_exact_too() -> None:
    test = permutation_test([Pair(numbers(5, 4, 5, 3), numbers(3, 4, 2, 5))] * 20)
    assert test is not None
    assert test.labellings == 70**20
    assert 0 < test.minimum_p < test.p < 0.01


def test_a_task_without_one_of_the_labels_is_left_out() -> None:
    assert permutation_test([Pair((), numbers(1))]) is None
    assert permutation_test([]) is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_many_figures_by_their_moments_agree_with_counting(
    monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    fifths = [Fraction(k % 6, 5) for k in range(40)]
    better = tuple(f + Fraction(share) for f in fifths)
    pairs = [Pair(tuple(fifths), better), Pair(better, tuple(fifths)), Pair(better, tuple(fifths))]
    quick = permutation_test(pairs)
    monkeypatch.setattr("gatebench.stats.permutation.MANY", 1000)
    counted = permutation_test([Pair(_tenths(p.left), _tenths(p.right)) for p in pairs])
    assert quick is not None
    assert counted is not None
    assert quick.labellings == counted.labellings
    assert quick.statistic == pytest.approx(counted.statistic, abs=0.01)
    # Counting has steps, the curve has none: they agree to half a step.
    assert quick.p == pytest.approx(counted.p, abs=0.03)
    assert quick.critical == pytest.approx(counted.critical, rel=0.05)


def _tenths(figures: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(Fraction(round(f * 10), 10) for f in figures)


def test_many_equal_figures_give_one() -> None:
    test = permutation_test([Pair(numbers(*[1] * 40), numbers(*[1] * 40))])
    assert test is not None
    assert (test.statistic, test.p, test.minimum_p, test.critical) == (0.0, 1.0, 1.0, None)

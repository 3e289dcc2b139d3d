from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from gatebench.stats.estimate import Target
from gatebench.stats.multiple import PLANNED, holm
from gatebench.stats.stratified import stratified_difference

cell = st.lists(st.floats(0, 1), min_size=0, max_size=4)


def test_one_task_is_welch_s_two_sample_t() -> None:
    left, right = [0.8, 0.6, 0.7, 0.9], [0.4, 0.7, 0.5, 0.3]
    interval = stats.ttest_ind(left, right, equal_var=False).confidence_interval(0.95)
    estimate = stratified_difference([(left, right)])
    assert estimate.interval == pytest.approx((interval.low, interval.high))
    assert estimate.target is Target.THESE_TASKS


def test_two_tasks_worked_by_hand() -> None:
    # cell variances left 0.02, 0.08, right 0.02, 0.02; v = (0.14/2)/4; sides 0.05 and 0.02 with 2
    # degrees of freedom each: 1/((5/7)²/2 + (2/7)²/2) = 3.3793, t = 2.99000
    estimate = stratified_difference([([0.6, 0.8], [0.4, 0.6]), ([0.4, 0.8], [0.5, 0.7])])
    assert estimate.value == pytest.approx(0.1)
    half = stats.t.ppf(0.975, 98 / 29) * (0.14 / 2 / 4) ** 0.5
    assert estimate.interval == pytest.approx((0.1 - half, 0.1 + half), abs=1e-6)


def test_where_there_is_no_spread_within_tasks_it_is_said() -> None:
    assert "one trial in a cell" in str(stratified_difference([([0.5], [0.4, 0.2])]).reason)
    assert "no spread" in str(stratified_difference([([0.5, 0.5], [0.4, 0.4])]).reason)
    assert stratified_difference([([], [0.4])]).value is None


@given(st.lists(st.tuples(cell, cell), max_size=5))
def test_nothing_crashes_it(strata: list[tuple[list[float], list[float]]]) -> None:
    estimate = stratified_difference(strata)
    if estimate.interval is None:
        assert estimate.reason
    else:
        assert estimate.value is not None
        assert -1 <= estimate.interval[0] <= estimate.value <= estimate.interval[1] <= 1


def test_holm_worked_by_hand() -> None:
    # sorted 0.01·4, 0.02·3, 0.03·2 (raised to 0.06), 0.5·1
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx((0.06, 0.04, 0.5, 0.06))


@pytest.mark.parametrize("ps", [[0.04, 0.001, 0.2, 0.013], [0.5, 0.5, 0.02], [0.0, 1.0]])
def test_holm_agrees_with_statsmodels(ps: list[float]) -> None:
    assert holm(ps) == pytest.approx(tuple(multipletests(ps, method="holm")[1]))


def test_a_contrast_without_a_p_still_counts() -> None:
    adjusted = holm([0.01, None])
    assert adjusted[0] == pytest.approx(0.02)
    assert adjusted[1] is None
    assert holm([]) == ()


def test_the_planned_contrasts() -> None:
    assert PLANNED == (("g1", "bare"), ("g3", "bare"), ("g13", "g1"), ("g13adv", "g13"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: list[float]) -> None:
    adjusted = [p for p in holm(ps) if p is not None]
    assert all(a >= p - 1e-12 for a, p in zip(adjusted, ps, strict=True))
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    assert all(adjusted[i] <= adjusted[j] + 1e-12 for i, j in pairwise(order))

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gatebench.stats.proportions import jeffreys
from gatebench.stats.tasklevel import (
    NO_SPREAD,
    ONE_TASK,
    SHARES,
    confidence_above_zero,
    difference,
    pass_rate,
    t_test,
)

shares = st.lists(st.integers(0, 10).map(lambda k: k / 10), min_size=1, max_size=20)
figures = st.lists(st.floats(-1, 1), min_size=1, max_size=20)


def test_difference_worked_by_hand() -> None:
    # mean 0.2, s = 0.2, s.e. = 0.2/√3, t(2) = 4.3027
    estimate = difference([0.0, 0.2, 0.4])
    half = 4.30265 * 0.2 / math.sqrt(3)
    assert estimate.value == pytest.approx(0.2)
    assert estimate.interval == pytest.approx((0.2 - half, 0.2 + half), abs=1e-5)
    assert estimate.n == 3


def test_difference_and_p_agree_with_scipy() -> None:
    tasks = [0.1, -0.2, 0.4, 0.3, 0.05]
    reference = stats.ttest_1samp(tasks, 0.0)
    interval = reference.confidence_interval(0.95)
    assert difference(tasks).interval == pytest.approx((interval.low, interval.high))
    assert t_test(tasks) == pytest.approx(reference.pvalue)
    one_sided = stats.ttest_1samp(tasks, 0.0, alternative="greater").pvalue
    assert confidence_above_zero(tasks) == pytest.approx(1 - one_sided)


def test_cost_is_widened_by_the_square_root_of_t_over_t_minus_one() -> None:
    plain, wide = difference([1.0, 2.0, 4.0, 5.0]), difference([1.0, 2.0, 4.0, 5.0], skewed=True)
    assert plain.interval is not None
    assert wide.interval is not None
    widths = [i[1] - i[0] for i in (wide.interval, plain.interval)]
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(4 / 3))


def test_skewed_costs_reach_further_up_than_down() -> None:
    # 1, 1, 4: m = 2, s = √3, m₂ = 2, m₃ = 2, γ = 1/√2; y = ±t(2)/√2 = ±3.04243
    estimate = difference([1.0, 1.0, 4.0], skewed=True)
    gamma, y = 1 / math.sqrt(2), 4.302653 / math.sqrt(2)
    low, high = (
        2 - math.sqrt(3) * 3 * (math.cbrt(1 + gamma * (x - gamma / 18)) - 1) / gamma
        for x in (y, -y)
    )
    assert estimate.interval == pytest.approx((low, high), abs=1e-5)
    assert high - 2 > 2 - low > 0


def test_pass_rate_worked_by_hand() -> None:
    # m = 0.6, s = 0.2, s.e. = 0.11547; on the logit scale 0.11547/0.24 = 0.48113; t(2.5) = 3.57465
    estimate = pass_rate([0.4, 0.6, 0.8], 30)
    centre, half = math.log(1.5), float(stats.t.ppf(0.975, 2.5)) * 0.481125
    expected = tuple(1 / (1 + math.exp(-x)) for x in (centre - half, centre + half))
    assert estimate.value == pytest.approx(0.6)
    assert estimate.interval == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("tasks", "share"), [([1.0] * 5, 1.0), ([0.0] * 5, 0.0), ([0.6] * 5, 0.6)])
def test_pass_rate_at_the_boundary_is_jeffreys_with_fewer_verdicts(
    tasks: list[float], share: float
) -> None:
    # t(49) = 2.00958, t(4) = 2.77645: 50 verdicts are worth 26.19
    size = 50 * (2.009575 / 2.776445) ** 2
    assert size == pytest.approx(26.19, abs=0.01)
    assert pass_rate(tasks, 50).interval == pytest.approx(jeffreys(share * size, size), abs=1e-6)


def test_one_task_has_no_interval() -> None:
    for estimate in (pass_rate([0.6], 10), difference([0.6])):
        assert (estimate.value, estimate.interval, estimate.reason) == (0.6, None, ONE_TASK)
    assert t_test([0.6]) is None


def test_ties_have_no_interval_rather_than_one_of_no_width() -> None:
    estimate = difference([0.2] * 5)
    assert (estimate.interval, estimate.reason) == (None, NO_SPREAD)
    # 0.1 + 0.2 is not 0.3: rounding is no spread
    assert difference([0.3, 0.1 + 0.2]).interval is None
    assert t_test([0.3, 0.1 + 0.2]) is None


def test_nothing_at_all_is_said() -> None:
    assert pass_rate([], 0).reason == "no valid trial"
    assert difference([]).value is None
    assert t_test([]) is None
    assert confidence_above_zero([]) is None


def test_limits_stay_within_what_is_possible() -> None:
    estimate = difference([-0.2, 1.0], bounds=SHARES)
    assert estimate.interval == (-1.0, 1.0)
    assert estimate.mde is None
    assert estimate.reason == "no possible difference would be seen with 80 % power"


@given(shares, st.integers(1, 4))
def test_a_pass_rate_is_within_its_limits(tasks: list[float], reps: int) -> None:
    estimate = pass_rate(tasks, len(tasks) * reps * 5)
    assert estimate.value == pytest.approx(sum(tasks) / len(tasks))
    if estimate.interval is None:
        assert estimate.reason == ONE_TASK
    else:
        assert estimate.value is not None
        assert 0 <= estimate.interval[0] <= estimate.value <= estimate.interval[1] <= 1


@given(figures)
def test_a_difference_is_within_its_limits_and_turns_round(tasks: list[float]) -> None:
    estimate, mirrored = difference(tasks), difference([-x for x in tasks])
    assert (estimate.interval is None) == (mirrored.interval is None)
    if estimate.interval is not None and mirrored.interval is not None:
        assert estimate.value is not None
        assert estimate.interval[0] <= estimate.value <= estimate.interval[1]
        assert mirrored.interval == pytest.approx((-estimate.interval[1], -estimate.interval[0]))

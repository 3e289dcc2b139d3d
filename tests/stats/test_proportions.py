import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from gatebench.stats.estimate import Estimate
from gatebench.stats.proportions import (
    Cluster,
    bare_share,
    clopper_pearson,
    clustered_share,
    effective_n,
    jeffreys,
    mancl_derouen,
    modified_wilson,
    repeated_share,
    small_share,
    wilson,
    wilson_share,
)

RULES = {"wilson": wilson, "jeffreys": jeffreys, "beta": clopper_pearson}
counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
clusters = st.lists(
    st.integers(0, 8).flatmap(lambda n: st.integers(0, n).map(lambda k: Cluster(k, n))),
    max_size=8,
)


def spread(*pairs: tuple[int, int]) -> list[Cluster]:
    return [Cluster(k, n) for k, n in pairs]


def test_wilson_worked_by_hand() -> None:
    # p = 0.5, n = 4, z² = 3.8415: (0.5 + 0.4802) / 1.9604 ± 1.96/1.9604·√(0.0625 + 0.0600)
    assert wilson(2, 4) == pytest.approx((0.15004, 0.84996), abs=1e-5)


def test_clopper_pearson_at_none_worked_by_hand() -> None:
    # 1 − 0.025^(1/10)
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == pytest.approx((0.025**0.1, 1.0))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("hits", "n"), [(1, 5), (3, 13), (7, 9), (50, 120)])
def test_intervals_agree_with_statsmodels(rule: str, hits: int, n: int) -> None:
    expected = proportion_confint(hits, n, method=rule)
    assert RULES[rule](hits, n) == pytest.approx(expected, abs=1e-9)


@given(counts)
def test_intervals_contain_the_share_and_stay_possible(pair: tuple[int, int]) -> None:
    hits, n = pair
    for rule in RULES.values():
        low, high = rule(hits, n)
        assert 0 <= low <= hits / n <= high <= 1


@given(counts)
def test_limits_rise_with_the_hits(pair: tuple[int, int]) -> None:
    hits, n = pair
    for rule in RULES.values():
        if hits < n:
            assert rule(hits, n)[0] <= rule(hits + 1, n)[0]
            assert rule(hits, n)[1] <= rule(hits + 1, n)[1]


@given(counts)
def test_limits_mirror(pair: tuple[int, int]) -> None:
    hits, n = pair
    for rule in RULES.values():
        low, high = rule(hits, n)
        assert rule(n - hits, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_mancl_derouen_worked_by_hand() -> None:
    # p = 3/6; residuals 2−2·½ = 1 and 1−4·½ = −1; (1/(1−2/6))² + (1/(1−4/6))² over 36
    assert mancl_derouen(spread((2, 2), (1, 4))) == pytest.approx((1.5**2 + 3**2) / 36)


@pytest.mark.parametrize(
    "given_clusters",
    [
        spread((1, 4), (3, 4), (2, 4)),
        spread((0, 2), (5, 7), (1, 3), (2, 2)),
        spread((3, 10), (4, 10), (2, 9), (0, 1), (1, 1)),
    ],
)
def test_mancl_derouen_agrees_with_statsmodels_gee(given_clusters: list[Cluster]) -> None:
    y = [v for c in given_clusters for v in [1.0] * c.hits + [0.0] * (c.n - c.hits)]
    groups = [i for i, c in enumerate(given_clusters) for _ in range(c.n)]
    model = sm.GEE(np.array(y), np.ones((len(y), 1)), groups=np.array(groups))
    fitted = model.fit(cov_type="bias_reduced")
    assert mancl_derouen(given_clusters) == pytest.approx(float(fitted.bse[0]) ** 2)


def test_clusters_that_agree_are_worth_all_their_observations() -> None:
    assert effective_n(spread((2, 4), (2, 4), (2, 4))) == 12


def test_clusters_that_are_all_or_nothing_are_worth_about_their_number() -> None:
    assert effective_n(spread((10, 10), (0, 10), (10, 10), (0, 10))) == pytest.approx(2.25)


@given(clusters)
def test_any_clusters_give_an_estimate_that_holds_together(given_clusters: list[Cluster]) -> None:
    for rule in (clustered_share, small_share, wilson_share):
        assert holds_together(rule(given_clusters))


def holds_together(estimate: Estimate) -> bool:
    """A value within its interval, of enough; else the reason why there is none."""
    if estimate.interval is None or estimate.value is None:
        return estimate.interval is None and bool(estimate.reason)
    low, high = estimate.interval
    return low <= estimate.value <= high and estimate.n >= 5


@pytest.mark.parametrize("rule", [clustered_share, small_share, wilson_share])
def test_under_five_there_is_no_rate(rule: Callable[[list[Cluster]], Estimate]) -> None:
    estimate = rule(spread((1, 2), (1, 2)))
    assert (estimate.value, estimate.interval, estimate.count, estimate.n) == (None, None, 2, 4)
    assert estimate.reason == "2 of 4: too few for a rate"


def test_nothing_to_divide_by_is_said() -> None:
    assert small_share([]).reason == "nothing to divide by: 0 of 0"


@pytest.mark.parametrize(
    ("given_clusters", "method"),
    [
        (spread((0, 5), (0, 5)), "Clopper–Pearson"),
        (spread((15, 15), (15, 15)), "Clopper–Pearson"),
        (spread((1, 5), (1, 5)), "Jeffreys"),
        (spread((1, 10), (0, 9)), "Jeffreys"),
        (spread((1, 10), (0, 10)), "Wilson"),
    ],
)
def test_the_rule_of_small_counts(given_clusters: Sequence[Cluster], method: str) -> None:
    assert small_share(given_clusters).method == method


def test_one_task_gets_a_share_but_no_interval() -> None:
    estimate = clustered_share(spread((3, 12), (0, 0)))
    assert estimate.value == 0.25
    assert estimate.interval is None
    assert "one task" in str(estimate.reason)


def test_a_share_without_measured_coverage_carries_its_reason() -> None:
    assert bare_share(6, 10, "not measured").reason == "not measured"
    assert bare_share(1, 3, "not measured").value is None


def test_modified_wilson_worked_by_hand() -> None:
    # one of five: plain Wilson starts at 0.036; Poisson's −log(0.95)/5 = 0.01026
    low, high = modified_wilson(1, 5)
    assert low == pytest.approx(-math.log(0.95) / 5)
    assert high == wilson(1, 5)[1]
    assert modified_wilson(4, 5)[1] == pytest.approx(1 + math.log(0.95) / 5)
    assert modified_wilson(3, 10) == wilson(3, 10)
    assert modified_wilson(3, 60)[0] < wilson(3, 60)[0]
    assert modified_wilson(0, 9) == wilson(0, 9)


def test_repeated_shares_are_told_with_fewer_degrees_of_freedom() -> None:
    # 3, 1, 2 of 4 each: p = ½, R = 1, −1, 0, v = 2·(1.5)²/144 = 1/32, effective 8 of 12;
    # t(11) = 2.20099, t(2) = 4.30265
    clusters = [Cluster(3, 4), Cluster(1, 4), Cluster(2, 4)]
    size = 8 * (2.200985 / 4.302653) ** 2
    assert effective_n(clusters) == pytest.approx(8)
    assert repeated_share(clusters).interval == pytest.approx(jeffreys(size / 2, size), abs=1e-6)

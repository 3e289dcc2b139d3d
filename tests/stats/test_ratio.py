import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gatebench.stats.ratio import Region, fieller_region, per_unit

tasks = st.integers(2, 10).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.floats(-3, 3).map(lambda x: round(x, 2)), min_size=n, max_size=n),) * 2
    )
)


def inside(region: Region, ratio: float) -> bool:
    return any(
        (low is None or low <= ratio) and (high is None or ratio <= high) for low, high in region
    )


@given(tasks)
def test_the_set_is_what_the_t_test_does_not_reject(given: tuple[list[float], list[float]]) -> None:
    above, below = (np.array(x) for x in given)
    region = fieller_region(above.tolist(), below.tolist())
    critical = stats.t.ppf(0.975, len(above) - 1)
    for ratio in np.linspace(-40, 40, 81):
        residual = above - ratio * below
        se = residual.std(ddof=1) / len(above) ** 0.5
        margin = abs(residual.mean()) - critical * se
        if abs(margin) > 1e-6:
            assert inside(region, ratio) == (margin < 0)


def test_a_clear_denominator_gives_a_bounded_interval_worked_by_hand() -> None:
    # x̄ = 2, ȳ = 10; s²_x = 1, s²_y = 3, s_xy = 0; t²(2)/3 = 6.17095
    # a = 100 − 3·6.17095, b = 20, c = 4 − 6.17095
    a, b, c = 100 - 3 * 6.17095, 20.0, 4 - 6.17095
    root = (b * b - a * c) ** 0.5
    estimate = per_unit([1.0, 2.0, 3.0], [9.0, 12.0, 9.0])
    assert estimate.value == pytest.approx(0.2)
    assert estimate.interval == pytest.approx(((b - root) / a, (b + root) / a), abs=1e-5)
    assert estimate.region == (estimate.interval,)


def test_a_denominator_near_nothing_gives_an_unbounded_set_and_no_interval() -> None:
    estimate = per_unit([1.0, 1.1, 0.9, 1.0], [1.0, -0.9, 0.2, -0.2])
    assert estimate.interval is None
    assert estimate.region is not None
    assert len(estimate.region) == 2
    assert "unbounded" in str(estimate.reason)


def test_nothing_clear_at_all_gives_every_number() -> None:
    assert fieller_region([1.0, -1.0, 0.5], [-0.5, 1.0, -0.4]) == ((None, None),)


def test_no_extra_requirement_is_no_price() -> None:
    assert per_unit([1.0, 2.0], [1.0, -1.0]).reason == "no extra requirement to divide by"
    assert per_unit([], []).value is None
    assert per_unit([1.0], [2.0]).value == 0.5
    assert per_unit([1.0], [2.0]).interval is None
    assert per_unit([0.1 + 0.2, 0.3], [3.0, 3.0]).interval is None

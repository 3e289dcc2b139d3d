import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from gatebench.stats.mde import measured_points, power, t_mde


@pytest.mark.parametrize("tasks", [4, 5, 10, 20])
def test_it_agrees_with_statsmodels(tasks: int) -> None:
    solved = TTestPower().solve_power(nobs=tasks, alpha=0.05, power=0.8)
    # statsmodels speaks in standard deviations of one task, we in standard errors of the mean
    assert t_mde(1.0, tasks - 1) == pytest.approx(solved * tasks**0.5, rel=1e-3)


def test_without_an_effect_the_power_is_the_level() -> None:
    assert power(0.0, 1.0, 4) == pytest.approx(0.05, abs=1e-4)


@given(st.floats(0.01, 10), st.integers(1, 50))
def test_it_grows_with_the_error_and_shrinks_with_the_tasks(se: float, df: int) -> None:
    small, wide, more = t_mde(se, df), t_mde(2 * se, df), t_mde(se, df + 1)
    assert small is not None
    assert wide == pytest.approx(2 * small)
    assert more is not None
    assert more < small


def test_no_spread_no_figure() -> None:
    assert t_mde(0.0, 4) is None
    assert t_mde(1.0, 0) is None


def test_the_measured_table_never_flatters_a_design() -> None:
    assert measured_points(5, 2) == (41, 33, 32)
    assert measured_points(9, 3) == (41, 33, 32)
    assert measured_points(12, 4) == (17, 14, 12)
    assert measured_points(4, 2) is None

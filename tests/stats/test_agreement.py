import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from gatebench.stats.agreement import (
    TwoByTwo,
    chapman,
    double_fault,
    effective_reviewers,
    kappa,
    mcc,
    pabak,
)

tables = st.builds(TwoByTwo, *(st.integers(0, 20),) * 4)


def test_worked_by_hand() -> None:
    table = TwoByTwo(both=20, first=5, second=10, neither=15)
    # p_o = 0.7, p_e = (25·30 + 25·20)/2500 = 0.5
    assert kappa(table).value == pytest.approx(0.4)
    assert pabak(table).value == pytest.approx(0.4)
    # (20·15 − 5·10)/√(25·25·30·20)
    assert mcc(table).value == pytest.approx(250 / 375000**0.5)
    assert double_fault(table).value == pytest.approx(0.4)
    # n₁ = 25, n₂ = 30, m = 20
    assert chapman(20, 5, 10).value == pytest.approx(26 * 31 / 21 - 1)
    assert effective_reviewers(table).value == pytest.approx(2 / (1 + 250 / 375000**0.5))


@given(tables)
def test_kappa_agrees_with_statsmodels_where_it_is_defined(table: TwoByTwo) -> None:
    estimate = kappa(table)
    if estimate.value is not None:
        matrix = np.array([[table.both, table.first], [table.second, table.neither]])
        assert estimate.value == pytest.approx(float(cohens_kappa(matrix, return_results=False)))


@given(tables)
def test_mcc_is_the_correlation_of_the_two_judgements(table: TwoByTwo) -> None:
    estimate = mcc(table)
    pairs = [(1, 1)] * table.both + [(1, 0)] * table.first
    pairs += [(0, 1)] * table.second + [(0, 0)] * table.neither
    if estimate.value is None:
        assert estimate.reason
    else:
        assert estimate.value == pytest.approx(float(np.corrcoef(np.array(pairs).T)[0, 1]))


@given(tables)
def test_whatever_the_counts_nothing_crashes_and_nulls_have_reasons(table: TwoByTwo) -> None:
    found = [f(table) for f in (kappa, pabak, mcc, double_fault, effective_reviewers)]
    found.append(chapman(table.both, table.first, table.second))
    assert all(e.reason for e in found)
    assert all(e.interval is None for e in found)


@pytest.mark.parametrize(
    "table", [TwoByTwo(0, 0, 0, 0), TwoByTwo(4, 0, 0, 0), TwoByTwo(0, 0, 0, 4)]
)
def test_zero_margins_are_null(table: TwoByTwo) -> None:
    assert kappa(table).value is None
    assert mcc(table).value is None
    assert effective_reviewers(table).value is None


def test_chapman_needs_something_caught_twice() -> None:
    assert chapman(0, 3, 2).value is None
    assert effective_reviewers(TwoByTwo(0, 3, 3, 0)).reason == "exactly opposite errors"

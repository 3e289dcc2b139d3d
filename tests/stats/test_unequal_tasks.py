"""Tasks with different numbers of requirements weigh equal; what was known took no time."""

from dataclasses import replace
from typing import Any

import pytest
from handmade import Stop, Trial, job

from gatebench.model.job import JobData, TrialData
from gatebench.report.counts import count
from gatebench.stats.analysis import analyze


def of_two(config: str, passed: int) -> Trial:
    """A trial of T2, which has two requirements."""
    failed = ("R1", "R2")[passed:]
    changes: dict[str, Any] = {
        "hidden_pass": passed,
        "hidden_fail": len(failed),
        "failed_reqs": failed,
        "hidden_first_stop": passed,
    }
    return Trial(f"T2-{config}-r1", changes=changes)


@pytest.fixture(scope="module")
def uneven() -> JobData:
    """T1 of five: bare 3, g1 5. T2 of two: bare 2, g1 1."""
    made = job(
        Trial("T1-bare-r1", end="R1 R2"),
        Trial("T1-g1-r1"),
        of_two("bare", 2),
        of_two("g1", 1),
    )
    return replace(made, requirements={"T1": 5, "T2": 2})


def test_a_rate_is_the_mean_of_the_tasks_shares(uneven: JobData) -> None:
    bare, g1 = analyze(uneven).configs
    assert bare.pass_rate.value == pytest.approx((3 / 5 + 2 / 2) / 2)
    assert g1.pass_rate.value == pytest.approx((5 / 5 + 1 / 2) / 2)


def test_so_is_a_difference_whatever_the_sums_say(uneven: JobData) -> None:
    (against_bare,) = analyze(uneven).comparisons
    # 6 of 7 requirements are more than 5 of 7, and yet the mean task got worse.
    assert against_bare.difference.value == pytest.approx((2 / 5 - 1 / 2) / 2)


def test_all_of_two_is_as_full_as_all_of_five(uneven: JobData) -> None:
    bare, g1 = (c.counts for c in analyze(uneven).configs)
    assert (bare.passed, bare.possible, bare.full) == (5, 7, 1)
    assert (g1.passed, g1.possible, g1.full) == (6, 7, 1)
    tasks = {
        (t.config, t.task): (t.counts.passed, t.counts.possible) for t in analyze(uneven).tasks
    }
    assert tasks["bare", "T1"] == (3, 5)
    assert tasks["g1", "T2"] == (1, 2)


def test_the_table_of_a_run_counts_them_so_too(uneven: JobData) -> None:
    said = {row.config: (row.hidden.passed, row.hidden.possible) for row in count(uneven).rows}
    assert said == {"bare": (5, 7), "g1": (6, 7)}


def known_before(data: TrialData) -> TrialData:
    """The same trial, whose gates' results were there already."""
    stops = tuple(
        s.model_copy(
            update={"gates": tuple(g.model_copy(update={"cached": True}) for g in s.gates)}
        )
        for s in data.stops
    )
    assert data.score is not None
    return replace(data, stops=stops, score=data.score.model_copy(update={"hook_wall_s": 0.1}))


def test_the_time_of_a_gate_whose_result_was_known_is_in_no_mean() -> None:
    made = job(*(Trial(f"T1-g1-r{rep}", stops=(Stop("pass"),)) for rep in (1, 2)))
    first, second = made.trials
    (costs,) = analyze(replace(made, trials=(first, known_before(second)))).costs
    assert costs.hook_s_mean == 10.0
    (costs,) = analyze(replace(made, trials=tuple(map(known_before, made.trials)))).costs
    assert costs.hook_s_mean is None

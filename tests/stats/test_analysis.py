"""Whole jobs whose every label and estimate was worked out by hand."""

import math
from collections.abc import Iterator

import pytest
from handmade import Stop, Trial, job, six_trials

from gatebench.model.job import JobData
from gatebench.stats.analysis import analyze, gains
from gatebench.stats.cells import Cells
from gatebench.stats.records import Analysis, GateTable, TransitionTable

APPROVE = {"approve": True, "findings": [], "error": None}
OBJECT = {"approve": False, "findings": [], "error": None}


@pytest.fixture(scope="module")
def six() -> Analysis:
    return analyze(six_trials())


def gate(analysis: Analysis, config: str, name: str | None) -> GateTable:
    return next(g for g in analysis.gates if (g.config, g.gate) == (config, name))


def moves(analysis: Analysis, config: str, name: str | None = None) -> TransitionTable:
    found = (t for t in analysis.transitions if t.config == config and t.label is None)
    return next(t for t in found if t.gate == name)


def seen(table: GateTable) -> dict[str, int]:
    return {label: n for label, n in table.labels.items() if n}


def test_six_counts(six: Analysis) -> None:
    bare, g1, g13 = (c.counts for c in six.configs)
    assert (bare.passed, bare.possible, bare.full, bare.judged) == (7, 10, 0, 2)
    assert (g1.passed, g1.first_passed, g1.first_possible) == (9, 8, 10)
    assert (g13.passed, g13.first_passed) == (9, 7)


def test_six_labels_of_each_gate(six: Analysis) -> None:
    once = {"right_block": 1, "false_block": 1, "miss": 1, "correct_allow": 1}
    assert seen(gate(six, "g1", "tests")) == once == seen(gate(six, "g1", None))
    # T1: red (right), then passes failing states twice and a good one twice; T2: passes R1 twice
    assert seen(gate(six, "g13", "tests")) == {"right_block": 1, "miss": 3, "correct_allow": 2}
    assert seen(gate(six, "g13", "review")) == {
        "right_block": 2,
        "false_block": 1,
        "miss": 1,
        "correct_allow": 1,
    }
    assert gate(six, "g13", "review").not_run == 1
    assert gate(six, "g13", "tests").not_run == 0


def test_six_detection_at_all_and_at_first_stops(six: Analysis) -> None:
    tests = gate(six, "g13", "tests")
    assert tuple(dict(tests.detection).values()) == (1, 3, 0, 2)
    assert tuple(dict(tests.detection_first).values()) == (1, 1, 0, 0)
    assert tests.right_block_rate.reason == "1 of 2: too few for a rate"
    assert gate(six, "g1", "tests").trials_with_false_block.count == 1


def test_six_transitions(six: Analysis) -> None:
    # g1: T1 {R2 R5} → {R5}; T2 {} → {}
    g1 = moves(six, "g1")
    assert (g1.blocks, g1.repaired, g1.still_broken, g1.broken, g1.untouched) == (2, 1, 1, 0, 8)
    # g13: T1 {R2 R5} → {R4 R5} → {} → {}; T2 {R1} → {R1}
    g13 = moves(six, "g13")
    assert (g13.blocks, g13.followed) == (4, 4)
    assert (g13.repaired, g13.still_broken, g13.broken, g13.untouched) == (3, 2, 1, 14)
    tests = moves(six, "g13", "tests")
    assert (tests.repaired, tests.still_broken, tests.broken, tests.untouched) == (1, 1, 1, 2)
    review = moves(six, "g13", "review")
    assert (review.repaired, review.still_broken, review.broken, review.untouched) == (2, 1, 0, 12)


def test_six_flow_loses_no_requirement(six: Analysis) -> None:
    steps = [s for s in six.flow if s.config == "g13"]
    assert [(s.n, s.trials, s.passing, s.failing) for s in steps] == [
        (1, 2, 7, 3),
        (2, 2, 7, 3),
        (3, 1, 5, 0),
        (4, 1, 5, 0),
    ]
    for s in steps:
        onward = s.repaired + s.still_broken + s.broken + s.untouched
        assert onward + s.left_passing + s.left_failing == s.passing + s.failing == 5 * s.trials


def test_a_trial_that_ended_blocked_is_looked_at_once_more() -> None:
    stops = (Stop("red", "R1 R2"), Stop("red", "R2"))
    analysis = analyze(job(Trial("T1-g1-r1", end="R3", stops=stops)))
    last = analysis.flow[-1]
    assert (last.n, last.trials, last.left_passing, last.left_failing) == (3, 1, 4, 1)
    found = moves(analysis, "g1")
    assert (found.repaired, found.still_broken, found.broken, found.untouched) == (2, 1, 1, 6)


def test_six_gains() -> None:
    # all first stops: T1 3, 3, 3 of 5; T2 4, 5, 4 of 5
    cells = Cells(six_trials())
    assert gains(cells, "g1") == pytest.approx([0.8 - 0.6, 1.0 - 13 / 15])
    assert gains(cells, "g13") == pytest.approx([1.0 - 0.6, 0.8 - 13 / 15])


def test_six_comparisons(six: Analysis) -> None:
    g1, g13, unplanned = six.comparisons
    assert [(c.config, c.against, c.planned) for c in six.comparisons] == [
        ("g1", "bare", True),
        ("g13", "g1", True),
        ("g13", "bare", False),
    ]
    # g1 − bare: +20 points on both tasks, so there is no spread
    assert g1.difference.value == pytest.approx(0.2)
    assert g1.difference.interval is None
    assert g1.t_test is None
    # four labellings: ±0.4, 0, 0
    assert g1.permutation is not None
    assert (g1.permutation.p, g1.permutation.minimum_p) == (0.5, 0.5)
    assert g1.permutation.p_holm == 1.0
    assert (g1.only_config, g1.only_against) == (2, 0)
    # g13 − g1: +20 and −20 points
    assert g13.difference.value == pytest.approx(0.0)
    assert g13.t_test is not None
    assert g13.t_test.p == pytest.approx(1.0)
    assert (g13.only_config, g13.only_against) == (1, 1)
    assert unplanned.permutation is not None
    assert unplanned.permutation.p_holm is None


def test_six_money(six: Analysis) -> None:
    bare, g1, g13 = six.costs
    assert bare.total.value == pytest.approx(1.5)
    # T1 2.75, T2 3.75: s.e. 0.5·√2, t(1) = 12.706; below 0 is impossible
    assert g13.total.value == pytest.approx(3.25)
    assert g13.total.interval == pytest.approx((0.0, 3.25 + 12.7062 * 0.5 * math.sqrt(2)), abs=1e-3)
    assert g1.own_usd_per_right_block.value == pytest.approx(0.5)
    assert g13.own_usd_per_right_block.value == pytest.approx(1.5 / 3)
    assert g13.reviewers_usd_per_stop == pytest.approx(1.0 / 6)
    assert g13.induced_worker.value == pytest.approx(1.0)
    assert (g1.work_s_mean, g1.hook_s_mean) == (50.0, 10.0)
    assert [c.on_frontier for c in six.costs] == [True, True, False]
    versus_bare = six.comparisons[0]
    assert versus_bare.cost_difference.value == pytest.approx(0.75)
    assert versus_bare.net_benefit.value == pytest.approx(0.25)
    assert versus_bare.usd_per_requirement.value == pytest.approx(0.75)


def test_six_premise_admits_that_it_could_have_seen_nothing(six: Analysis) -> None:
    assert six.premise is not None
    assert (six.premise.bare_trials, six.premise.gated_trials) == (2, 4)
    assert six.premise.words.startswith("Too few first stops")


def estimates_without_a_word(analysis: Analysis) -> list[object]:
    """Those with neither an interval nor a reason why there is none."""

    def walk(node: object) -> Iterator[object]:
        if isinstance(node, dict):
            if "value" in node and node["interval"] is None and not node["reason"]:
                yield node
            node = list(node.values())
        for child in node if isinstance(node, list) else ():
            yield from walk(child)

    return list(walk(analysis.model_dump(mode="json")))


AWKWARD = {
    "nothing at all": job(),
    "nothing done": job(Trial("T1-g13-r1", done=False), Trial("T1-bare-r1", done=False)),
    "one trial": job(Trial("T1-g1-r1", stops=(Stop("pass"),))),
    "all invalid": job(Trial("T1-g1-r1", status="gate_absent", end="?")),
    "no stop": job(Trial("T1-g1-r1", end="R1"), Trial("T1-bare-r1", end="R1")),
    "unknown cost": job(Trial("T1-bare-r1", worker=None), Trial("T1-g1-r1", worker=None)),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_jobs_are_analysed_without_nonsense(name: str) -> None:
    assert estimates_without_a_word(analyze(AWKWARD[name])) == []


def test_nothing_at_all() -> None:
    analysis = analyze(job(configs=("bare", "g1")))
    assert [c.pass_rate.reason for c in analysis.configs] == ["no valid trial"] * 2
    assert analysis.warnings == ("The job has no trials: there is nothing to analyse.",)


def test_one_trial_gives_counts_and_no_interval() -> None:
    analysis = analyze(AWKWARD["one trial"])
    (config,) = analysis.configs
    assert (config.counts.passed, config.counts.possible) == (5, 5)
    assert config.pass_rate.interval is None
    assert "one task" in str(config.pass_rate.reason)
    assert any("One task" in w for w in analysis.warnings)


def one_task() -> JobData:
    return job(
        *(Trial(f"T1-bare-r{r}", end="R1") for r in (1, 2, 3)),
        *(Trial(f"T1-g1-r{r}", stops=(Stop("red", "R1"), Stop("pass"))) for r in (1, 2, 3)),
    )


def test_one_task_speaks_of_nothing_but_itself() -> None:
    (found,) = analyze(one_task()).comparisons
    assert found.difference.interval is None
    assert "one task" in str(found.difference.reason)
    # 20 labellings of 3 + 3 trials, two of them as far apart
    assert found.permutation is not None
    assert found.permutation.p == pytest.approx(2 / 20)
    assert found.permutation.labellings == 20


def test_no_false_block_among_twelve_is_an_upper_limit_not_a_zero() -> None:
    trials = [Trial(f"T{t}-g1-r{r}", stops=(Stop("pass"),)) for t in (1, 2, 3) for r in range(1, 5)]
    rate = gate(analyze(job(*trials)), "g1", "tests").false_block_rate
    assert (rate.value, rate.count, rate.n) == (0.0, 0, 12)
    assert rate.interval == pytest.approx((0.0, 1 - 0.025 ** (1 / 12)))


def all_give_up() -> JobData:
    stops = (*(Stop("red", "R1") for _ in range(6)), Stop("red", "R1", give_up=True))
    return job(*(Trial(f"T{t}-g1-r1", end="R1", stops=stops) for t in (1, 2)))


def test_all_give_up_is_detected_but_no_block() -> None:
    analysis = analyze(all_give_up())
    table = gate(analysis, "g1", "tests")
    assert seen(table) == {"right_block": 12, "give_up": 2}
    assert table.detection.failing_blocked == 14
    assert analysis.configs[0].blocks.give_ups == 2
    found = moves(analysis, "g1")
    assert (found.blocks, found.repaired, found.still_broken, found.broken) == (12, 0, 12, 0)
    assert found.repaired_share.value == 0.0


def test_a_give_up_on_good_work_is_detected_wrongly() -> None:
    stops = (Stop("red"), Stop("red", give_up=True))
    table = gate(analyze(job(Trial("T1-g1-r1", stops=stops))), "g1", "tests")
    assert (table.detection.passing_blocked, table.labels["false_block"]) == (2, 1)


def test_an_unscorable_stop_is_its_own_class_and_ends_the_transition() -> None:
    stops = (Stop("red", "R1"), Stop("red", "?"), Stop("pass"))
    analysis = analyze(job(Trial("T1-g1-r1", stops=stops)))
    assert seen(gate(analysis, "g1", "tests")) == {
        "right_block": 1,
        "unscorable": 1,
        "correct_allow": 1,
    }
    found = moves(analysis, "g1")
    assert (found.blocks, found.followed, found.repaired) == (2, 0, 0)


def test_regressions_faults_and_undelivered_stand_apart() -> None:
    trials = (
        Trial("T1-g13-r1", stops=(Stop("red skipped", suite_green=False), Stop("pass error"))),
        Trial("T2-g13-r1", stops=(Stop("red skipped", "R1", delivery=None), Stop("pass pass"))),
    )
    analysis = analyze(job(*trials))
    assert seen(gate(analysis, "g13", "tests")) == {
        "regression_block": 1,
        "correct_allow": 2,
        "right_block": 1,
    }
    assert seen(gate(analysis, "g13", "review")) == {"gate_fault": 1, "correct_allow": 1}
    assert seen(gate(analysis, "g13", None)) == {
        "regression_block": 1,
        "gate_fault": 1,
        "right_block": 1,
        "correct_allow": 1,
    }
    # a block whose delivery isn't known counts as one that did not arrive
    assert moves(analysis, "g13").blocks == 1


def test_ties_on_every_task_are_said_and_not_given_a_width() -> None:
    trials = [Trial(f"T{t}-{c}-r1", end="R1") for t in range(1, 6) for c in ("bare", "g1")]
    (found,) = analyze(job(*trials)).comparisons
    assert found.difference.value == 0.0
    assert found.difference.interval is None
    assert "no spread" in str(found.difference.reason)
    assert found.permutation is not None
    assert found.permutation.minimum_p == 1.0


def test_two_reviewers_on_the_same_stops() -> None:
    said = [(OBJECT, OBJECT, "R1"), (OBJECT, APPROVE, "R1"), (APPROVE, APPROVE, "R1")]
    said += [(APPROVE, APPROVE, ""), (APPROVE, OBJECT, "")]
    trials = [
        Trial(
            f"T{n}-g3-r1",
            end=failed,
            stops=(Stop("red" if OBJECT in (a, b) else "pass", failed, reviewers=(a, b)),),
        )
        for n, (a, b, failed) in enumerate(said, 1)
    ]
    (table,) = analyze(job(*trials)).reviewers
    assert (table.stops, table.caught_by_both, table.caught_by_first) == (5, 1, 1)
    assert (table.caught_by_second, table.caught_by_none) == (0, 1)
    # both block once, A alone once, B alone once, neither twice: p_o 0.6, p_e 0.52
    assert table.kappa.value == pytest.approx((0.6 - 0.52) / 0.48)
    # wrong: A on the third; B on the second, third, fifth
    assert table.double_fault.value == pytest.approx(0.2)
    # n₁ = 2, n₂ = 1, m = 1: 2 failing stops where there are 3
    assert table.chapman.value == pytest.approx(2.0)
    assert table.chapman_bias == -1


def test_first_stops_of_another_setup_are_no_control() -> None:
    other = {"model": "another"}
    trials = (
        Trial("T1-bare-r1", end="R1 R2 R3 R4 R5", changes=other),
        Trial("T1-g1-r1", stops=(Stop("red", "R1"), Stop("pass"))),
    )
    assert gains(Cells(job(*trials)), "g1") == pytest.approx([0.2])
    assert any("more than their gates" in w for w in analyze(job(*trials)).warnings)

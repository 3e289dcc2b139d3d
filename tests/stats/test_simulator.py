"""The simulator plays what the gateway's team decides, and its records are those of a real job."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from push_pull import MATERIAL, PRISTINE
from typing_agent import TypingAgent

from gatebench.model.labels import Label, label
from gatebench.model.seeds import trial_seed
from gatebench.model.stop import GateStatus
from gatebench.model.task import PromptVariant
from gatebench.model.trial import SHIPPED_CONFIGS, TrialId
from gatebench.model.usage import Role
from gatebench.stats.simulated_cost import Prices, costs
from gatebench.stats.simulated_seat import SimTask, drawn_seat, seat_of
from gatebench.stats.simulator import gates_of, play_job, play_trial
from gatebench.suites import load_suite
from gatebench.suites.hidden import load_hidden
from gatebench.team import Seat, load_profile
from gatebench.team.play import Gates, play

MIXED = load_profile("mixed")
SUITE = load_suite("tinydb")
TASKS = [t for t in SUITE.tasks if not t.spare]
PLAYED = [SimTask.of(t, MIXED, PromptVariant.TERSE) for t in TASKS]
CONFIGS = {c.name: c for c in SHIPPED_CONFIGS}


def test_a_played_matrix_holds_the_very_decisions_of_the_shipped_material() -> None:
    job = play_job(PLAYED, seed=3)
    assert len(job.trials) == 50
    hidden = load_hidden(SUITE)
    for trial in job.trials:
        task = SUITE.task(trial.id.task)
        material = hidden.material(task.id)
        assert material is not None
        fixed = (task.stated(PromptVariant.TERSE), task.guards, task.covered)
        seed = trial_seed(3, trial.id)
        seat = Seat(Role.WORKER, seed, MIXED, material, *fixed)
        stops = play(seat, gates_of(CONFIGS[trial.id.config]))
        assert trial.score is not None
        assert set(task.requirement_ids) - set(trial.score.failed_reqs or ()) == stops[-1].subset
        if trial.id.config == "bare":
            assert trial.stops == ()
            continue
        assert [s.decision for s in trial.stops] == [s.decision for s in stops]
        reds = [tuple(g.name for g in s.gates if g.status is GateStatus.RED) for s in trial.stops]
        assert reds == [s.red for s in stops]


def test_the_same_seed_gives_the_same_job() -> None:
    assert play_job(PLAYED[:2], reps=1, seed=5) == play_job(PLAYED[:2], reps=1, seed=5)
    assert play_job(PLAYED[:2], reps=1, seed=5) != play_job(PLAYED[:2], reps=1, seed=6)


def test_records_agree_with_each_other() -> None:
    for trial in play_job(PLAYED, seed=4).trials:
        score = trial.score
        assert score is not None
        labels = Counter(label(s) for s in trial.stops)
        if trial.stops:
            assert score.hook_calls == len(trial.stops)
            assert score.right_blocks == labels[Label.RIGHT_BLOCK]
            assert score.false_blocks == labels[Label.FALSE_BLOCK]
            assert score.misses == labels[Label.MISS]
            hidden = trial.stops[-1].hidden
            assert hidden is not None
            assert hidden.failed_reqs == score.failed_reqs
        assert (score.hidden_pass or 0) + (score.hidden_fail or 0) == 5
        assert (score.cost_total_usd or 0) > 0


def test_a_stream_draws_what_digests_draw() -> None:
    """The same chances: means of 500 trials each way, within four standard errors."""
    task, config = PLAYED[1], CONFIGS["g13adv"]
    stream = random.Random(2)  # noqa: S311  # simulation
    trial = TrialId(task.id, config.name, 1)
    seats = ([seat_of(task, n) for n in range(500)], [drawn_seat(task, stream) for _ in range(500)])
    figures = []
    for side in seats:
        scores = [play_trial(trial, task, config, seat).score for seat in side]
        figures.append(
            [
                [float(s.hidden_pass or 0) for s in scores if s],
                [float(s.hook_calls or 0) for s in scores if s],
                [float(s.cost_total_usd or 0) for s in scores if s],
            ]
        )
    for one, two in zip(*figures, strict=True):
        gap = sum(one) / 500 - sum(two) / 500
        spread = sum((x - sum(one) / 500) ** 2 for x in one) / 499
        assert abs(gap) < 4 * (2 * spread / 500) ** 0.5


def test_an_answer_asked_for_twice_is_the_same() -> None:
    seat = drawn_seat(PLAYED[0], random.Random(1))  # noqa: S311  # simulation
    for part in range(50):
        assert seat.happens(0.5, part) == seat.happens(0.5, part)


@pytest.mark.parametrize("seed", range(8))
def test_a_session_costs_what_the_script_counts(seed: int) -> None:
    """Against the real script's replies, on a task of which the texts are known."""
    stated = frozenset({"R1"})
    real = Seat(Role.WORKER, seed, MIXED, MATERIAL, stated)
    agent = TypingAgent(real, dict(PRISTINE))
    agent.work()
    prices = Prices()
    counted = sum(
        (r.usage.input_tokens or 0) * prices.fresh
        + (r.usage.output_tokens or 0) * prices.output
        + (r.usage.cache_read_input_tokens or 0) * prices.cache_read
        + (r.usage.cache_creation_input_tokens or 0) * prices.cache_write
        for r in agent.replies
    )
    played = SimTask("T1", tuple(MATERIAL.requirements), stated, frozenset(), MIXED)
    seat = replace(seat_of(played, seed), material=MATERIAL)
    found = costs(seat, Gates(), play(seat, Gates()))
    assert found.worker == pytest.approx(counted / 1e6, rel=0.1)
    assert (found.reviewers, found.writer) == (0.0, 0.0)


def test_reviews_and_the_writer_cost_what_a_real_session_was_billed() -> None:
    """Figures of one trial on the real CLI: $0.2313 for a review by two, $0.0864 for a writer."""
    task = SimTask("T1", PLAYED[0].requirements, frozenset(), frozenset(), load_profile("perfect"))
    seat = seat_of(task, 1)
    gates = Gates(tests=True, review="adv")
    found = costs(seat, gates, play(seat, gates))
    assert found.reviewers == pytest.approx(0.2313, rel=0.03)
    assert found.writer == pytest.approx(0.0864, rel=0.03)

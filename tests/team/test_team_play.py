"""The team played without processes, and that both players tell the same story."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from push_pull import BLUEPRINT, MATERIAL, PRISTINE, seat
from typing_agent import TypingAgent

from gatebench.model.seeds import trial_seed
from gatebench.model.stop import Decision
from gatebench.model.trial import TrialId
from gatebench.model.usage import Role
from gatebench.team import Profile, Seat, load_profile, worker, writer
from gatebench.team.play import Gates, PlayedStop, play
from gatebench.team.writer import Kind

FIVE = tuple(f"R{n}" for n in range(1, 6))
CONFIGS = {
    "bare": Gates(),
    "g1": Gates(tests=True),
    "g3": Gates(review="indep"),
    "g13": Gates(tests=True, review="indep"),
    "g13adv": Gates(tests=True, review="adv"),
}


def five(task: str, seed: int, profile: Profile) -> Seat:
    """A seat of a task with five requirements, two of them stated."""
    some = MATERIAL.requirements["R1"]
    material = MATERIAL.model_copy(
        update={"task": task, "requirements": dict.fromkeys(FIVE, some)},
    )
    guards = frozenset({"R3"}) if task == "T5" else frozenset()
    return Seat(Role.WORKER, seed, profile, material, frozenset({"R1", "R3"}), guards)


def matrix(profile: str, seed: int = 1) -> dict[str, tuple[PlayedStop, ...]]:
    played = {}
    for task in ("T1", "T2", "T3", "T4", "T5"):
        for config, gates in CONFIGS.items():
            for rep in (1, 2):
                trial = TrialId(task, config, rep)
                here = five(task, trial_seed(seed, trial), load_profile(profile))
                played[str(trial)] = play(here, gates)
    return played


def events(played: dict[str, tuple[PlayedStop, ...]]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for name, stops in played.items():
        for stop in stops:
            whole = stop.subset == set(FIVE)
            if stop.decision is Decision.BLOCK:
                seen["false block" if whole else "right block"] += 1
            if stop.decision is Decision.ALLOW and "bare" not in name:
                seen["correct allow" if whole else "miss"] += 1
            seen["give-up"] += stop.decision is Decision.GIVE_UP
        for before, after in itertools.pairwise(stops):
            seen["repair"] += bool(after.subset - before.subset)
            seen["breakage"] += bool(before.subset - after.subset)
    return seen


def test_everything_that_can_happen_happens_in_the_mixed_matrix() -> None:
    seen = events(matrix("mixed"))
    wanted = (
        "right block",
        "false block",
        "miss",
        "correct allow",
        "repair",
        "breakage",
        "give-up",
    )
    assert all(seen[name] for name in wanted), seen


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_mixed_matrix_is_a_mixture_whatever_the_seed(seed: int) -> None:
    seen = events(matrix("mixed", seed))
    assert all(seen[name] for name in ("right block", "false block", "miss", "repair")), seen


def test_a_perfect_team_is_never_blocked_and_misses_nothing() -> None:
    seen = events(matrix("perfect"))
    assert seen["correct allow"] == 40
    assert seen["right block"] + seen["false block"] + seen["miss"] + seen["give-up"] == 0


def test_a_refuser_gives_up_wherever_it_is_caught() -> None:
    played = [stops for stops in matrix("refuser").values() if len(stops) > 1]
    tested = [stops for stops in played if stops[0].red == ("tests",)]
    assert tested
    assert all(stops[-1].decision is Decision.GIVE_UP and len(stops) == 7 for stops in tested)
    assert all(stop.subset == stops[0].subset for stops in played for stop in stops)


def test_the_same_seed_plays_the_same_and_another_does_not() -> None:
    assert matrix("mixed") == matrix("mixed")
    assert matrix("mixed") != matrix("mixed", 2)


def test_a_failed_writer_leaves_no_tests_and_an_erring_reviewer_no_block() -> None:
    nothing = {"first_stated": 0}
    assert len(play(seat(worker=nothing, writer={"fail": 1}), Gates(tests=True))) == 1
    (stop,) = play(seat(worker=nothing, reviewer={"error": 1}), Gates(review="indep"))
    assert (stop.decision, stop.errors) == (Decision.ALLOW, 2)
    found = play(seat(worker=nothing, challenger={"error": 1}), Gates(review="adv"))
    assert (found[0].decision, found[0].errors) == (Decision.ALLOW, 1)


def test_run_all_lets_the_review_speak_after_red_tests() -> None:
    here = seat(worker={"first_stated": 0, "refuse": 1})
    assert play(here, Gates(tests=True, review="indep"))[0].red == ("tests",)
    both = play(here, Gates(tests=True, review="indep", run_all=True))[0]
    assert both.red == ("tests", "review")


def reason(stop: PlayedStop, kinds: dict[str, Kind]) -> str:
    """What the tests gate would say."""
    own = MATERIAL.requirements
    names = [getattr(own[r], kinds.get(r, Kind.VISIBLE)).name for r in sorted(stop.named)]
    return "\n".join(f"FAILED acceptance/test_acceptance.py::{name}" for name in names)


@pytest.mark.parametrize("number", range(25))
def test_both_players_come_to_the_same_trees(number: int) -> None:
    mixed = load_profile("mixed").model_copy(update={"requirements": {}})
    here = replace(seat(seed=number, stated=frozenset({"R1"})), profile=mixed)
    kinds = writer.choose(replace(here, role=Role.WRITER))
    session = TypingAgent(here, dict(PRISTINE))
    for stop in play(here, Gates(tests=True)):
        session.work()
        started = "push" in session.files["tinydb/operations.py"]
        whole = BLUEPRINT.apply(PRISTINE, stop.subset)["tinydb/operations.py"]
        assert session.files["tinydb/operations.py"] == whole or (not started and not stop.subset)
        said = reason(stop, kinds)
        assert worker.named_in(MATERIAL, said) == stop.named
        session.block(said)


def test_the_librarys_own_tests_see_what_they_cover_and_hide_what_comes_after_them() -> None:
    sure = load_profile("perfect").model_copy(
        update={
            "worker": load_profile("perfect").worker.model_copy(
                update={"first_stated": 0.0, "first_unstated": 0.0, "own_tests": 1.0}
            ),
            "writer": load_profile("perfect").writer.model_copy(update={"fail": 1.0}),
        }
    )
    blind = replace(five("T5", 1, sure), role=Role.WORKER)
    gates = Gates(tests=True, give_up=1)
    (first, *_) = play(replace(blind, covered=frozenset({"R1"})), gates)
    assert first.subset == {"R3"}
    assert (first.red, first.named) == (("tests",), frozenset())
    (only,) = play(replace(blind, covered=frozenset({"R3"})), gates)
    assert (only.red, only.decision) == ((), Decision.ALLOW)

"""Placebos, the truth and the diff guard through the front door, on agents of known worth."""

from pathlib import Path

import pytest
from front import Front, Job, run_job
from front import complaint as complaint_of

from gatebench.gates.placebo import NEUTRAL, NUDGE

CONFIGS = "bare,nudge,blockonce,random,retry,truth,diffguard"
SPOKEN = "Missing or wrong:"


def controlled(front: Front, suite: Path, agent: str) -> Job:
    args = (str(suite), "--configs", CONFIGS, "--reps", "1", "--agent", agent)
    return run_job(front, front.cwd / f"controls-{agent}", *args)


@pytest.fixture(scope="module")
def idle(front: Front, shipped_pocket: Path) -> Job:
    return controlled(front, shipped_pocket, "nop")


@pytest.fixture(scope="module")
def perfect(front: Front, shipped_pocket: Path) -> Job:
    return controlled(front, shipped_pocket, "reference")


BLOCKED = {"nudge": 1, "blockonce": 1, "retry": 2}


@pytest.mark.parametrize("config", BLOCKED)
def test_a_placebo_blocks_whatever_is_there(config: str, idle: Job, perfect: Job) -> None:
    wanted = ["block"] * BLOCKED[config] + ["allow"]
    bad, good = (job.trial(f"T1-{config}-r1") for job in (idle, perfect))
    assert bad.decisions == good.decisions == wanted
    assert (bad.score["right_blocks"], bad.score["false_blocks"]) == (BLOCKED[config], 0)
    assert (good.score["right_blocks"], good.score["false_blocks"]) == (0, BLOCKED[config])
    assert (bad.score["misses"], good.score["misses"]) == (1, 0)


def test_what_the_agent_is_told(idle: Job) -> None:
    def told(config: str) -> set[str]:
        return set(idle.trial(f"T1-{config}-r1").feedback())

    assert told("nudge") == {f"Stop hook feedback:\n{NUDGE}"}
    assert told("blockonce") == {f"Stop hook feedback:\n{NEUTRAL}"}
    prompt = (idle.path / "T1-retry-r1/prompt.txt").read_text()
    (said,) = told("retry")
    assert said.removeprefix("Stop hook feedback:\n") in prompt


def test_blocks_are_counted_under_the_gates_own_names(idle: Job) -> None:
    assert idle.trial("T1-blockonce-r1").score["blocks_by_gate"] == {
        "g1": 0,
        "g3": 0,
        "block-once": 1,
    }
    assert idle.trial("T1-nudge-r1").score["right_blocks_by_gate"] == {"g1": 0, "g3": 0, "nudge": 1}


def test_a_lot_falls_the_same_for_any_agent(idle: Job, perfect: Job) -> None:
    one, other = (job.trial("T1-random-r1").decisions for job in (idle, perfect))
    assert one == other
    assert one[-1] in {"allow", "give_up"}


def test_the_truth_blocks_where_something_fails_and_nowhere_else(idle: Job, perfect: Job) -> None:
    bad, good = (job.trial("T1-truth-r1") for job in (idle, perfect))
    assert bad.decisions == ["block"] * 6 + ["give_up"]
    assert (bad.score["right_blocks"], bad.score["false_blocks"]) == (6, 0)
    assert all(SPOKEN in said for said in bad.feedback())
    assert not any(f"R{n}" in said for said in bad.feedback() for n in range(1, 6))
    assert good.decisions == ["allow"]
    assert good.stops[0]["gates"][0]["detail"] == {"failing": []}


def test_a_change_that_leaves_the_tests_alone_is_let_be(idle: Job, perfect: Job) -> None:
    for job in (idle, perfect):
        assert job.trial("T1-diffguard-r1").decisions == ["allow"]


def test_each_gate_is_held_against_each_placebo(front: Front, idle: Job) -> None:
    assert front("analyze", idle.path).returncode == 0
    found = front.cwd / idle.path / "results.json"
    pairs = [(c["config"], c["against"], c["planned"]) for c in _json(found)["comparisons"]]
    placebos = ("nudge", "blockonce", "random", "retry")
    beyond = [(g, p, False) for g in ("truth", "diffguard") for p in placebos]
    assert pairs[-len(beyond) :] == beyond
    assert not any(planned for _, _, planned in pairs)


def _json(path: Path) -> dict[str, list[dict[str, object]]]:
    import json  # noqa: PLC0415  # used here alone

    found: dict[str, list[dict[str, object]]] = json.loads(path.read_bytes())
    return found


def test_a_gate_twice_needs_a_name_of_its_own(front: Front, tmp_path: Path) -> None:
    matrix = tmp_path / "twice.toml"
    matrix.write_text('[configs.x]\ngates = ["nudge", "nudge"]\n')
    said = complaint_of(front("run", matrix, "--tasks", "T1", "--out", tmp_path / "j"), 2)
    assert "has the gate 'nudge' twice" in said
    assert "nudge:second" in said

"""Blocks, give-ups and overrides: the red start state and a worker who won't mend it."""

import json
import shutil
from pathlib import Path

import pytest
from front import Front, Job, run_job

GONE = """\
--- /dev/null
+++ b/tests/test_gone.py
@@ -0,0 +1,2 @@
+def test_gone():
+    open("/nowhere/at-all")
"""


def test_six_blocks_then_the_gate_gives_up(refused: Job) -> None:
    trial = refused.trial("T1-g1-r1")
    assert trial.decisions == ["block"] * 6 + ["give_up"]
    assert len(trial.feedback()) == 6
    assert {stop["delivery"] for stop in trial.stops} == {"delivered"}
    score = trial.score
    assert (score["blocks_total"], score["give_up"], score["status"]) == (6, True, "ok")
    assert score["injected"] == "break"


def test_give_ups_are_in_no_label(refused: Job) -> None:
    score = refused.trial("T1-g1-r1").score
    labels = ("right_blocks", "false_blocks", "regression_blocks")
    assert sum(score[key] for key in labels) == score["blocks_total"]
    assert score["misses"] == 0


def test_twenty_blocks_are_possible(refused: Job) -> None:
    trial = refused.trial("T1-patient-r1")
    assert trial.decisions == ["block"] * 20 + ["give_up"]
    assert len(trial.feedback()) == 20
    assert trial.score["status"] == "ok"


def test_an_override_by_the_cli_is_seen_and_recorded(refused: Job) -> None:
    trial = refused.trial("T1-capped-r1")
    deliveries = [stop["delivery"] for stop in trial.stops]
    assert deliveries == ["delivered"] * 8 + ["overridden"]
    assert set(trial.decisions) == {"block"}
    assert trial.score["give_up"] is False
    assert trial.score["ended_blocked"] is True


def test_equal_trees_are_not_run_again(refused: Job) -> None:
    gates = [stop["gates"][0] for stop in refused.trial("T1-g1-r1").stops]
    # A red one is run a second time before it is believed.
    assert [gate["cached"] for gate in gates] == [False] * 2 + [True] * 5
    # What is known keeps the time that it took, whatever the look-up took.
    assert len({gate["wall_s"] for gate in gates[2:]}) == 1
    assert gates[2]["wall_s"] > 0.3


@pytest.mark.proof
def test_a_reason_with_no_such_file_blocks_all_the_same(front: Front) -> None:
    patch = Path(front.cwd, "gone.patch")
    patch.write_text(GONE)
    args = ("T1", "--configs", "g1", "--reps", "1", "--inject", "gone.patch", "--give-up", "1")
    job = run_job(front, front.cwd / "gone", *args, "--profile", "refuser")
    trial = job.trial("T1-g1-r1")
    assert trial.decisions == ["block", "give_up"]
    assert "No such file or directory" in trial.feedback()[0]


def test_the_time_of_what_was_known_is_in_no_table(refused: Job, tmp_path: Path) -> None:
    job = Path(shutil.copytree(refused.path, tmp_path / "job"))
    done = refused.front("analyze", job)
    assert done.returncode == 0, done.stderr
    costs = json.loads((job / "results.json").read_bytes())["costs"]
    # Each trial of this job met a tree that it had met before.
    assert {c["config"]: c["hook_s_mean"] for c in costs} == {
        "g1": None,
        "patient": None,
        "capped": None,
    }

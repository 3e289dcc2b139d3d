"""`replay` from the front door: jobs that were really run, gates asked again, nothing else."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from family import birth, descendants, survivors
from front import Front, Job, Json, Trial, digest, lines, run_job

GATES = ("--gates", "g3,g13adv", "--states", "stops")
STATES = {"T1-g3-r1/1", "T1-g3-r1/2"}
WAIT_S = 120.0
NOP = ("--configs", "bare", "--reps", "1", "--agent", "nop")


@dataclass(frozen=True)
class Replayed:
    """A job, killed in mid-replay and gone on with."""

    front: Front
    path: Path
    killed_at: dict[str, str]
    """What the killed replay had left, by content."""
    done: "subprocess.CompletedProcess[str]"

    @property
    def table(self) -> Json:
        found: Json = json.loads((self.path / "replay.json").read_bytes())
        return found

    @property
    def journal(self) -> list[Json]:
        return lines(self.path / "replay" / "journal.jsonl")

    def looks(self) -> list[Json]:
        return [json.loads(p.read_bytes()) for p in (self.path / "replay").rglob("look.json")]


@pytest.fixture(scope="module")
def replayed(careless: Job, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """One of the careless trials; the others are taken away, as if they had not been run yet."""
    path = tmp_path_factory.mktemp("replay") / "job"
    shutil.copytree(careless.path, path, symlinks=True)
    for name in ("T1-bare-r1", "T1-g1-r1", "T1-g13adv-r1"):
        shutil.rmtree(path / name)
    left = _kill_after_a_look(careless.front, path)
    done = careless.front("replay", path, *GATES)
    assert done.returncode == 0, done.stdout + done.stderr
    return Replayed(careless.front, path, left, done)


def _kill_after_a_look(front: Front, path: Path) -> dict[str, str]:
    process = front.start("replay", path, *GATES, "--jobs", "1")
    until = time.monotonic() + WAIT_S
    while not list((path / "replay").rglob("look.json")):
        assert time.monotonic() < until, "no look was made"
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    family = {pid: birth(pid) for pid in descendants(process.pid)}
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=WAIT_S)
    while survivors(family):
        assert time.monotonic() < until, "something outlived the kill"
        time.sleep(0.05)
    return digest(path / "replay" / "looks")


def test_after_a_kill_the_same_command_makes_what_is_missing_and_nothing_else(
    replayed: Replayed,
) -> None:
    before = len([name for name in replayed.killed_at if name.endswith("look.json")])
    assert 1 <= before < 6
    assert f"6 looks, {before} made before" in replayed.done.stdout
    now = digest(replayed.path / "replay" / "looks")
    assert replayed.killed_at.items() <= now.items()
    assert {look["state"] for look in replayed.looks()} == STATES
    assert len(replayed.looks()) == 6


def test_recorded_verdicts_come_out_the_same_word_for_word(replayed: Replayed) -> None:
    looks = {
        k["state"]: k for k in replayed.looks() if k["result"]["detail"].get("variant") == "indep"
    }
    stops = Trial(replayed.path / "T1-g3-r1").stops
    assert [stop["gates"][0]["status"] for stop in stops] == ["red", "pass"]
    for stop in stops:
        then, now = stop["gates"][0], looks[f"T1-g3-r1/{stop['n']}"]
        assert (now["recorded"], now["same"]) == (then["status"], True)
        assert now["result"]["status"] == then["status"]
        assert _found(now["result"]) == _found(then)
    (same,) = replayed.table["tables"]["recorded"]
    assert (same["recorded"], same["same_verdict"], same["same_words"]) == (2, 2, 2)


def _found(gate: Json) -> list[Json]:
    return [reviewer["findings"] for reviewer in gate["detail"]["reviewers"]]


def test_no_worker_is_asked_and_the_first_reviewer_only_once_a_state(replayed: Replayed) -> None:
    calls = [entry for entry in replayed.journal if entry["event"] == "call"]
    roles = {call["role"] for call in calls}
    assert roles == {"reviewer_a", "reviewer_b", "challenger", "writer"}
    kept = list((replayed.path / "replay" / "calls").rglob("reviewer_a-*.json"))
    assert len(kept) == len(STATES)
    tried = Counter(call["site"] for call in calls if call["role"] == "reviewer_a")
    # A look at the file and an answer; at most the call that the kill cut off was made again.
    assert sum(tried.values()) <= 2 * len(STATES) + 2


def test_the_four_ways_to_decide_rest_on_the_same_looks(replayed: Replayed) -> None:
    rules = {row["rule"]: row for row in replayed.table["tables"]["rules"]}
    assert set(rules) == {"one reviewer", "union", "intersection", "challenger"}
    assert {row["looks"] for row in rules.values()} == {2}
    caught = {name: row["labels"]["right_block"] for name, row in rules.items()}
    assert caught["intersection"] <= caught["one reviewer"] <= caught["union"]
    looks = [k["result"]["detail"] for k in replayed.looks() if k["result"]["name"] == "review"]
    cost = [d["reviewers"][0]["cost_usd"] for d in looks if d["variant"] == "indep"]
    assert rules["one reviewer"]["usd_per_look"] == pytest.approx(sum(cost) / len(cost))


def test_everything_that_is_shown_or_kept_says_simulated(replayed: Replayed) -> None:
    assert "SIMULATED: a script played every role." in replayed.done.stdout
    titles = re.findall(r"^.*Gates on the same states.*$", replayed.done.stdout, re.MULTILINE)
    assert titles
    assert all("SIMULATED" in title for title in titles)
    assert replayed.table["simulated"] is True
    assert all(look["simulated"] for look in replayed.looks())
    assert all(look["schema"] == 1 for look in replayed.looks())


def test_analyze_takes_the_replay_into_the_report(replayed: Replayed) -> None:
    done = replayed.front("analyze", replayed.path)
    assert done.returncode == 0, done.stderr
    found = json.loads((replayed.path / "results.json").read_bytes())
    assert found["replay"] == replayed.table["tables"]
    for name in ("results.md", "report.html"):
        assert "One reviewer, two, or a challenger" in (replayed.path / name).read_text()


def test_a_used_up_budget_begins_no_more_looks(replayed: Replayed) -> None:
    before = digest(replayed.path / "replay" / "looks")
    more = (*GATES, "--times", "2", "--max-cost", "0.01")
    done = replayed.front("replay", replayed.path, *more)
    assert done.returncode == 1
    assert "No more looks were begun: the job has cost $" in done.stdout
    assert "6 looks left. This goes on: gatebench replay" in done.stdout
    assert digest(replayed.path / "replay" / "looks") == before


def test_a_dry_run_counts_and_writes_nothing(replayed: Replayed) -> None:
    before = digest(replayed.path)
    done = replayed.front("replay", replayed.path, *GATES, "--times", "3", "--dry-run")
    assert done.returncode == 0
    assert "18 looks (SIMULATED, no cost)" in done.stdout
    assert "12 looks are left to be made, 2 sets of acceptance tests" in done.stdout
    assert digest(replayed.path) == before


@pytest.fixture(scope="module")
def gold(
    front: Front, shipped_pocket: Path, tmp_path_factory: pytest.TempPathFactory
) -> "tuple[Job, subprocess.CompletedProcess[str]]":
    """The example suite and an agent that does nothing: all that is right is planted."""
    out = tmp_path_factory.mktemp("gold") / "job"
    job = run_job(front, out, str(shipped_pocket), *NOP)
    states = ("--states", "reference,second,lattice")
    return job, front("replay", out, "--gates", "g1", *states)


def test_planted_states_have_their_truth_from_the_oracle(
    gold: "tuple[Job, subprocess.CompletedProcess[str]]",
) -> None:
    job, done = gold
    assert done.returncode == 0, done.stdout + done.stderr
    grid = {
        row["state"]: row for row in json.loads((job.path / "replay.json").read_bytes())["grid"]
    }
    assert {name: tuple(row["failing"]) for name, row in grid.items()} == {
        "T1/reference": (),
        "T1/second": (),
        "T1/R1": ("R2",),
        "T1/R2": ("R1",),
        "T1/none": ("R1", "R2"),
    }
    assert all(grid[name]["suite_green"] is True for name in ("T1/reference", "T1/second"))


def test_planted_states_are_told_by_group(
    gold: "tuple[Job, subprocess.CompletedProcess[str]]",
) -> None:
    tables = json.loads((gold[0].path / "replay.json").read_bytes())["tables"]
    rows = {(row["config"], row["group"]): row for row in tables["rows"]}
    assert set(rows) == {("g1", "right solutions"), ("g1", "lattice")}
    for (_, group), row in rows.items():
        assert row["looks"] == row["states"]
        possible = {
            "right solutions": {"false_block", "correct_allow"},
            "lattice": {"right_block", "miss"},
        }[group]
        assert {name for name, n in row["labels"].items() if n} <= possible


def test_each_right_solution_gets_acceptance_tests_of_its_own(
    gold: "tuple[Job, subprocess.CompletedProcess[str]]",
) -> None:
    written = (gold[0].path / "replay" / "prepared").rglob("test_acceptance.py")
    subjects = Counter(path.relative_to(gold[0].path).parts[3] for path in written)
    assert subjects == {"reference": 1, "second": 1, "lattice": 1}


def test_a_trial_keeps_its_own_acceptance_tests_and_one_without_gets_new_ones(
    nop: Job, tmp_path: Path
) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "nop"))
    done = nop.front("replay", path, "--gates", "tests", "--states", "stops", "--times", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    written = (path / "replay" / "prepared").rglob("test_acceptance.py")
    subjects = Counter(p.relative_to(path).parts[2] for p in written)
    assert subjects == {"T1-bare-r1": 2, "T1-g1-r1": 1}
    tables = json.loads((path / "replay.json").read_bytes())["tables"]
    (same,) = tables["recorded"]
    assert same["recorded"] == same["same_verdict"] == same["same_words"] == 7
    (again,) = tables["retest"]
    assert (again["states"], again["times"], again["agreement"]["value"]) == (8, 2, 1.0)
    assert again["kappa"]["value"] is None

"""Every file of SPEC 9, with the names, keys and agreements that it promises."""

import re
import subprocess
from pathlib import Path

import pytest
from front import Job, Json, Trial

ROOT = Path(__file__).parent.parent.parent
GATED = ("T1-g1-r1", "T1-g3-r1", "T1-g13adv-r1")
ALWAYS = (
    *("meta.json", "task.md", "prompt.txt", "stream.jsonl", "stderr.txt", "exit_code.txt"),
    *("wall_s.txt", "post.diff", "numstat.txt", "suite.txt", "hidden.txt", "result.json"),
    "score.json",
)
AT_STOPS = ("hook-input-{n}.json", "snap-{n}.diff", "hidden-{n}.txt", "hidden-{n}.json")
WITH_TESTS = ("gatetests-final.txt", "gate_tests/test_acceptance.py", "testwriter.json")
SCORE = (
    *("task", "cfg", "rep", "attempt", "agent", "agent_version", "model", "prompt", "profile"),
    *("seed", "hidden_pass", "hidden_fail", "hidden_unscorable", "failed_reqs"),
    *("hidden_first_stop", "suite_pass", "suite_fail", "hook_calls", "blocks_total"),
    *("blocks_by_gate", "right_blocks", "false_blocks", "regression_blocks"),
    *("right_blocks_by_gate", "false_blocks_by_gate", "misses", "give_up", "ended_blocked"),
    *("tampered", "cost_worker_usd", "cost_reviewers_usd", "cost_testwriter_usd"),
    *("cost_total_usd", "testwriter_ok", "gate_tests_total", "gate_tests_fail_final", "turns"),
    *("wall_s", "hook_wall_s", "reviewer_findings_total", "reviewer_errors", "gate_crashes"),
    *("permission_denials", "model_ok", "hook_events_in_stream", "simulated", "status"),
)
OURS = (
    *("schema", "api_errors", "unsandboxed", "credential_exposed", "injected", "budgets", "why"),
    "cost_shadow_usd",
)
STOP = (
    *("ts", "n", "tree", "stop_hook_active", "gates", "gate1", "gate3", "hidden", "decision"),
    *("delivery", "reason", "wall_s"),
)
GATE1 = (
    *("status", "suite_pass", "suite_fail", "gate_tests_present", "gate_tests_pass"),
    *("gate_tests_fail", "tests_touched", "wall_s"),
)
REVIEWER = ("id", "approve", "approve_raw", "findings", "cost_usd", "turns", "wall_s", "error")
NULL_IN_BARE = (
    *("model", "hook_calls", "blocks_total", "blocks_by_gate", "right_blocks", "false_blocks"),
    *("regression_blocks", "misses", "give_up", "ended_blocked", "hook_wall_s", "gate_crashes"),
    *("testwriter_ok", "gate_tests_total", "reviewer_findings_total", "hook_events_in_stream"),
)


@pytest.fixture(params=GATED)
def gated(request: pytest.FixtureRequest, careless: Job) -> Trial:
    return careless.trial(request.param)


def test_every_file_is_there_under_its_name(careless: Job) -> None:
    for trial in careless.trials:
        missing = [name for name in ALWAYS if not (trial.path / name).is_file()]
        assert not missing, trial.path.name
        assert not (trial.path / "gate-errors.txt").exists()


def test_a_gated_trial_keeps_its_hook_and_every_stop(gated: Trial) -> None:
    assert {p.name for p in (gated.path / "hook").iterdir()} == {"check"}
    for n in (1, 2):
        missing = [p for p in AT_STOPS if not (gated.path / p.format(n=n)).is_file()]
        assert not missing
    assert not list(gated.path.glob("*-3.*"))


def test_gate_1_keeps_its_tests_and_what_they_said(careless: Job) -> None:
    for name in ("T1-g1-r1", "T1-g13adv-r1"):
        at_stops = [f"{kind}-{n}.txt" for n in (1, 2) for kind in ("gate1", "gatetests")]
        missing = [f for f in (*WITH_TESTS, *at_stops) if not (careless.path / name / f).is_file()]
        assert not missing
    assert not (careless.path / "T1-g3-r1" / "testwriter.json").exists()


def test_a_bare_trial_has_no_trace_of_a_hook(careless: Job) -> None:
    names = {p.name for p in (careless.path / "T1-bare-r1").iterdir()}
    assert not names & {"settings.json", "hook", "gate.jsonl", "gate_tests", "testwriter.json"}


def test_every_record_has_a_schema(careless: Job) -> None:
    for name in ("meta.json", "score.json", "testwriter.json", "hidden-1.json"):
        assert careless.trial("T1-g1-r1").json(name)["schema"] == 1
    assert all(stop["schema"] == 1 for stop in careless.trial("T1-g1-r1").stops)


def test_a_score_has_exactly_the_documented_keys(careless: Job) -> None:
    documented = re.findall(r"^\| `(\w+)` \|", _score_page(), re.MULTILINE)
    for trial in careless.trials:
        assert set(trial.score) == {*SCORE, *OURS} == set(documented)


def _score_page() -> str:
    text = (ROOT / "docs" / "files.md").read_text()
    return text[text.index("## `score.json`") :]


def test_what_has_no_meaning_without_a_hook_is_null(careless: Job) -> None:
    score = careless.trial("T1-bare-r1").score
    assert [key for key in NULL_IN_BARE if score[key] is not None] == []


def test_scores_hold_nothing_of_the_machine(careless: Job) -> None:
    for trial in careless.trials:
        text = (trial.path / "score.json").read_text()
        assert "/" not in text
        session = trial.json("result.json")["session_id"]
        assert session not in text


def test_each_gate_blocks_once_rightly_and_the_work_is_mended(gated: Trial) -> None:
    score = gated.score
    assert gated.decisions == ["block", "allow"]
    assert (score["hidden_first_stop"], score["hidden_pass"], score["failed_reqs"]) == (2, 5, [])
    assert (score["right_blocks"], score["false_blocks"], score["misses"]) == (1, 0, 0)
    gate = "g3" if score["cfg"] == "g3" else "g1"
    assert score["right_blocks_by_gate"] == {"g1": 0, "g3": 0, gate: 1}
    assert (score["hook_calls"], score["hook_events_in_stream"]) == (2, 2)


def test_a_bare_trial_ends_where_a_gated_one_was_at_its_first_stop(careless: Job) -> None:
    bare = careless.trial("T1-bare-r1")
    assert bare.score["hidden_pass"] == 2
    for name in GATED:
        first = careless.trial(name).path / "snap-1.diff"
        assert first.read_bytes() == (bare.path / "post.diff").read_bytes()


def test_stops_have_the_named_keys(careless: Job) -> None:
    for stop in careless.trial("T1-g13adv-r1").stops:
        assert set(STOP) <= set(stop)
        assert set(GATE1) <= set(stop["gate1"])
        assert set(stop["hidden"]) == {"pass", "fail", "unscorable", "failed_reqs"}
        assert [set(g) >= {"name", "status", "wall_s", "cached"} for g in stop["gates"]]


def test_gate_3_names_its_reviewers(careless: Job) -> None:
    for name, variant in (("T1-g3-r1", "indep"), ("T1-g13adv-r1", "adv")):
        gate3 = careless.trial(name).stops[-1]["gate3"]
        assert gate3["variant"] == variant
        assert [r["id"] for r in gate3["reviewers"]] == ["A", "B"]
        assert all(set(REVIEWER) <= set(r) for r in gate3["reviewers"])


def test_a_later_gate_is_skipped_where_an_earlier_one_was_red(careless: Job) -> None:
    statuses = [
        [gate["status"] for gate in stop["gates"]] for stop in careless.trial("T1-g13adv-r1").stops
    ]
    assert statuses == [["red", "skipped"], ["pass", "pass"]]


def test_stops_agree_with_the_verdicts_beside_them(gated: Trial) -> None:
    for stop in gated.stops:
        verdict = gated.json(f"hidden-{stop['n']}.json")
        assert verdict["tree"] == stop["tree"]
        assert stop["hidden"] == _summary(verdict)
        assert all({"id", "requirement", "outcomes"} <= set(t) for t in verdict["tests"])


def _summary(verdict: Json) -> Json:
    outcomes = verdict["requirements"]
    values = list(outcomes.values())
    return {
        "pass": values.count("pass"),
        "fail": values.count("fail"),
        "unscorable": values.count("unscorable"),
        "failed_reqs": sorted(r for r, outcome in outcomes.items() if outcome == "fail"),
    }


def test_the_journal_rebuilds_every_stop(careless: Job) -> None:
    for name in GATED:
        last: dict[int, Json] = {}
        for entry in careless.journal:
            if entry["event"] == "stop" and entry["trial"] == name:
                last[entry["stop"]["n"]] = entry["stop"]
        assert [last[n] for n in sorted(last)] == careless.trial(name).stops


def test_costs_add_up(careless: Job) -> None:
    for trial in careless.trials:
        parts = ("cost_worker_usd", "cost_reviewers_usd", "cost_testwriter_usd")
        total = sum(trial.score[key] for key in parts)
        assert trial.score["cost_total_usd"] == pytest.approx(total, abs=1e-6)
        assert trial.score["cost_worker_usd"] > 0


def test_snapshots_can_be_applied_again(careless: Job, tmp_path: Path, gated: Trial) -> None:
    store = careless.path / "trees.git"
    _git(tmp_path, "init", "-q")
    (tmp_path / ".git/objects/info/alternates").write_text(f"{store}/objects\n")
    start = gated.json("meta.json")["start_tree"]
    for stop in gated.stops:
        _git(tmp_path, "read-tree", "--reset", "-u", start)
        _git(tmp_path, "apply", "--index", str(gated.path / f"snap-{stop['n']}.diff"))
        assert _git(tmp_path, "write-tree") == stop["tree"]


def _git(place: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_meta_says_what_was_run_on_what(careless: Job) -> None:
    for trial in careless.trials:
        meta = trial.json("meta.json")
        assert meta["simulated"] is True
        assert meta["choice"]["seed"] == 1
        assert {"suite", "hidden", "environment", "agent", "profile"} <= set(meta["digests"])
        assert "work" in meta["spans"]

"""Shadow gates: they see every stop, are told to nobody, and stand in no number of the config."""

import json
from pathlib import Path

import pytest
from front import Front, Job, Json, complaint, run_job

pytestmark = pytest.mark.proof

MATRIX = """\
name = "shadows"
tasks = ["T1"]
reps = 1
profile = "careless.toml"

[configs.bare]

[configs.watched]
gates = []
shadow = ["tests"]

[configs.g1]
shadow = ["review", "review:adv", "block-once"]
settings."review:adv".variant = "adv"
"""


@pytest.fixture(scope="module")
def shadowed(front: Front) -> Job:
    """The careless worker: 2/5 at first, one right block, 5/5 after it."""
    (front.cwd / "shadows.toml").write_text(MATRIX)
    return run_job(front, front.cwd / "shadowed", "shadows.toml")


@pytest.fixture(scope="module")
def plain(front: Front) -> Job:
    """The same gate and worker without shadows."""
    args = ("T1", "--configs", "g1", "--reps", "1", "--profile", "careless.toml")
    return run_job(front, front.cwd / "unshadowed", *args)


def said(stop: Json) -> dict[str, str]:
    return {gate["name"]: gate["status"] for gate in stop["shadow"]}


def test_a_shadow_speaks_at_each_stop_and_is_not_heard(shadowed: Job) -> None:
    trial = shadowed.trial("T1-g1-r1")
    assert trial.decisions == ["block", "allow"]
    first, second = trial.stops
    assert said(first) == {"review": "red", "review:adv": "red", "block-once": "red"}
    assert said(second) == {"review": "pass", "review:adv": "pass", "block-once": "pass"}
    assert [g["name"] for g in first["gates"]] == ["tests"]
    (told,) = trial.feedback()
    assert "Code review" not in told
    assert "Not yet" not in told


def test_a_shadow_is_in_no_count_of_the_config(shadowed: Job) -> None:
    score = shadowed.trial("T1-g1-r1").score
    assert score["blocks_by_gate"] == {"g1": 1, "g3": 0}
    assert (score["right_blocks"], score["false_blocks"], score["misses"]) == (1, 0, 0)
    assert score["reviewer_findings_total"] is None
    assert score["cost_reviewers_usd"] == 0
    assert score["cost_shadow_usd"] > 0
    parts = (score[f"cost_{role}_usd"] for role in ("worker", "reviewers", "testwriter"))
    assert score["cost_total_usd"] == pytest.approx(sum(parts))


def test_each_gates_calls_have_a_site_of_their_own(shadowed: Job) -> None:
    """Recordings and budgets go by the site: two gates in one role must not share it."""
    calls = [e["site"] for e in shadowed.journal if e["event"] == "call"]
    reviews = {site for site in calls if site.startswith("T1-g1-r1/reviewer_a/1")}
    assert reviews == {"T1-g1-r1/reviewer_a/1", "T1-g1-r1/reviewer_a/1/adv"}


def test_a_shadowed_trial_ends_as_one_without_shadows(shadowed: Job, plain: Job) -> None:
    with_, without = (job.trial("T1-g1-r1").score for job in (shadowed, plain))
    same = [k for k in without if not k.endswith("wall_s") and k != "cost_shadow_usd"]
    assert {k: with_[k] for k in same} == {k: without[k] for k in same}
    assert without["cost_shadow_usd"] is None


def test_with_shadows_alone_a_config_is_bare(shadowed: Job) -> None:
    trial = shadowed.trial("T1-watched-r1")
    assert trial.decisions == ["allow"]
    assert said(trial.stops[0]) == {"tests": "red"}
    score, bare = trial.score, shadowed.trial("T1-bare-r1").score
    for key in ("hook_calls", "blocks_total", "misses", "right_blocks", "testwriter_ok"):
        assert score[key] is None
    assert score["hidden_pass"] == score["hidden_first_stop"] == bare["hidden_pass"] == 2
    assert score["cost_total_usd"] == score["cost_worker_usd"]
    assert score["cost_shadow_usd"] > 0


def test_shadows_have_a_table_of_their_own(front: Front, shadowed: Job) -> None:
    assert front("analyze", shadowed.path).returncode == 0
    found = json.loads((shadowed.path / "results.json").read_bytes())
    labels = {
        (t["config"], t["gate"]): {k: n for k, n in t["labels"].items() if n}
        for t in found["shadows"]
    }
    once = {"right_block": 1, "correct_allow": 1}
    assert labels == {
        ("watched", "tests"): {"right_block": 1},
        ("g1", "review"): once,
        ("g1", "review:adv"): once,
        ("g1", "block-once"): once,
    }
    assert {t["gate"] for t in found["gates"]} == {None, "tests"}
    assert "Shadow gates: what they would have said" in (shadowed.path / "results.md").read_text()


def test_show_names_the_shadows(front: Front, shadowed: Job) -> None:
    shown = front("show", shadowed.path, "T1-g1-r1").stdout
    assert "(shadow: nobody was told)" in shown


def test_what_an_interruption_left_out_is_looked_at_afterwards(shadowed: Job) -> None:
    """The session had ended, the shadows had not: the same command finishes the trial."""
    trial = shadowed.trial("T1-g1-r1")
    before = trial.score
    stops = [{**stop, "shadow": []} for stop in trial.stops]
    (trial.path / "gate.jsonl").write_text("".join(json.dumps(s) + "\n" for s in stops))
    (trial.path / "score.json").unlink()
    assert shadowed.again().returncode == 0
    assert [said(stop)["review"] for stop in trial.stops] == ["red", "pass"]
    assert trial.score["cost_shadow_usd"] == before["cost_shadow_usd"]


def test_an_unknown_shadow_is_named(front: Front, tmp_path: Path) -> None:
    matrix = tmp_path / "m.toml"
    matrix.write_text('[configs.g1]\nshadow = ["revue"]\n')
    said = complaint(front("run", matrix, "--out", tmp_path / "j"), 2)
    assert "unknown gate 'revue'" in said

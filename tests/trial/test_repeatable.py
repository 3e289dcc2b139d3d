"""Same seed, same trial, same score; and both versions of the CLI."""

import pytest
from cli_session import OLDER, older_cli
from front import CARELESS, Front, Job, equal_but_for_times, run_job

MIXED = ("T2", "--configs", "g13adv", "--reps", "1")


@pytest.fixture(scope="module")
def jobs(front: Front) -> list[Job]:
    """Seed 1, seed 1 again, seed 3."""
    return [
        run_job(front, front.cwd / f"mixed-{number}", *MIXED, "--seed", seed)
        for number, seed in enumerate(("1", "1", "3"))
    ]


def test_the_same_seed_gives_the_same_scores(jobs: list[Job]) -> None:
    first, again, _ = jobs
    assert len(first.trials) == 1
    for one, other in zip(first.trials, again.trials, strict=True):
        assert equal_but_for_times(one.score, other.score), one.path.name
        assert (one.path / "post.diff").read_bytes() == (other.path / "post.diff").read_bytes()


def test_another_seed_gives_others(jobs: list[Job]) -> None:
    first, _, other = jobs
    pairs = zip(first.trials, other.trials, strict=True)
    kept = [({**a.score, "seed": 0}, {**b.score, "seed": 0}) for a, b in pairs]
    assert not all(equal_but_for_times(a, b) for a, b in kept)


@pytest.mark.cli
def test_the_older_cli_is_gated_as_well(front: Front) -> None:
    (front.cwd / "older.toml").write_text(CARELESS)
    args = ("T1", "--configs", "g1", "--reps", "1", "--profile", "older.toml")
    job = run_job(front, front.cwd / "older", *args, "--agent-bin", str(older_cli()))
    trial = job.trial("T1-g1-r1")
    assert trial.score["agent_version"].startswith(OLDER)
    assert trial.decisions == ["block", "allow"]
    assert len(trial.feedback()) == 1
    assert (trial.score["hidden_pass"], trial.score["status"]) == (5, "ok")

"""Same seed, same trial, same score."""

import pytest
from front import Front, Job, equal_but_for_times, run_job

MIXED = ("T1", "--configs", "g1", "--reps", "1")


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

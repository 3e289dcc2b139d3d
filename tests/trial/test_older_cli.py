"""The whole chain under the first experiment's CLI: the same trials, the same scores."""

from front import Front, Job, Json, run_job, without_times
from older import OLDER, older_cli


def outcomes(job: Job) -> list[Json]:
    """What the trials came to, but for times and the CLI's version."""
    scores = [without_times(trial.score) for trial in job.trials]
    return [{k: v for k, v in score.items() if k != "agent_version"} for score in scores]


def test_both_clis_come_to_the_same(front: Front, careless: Job) -> None:
    agent = ("--agent-bin", str(older_cli()))
    older = run_job(front, front.cwd / "older", *careless.args, *agent)
    versions = [trial.score["agent_version"] for trial in (*careless.trials, *older.trials)]
    assert set(versions[4:]) == {f"{OLDER} (Claude Code)"}
    assert set(versions[:4]) != set(versions[4:])
    assert outcomes(older) == outcomes(careless)

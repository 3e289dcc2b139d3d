"""What a replay will cost, from what the same gates cost in the job's own trials."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from gatebench.matrix.replay_plan import Plan, is_there
from gatebench.model.replay import asks, spec_of
from gatebench.model.stop import GateStatus
from gatebench.store.job_dir import JobDir
from gatebench.store.replay_dir import PREPARED, replay_dir

TESTS = "tests"
"""The one gate whose looks ask nobody: its cost is the writer's."""


@dataclass(frozen=True)
class Outlook:
    """What is still to be done."""

    looks: int
    writers: int
    """Sets of acceptance tests still to be written."""
    usd: float | None
    """At most about so much; ``None`` where the job holds no such call to judge by."""
    unpriced: int = 0
    """Looks and writers that are not in it, because the job holds none of their kind."""


def outlook(job: JobDir, plan: Plan) -> Outlook:
    """Count what is missing and price it."""
    home, prices = replay_dir(job), _prices(job, plan)
    todo = [spec for visit, spec, w in plan.looks() if not is_there(home, visit, spec, w.id)]
    usd: list[float | None] = [prices.get(s.id) for s in todo if s.gate != TESTS]
    writers = sum(1 for _ in _writers(job, plan))
    usd += [prices.get(TESTS)] * writers
    known = [part for part in usd if part is not None]
    return Outlook(
        looks=len(todo),
        writers=writers,
        usd=sum(known) if known or not usd else None,
        unpriced=len(usd) - len(known),
    )


def _writers(job: JobDir, plan: Plan) -> Iterator[str]:
    """Preparations of acceptance tests that are neither recorded nor there."""
    home, choice = replay_dir(job), plan.lock.matrix.choice
    for visit in plan.visits:
        for spec in plan.specs:
            subject = visit.subject
            if spec.gate != TESTS or not spec.settings.get("writer", True):
                continue
            config = plan.lock.matrix.config(subject.trial.config) if subject.home else None
            if visit.time == 1 and config and asks(config, spec, choice):
                continue
            kept = home.preparation(subject.id, spec.id, visit.time).path / PREPARED
            if not kept.exists():
                yield subject.id


def _prices(job: JobDir, plan: Plan) -> dict[str, float]:
    """Mean dollars of each gate's looks in the trials, and of a writer."""
    seen: dict[str, list[float]] = {}
    for trial in plan.lock.matrix.trials():
        home, config = job.trial(trial), plan.lock.matrix.config(trial.config)
        score = home.score()
        if score is None:
            continue
        if score.testwriter_ok is not None and score.cost_testwriter_usd is not None:
            seen.setdefault(TESTS, []).append(score.cost_testwriter_usd)
        ran = (g for s in home.stops() for g in s.gates if g.status is not GateStatus.SKIPPED)
        for gate in ran:
            cost = gate.cost_usd if "reviewers" in gate.detail else gate.cost_usd or 0.0
            if cost is not None and gate.name in config.gates:
                spec = spec_of(config, gate.name, plan.lock.matrix.choice)
                seen.setdefault(spec.id, []).append(cost)
    return {name: fmean(costs) for name, costs in seen.items()}

"""Whole jobs of the simulated team, without processes: `gatebench.team.play` made into records.

A played trial becomes the same `TrialData` that a job directory gives, so that everything that
analyses a job analyses a played one. What the material would say is left out: decisions don't
depend on words.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gatebench.model.job import JobData, TrialData
from gatebench.model.labels import Label, blocking_gate, label
from gatebench.model.score import GATE_KEYS, Score
from gatebench.model.seeds import trial_seed
from gatebench.model.stop import (
    Decision,
    Delivery,
    GateResult,
    GateStatus,
    HiddenSummary,
    StopRecord,
)
from gatebench.model.task import PromptVariant
from gatebench.model.trial import SHIPPED_CONFIGS, Config, TrialId
from gatebench.stats.simulated_cost import Costs, costs
from gatebench.stats.simulated_seat import SimTask, seat_of
from gatebench.team import Seat
from gatebench.team.play import Gates, PlayedStop, play

CALLS = 2
"""Review calls at a stop."""


def gates_of(config: Config) -> Gates:
    """What a config puts in front of the worker."""
    review = config.settings.get("review", {}).get("variant", "indep")
    return Gates(
        tests="tests" in config.gates,
        review=review if "review" in config.gates else None,
        give_up=config.give_up,
        run_all=config.run_all,
    )


def play_trial(trial: TrialId, task: SimTask, config: Config, seat: Seat) -> TrialData:
    """One trial, played and put on record."""
    gates = gates_of(config)
    stops = play(seat, gates)
    records = tuple(_record(task, config, stop) for stop in stops) if config.gates else ()
    spent = costs(seat, gates, stops)
    return TrialData(trial, _score(trial, task, (stops[-1], records), spent), records)


def play_job(
    tasks: Sequence[SimTask],
    *,
    reps: int = 2,
    seed: int = 1,
    configs: Sequence[Config] = SHIPPED_CONFIGS,
) -> JobData:
    """A whole matrix with the decisions that a run with this seed draws."""
    return JobData(
        name=f"simulated-{seed}",
        suite="simulated",
        tasks=tuple(t.id for t in tasks),
        configs=tuple(c.name for c in configs),
        reps=reps,
        requirements={t.id: len(t.requirements) for t in tasks},
        simulated=True,
        trials=tuple(_trials(tasks, configs, reps, seed)),
    )


def _trials(
    tasks: Sequence[SimTask], configs: Sequence[Config], reps: int, seed: int
) -> Iterable[TrialData]:
    for rep in range(1, reps + 1):
        for config in configs:
            for task in tasks:
                trial = TrialId(task.id, config.name, rep)
                seat = seat_of(task, trial_seed(seed, trial))
                yield play_trial(trial, task, config, seat)


def _record(task: SimTask, config: Config, stop: PlayedStop) -> StopRecord:
    """One stop as the trial would have filed it; validated by construction."""
    failed = tuple(r for r in task.requirements if r not in stop.subset)
    return StopRecord.model_construct(
        schema_version=1,
        ts=0.0,
        n=stop.n,
        tree=None,
        stop_hook_active=stop.n > 1,
        gates=_gates(config, stop),
        hidden=_hidden(len(task.requirements), failed),
        # Asked, as in a trial, only where nothing else is wrong: what the suite covers holds then.
        suite_green=None if failed else True,
        decision=stop.decision,
        delivery=Delivery.DELIVERED,
        reason=None,
        wall_s=None,
    )


def _hidden(whole: int, failed: tuple[str, ...]) -> HiddenSummary:
    return HiddenSummary.model_construct(
        passed=whole - len(failed), failed=len(failed), unscorable=0, failed_reqs=failed
    )


def _gates(config: Config, stop: PlayedStop) -> tuple[GateResult, ...]:
    statuses = []
    blocked = False
    for name in config.gates:
        skipped = blocked and not config.run_all
        status = GateStatus.SKIPPED if skipped else _status(name, stop)
        blocked = blocked or status is GateStatus.RED
        statuses.append(GateResult.model_construct(name=name, status=status, detail={}))
    return tuple(statuses)


def _status(name: str, stop: PlayedStop) -> GateStatus:
    if name in stop.red:
        return GateStatus.RED
    failed = name == "review" and stop.errors == CALLS
    return GateStatus.ERROR if failed else GateStatus.PASS


_EMPTY: Mapping[str, Any] = {
    name: None for name in Score.model_fields if name not in {"schema_version", "why"}
}


def _score(
    trial: TrialId,
    task: SimTask,
    played: tuple[PlayedStop, tuple[StopRecord, ...]],
    spent: Costs,
) -> Score:
    last, records = played
    failed = tuple(r for r in task.requirements if r not in last.subset)
    first = records[0].hidden if records else None
    passed = len(task.requirements) - len(failed)
    fields: dict[str, Any] = dict(
        _EMPTY,
        schema_version=1,
        task=trial.task,
        cfg=trial.config,
        rep=trial.rep,
        attempt=1,
        agent="simulated",
        prompt=PromptVariant.TERSE,
        hidden_pass=passed,
        hidden_fail=len(failed),
        hidden_unscorable=0,
        failed_reqs=failed,
        hidden_first_stop=first.passed if first else passed,
        tampered=(),
        cost_worker_usd=spent.worker,
        cost_reviewers_usd=spent.reviewers,
        cost_testwriter_usd=spent.writer,
        cost_total_usd=spent.total,
        simulated=True,
        unsandboxed=False,
        credential_exposed=False,
        status="ok",
        why="",
    )
    return Score.model_construct(**(fields | _blocks(records)))


def _blocks(records: tuple[StopRecord, ...]) -> dict[str, Any]:
    if not records:
        return {}
    labels = [label(stop) for stop in records]
    blocks = [stop for stop in records if stop.decision is Decision.BLOCK]
    by_gate = dict.fromkeys(GATE_KEYS.values(), 0)
    for stop in blocks:
        key = GATE_KEYS[blocking_gate(stop) or ""]
        by_gate[key] += 1
    return {
        "hook_calls": len(records),
        "blocks_total": len(blocks),
        "blocks_by_gate": by_gate,
        "right_blocks": labels.count(Label.RIGHT_BLOCK),
        "false_blocks": labels.count(Label.FALSE_BLOCK),
        "regression_blocks": 0,
        "misses": labels.count(Label.MISS),
        "give_up": Label.GIVE_UP in labels,
        "ended_blocked": False,
    }

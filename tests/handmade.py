"""Jobs made by hand, stop by stop, for the tests of the statistics and of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gatebench.model.job import JobData, TrialData
from gatebench.model.labels import Label, blocking_gate, label
from gatebench.model.score import GATE_KEYS, Score
from gatebench.model.stop import (
    Decision,
    Delivery,
    GateResult,
    GateStatus,
    HiddenSummary,
    StopRecord,
)
from gatebench.model.task import PromptVariant
from gatebench.model.trial import TrialId

REQUIREMENTS = 5
GATES = {
    "bare": (),
    "g1": ("tests",),
    "g3": ("review",),
    "g13": ("tests", "review"),
    "g13adv": ("tests", "review"),
}
"""The shipped matrix's configs."""
EVERY = GATES | {"nudge": ("nudge",), "retry": ("retry",), "linted": ("command:ruff", "nudge")}
STATUSES = {
    "pass": GateStatus.PASS,
    "red": GateStatus.RED,
    "skipped": GateStatus.SKIPPED,
    "error": GateStatus.ERROR,
}


def hidden(failed: Sequence[str], unscorable: int = 0) -> HiddenSummary:
    return HiddenSummary(
        passed=REQUIREMENTS - len(failed) - unscorable,
        failed=len(failed),
        unscorable=unscorable,
        failed_reqs=tuple(failed),
    )


@dataclass(frozen=True)
class Stop:
    """``gates``: words like ``"red"``, ``"pass red"`` in the config's order."""

    gates: str
    failed: str = ""
    """Failing requirements, e.g. ``"R1 R2"``; ``"?"`` is an unscorable snapshot."""
    give_up: bool = False
    suite_green: bool | None = True
    delivery: Delivery | None = Delivery.DELIVERED
    reviewers: tuple[dict[str, Any], ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Trial:
    """One trial; ``end`` is the failing requirements at the end."""

    name: str
    end: str = ""
    stops: tuple[Stop, ...] = ()
    worker: float | None = 1.0
    reviewers: float | None = 0.0
    writer: float | None = 0.0
    status: str = "ok"
    done: bool = True
    changes: dict[str, Any] = field(default_factory=dict)


def stop_record(config: str, n: int, stop: Stop) -> StopRecord:
    words = stop.gates.split()
    results = [
        GateResult(
            name=name,
            status=STATUSES[word],
            detail={"reviewers": list(stop.reviewers)} if name == "review" else {},
        )
        for name, word in zip(EVERY[config], words, strict=True)
    ]
    block = Decision.GIVE_UP if stop.give_up else Decision.BLOCK
    unscorable = stop.failed == "?"
    return StopRecord(
        ts=float(n),
        n=n,
        tree=f"tree{n}",
        stop_hook_active=n > 1,
        gates=tuple(results),
        hidden=hidden([], REQUIREMENTS) if unscorable else hidden(stop.failed.split()),
        suite_green=stop.suite_green,
        decision=block if "red" in words else Decision.ALLOW,
        delivery=stop.delivery,
        reason=stop.reason or None,
        wall_s=2.0,
    )


def _by_gate(stops: Sequence[StopRecord]) -> dict[str, int]:
    names = [GATE_KEYS.get(gate, gate) for s in stops if (gate := blocking_gate(s))]
    return {key: names.count(key) for key in GATE_KEYS.values()}


def _block_fields(config: str, stops: tuple[StopRecord, ...]) -> dict[str, Any]:
    labels = [label(s) for s in stops]
    blocks = [s for s in stops if s.decision is Decision.BLOCK]
    fields: dict[str, Any] = {
        "hook_calls": len(stops),
        "blocks_total": len(blocks),
        "blocks_by_gate": _by_gate(blocks),
        "right_blocks": labels.count(Label.RIGHT_BLOCK),
        "false_blocks": labels.count(Label.FALSE_BLOCK),
        "regression_blocks": labels.count(Label.REGRESSION_BLOCK),
        "right_blocks_by_gate": {},
        "false_blocks_by_gate": {},
        "misses": labels.count(Label.MISS),
        "give_up": Label.GIVE_UP in labels,
        "ended_blocked": bool(stops) and stops[-1].decision is Decision.BLOCK,
    }
    return dict.fromkeys(fields) if config == "bare" else fields


def _first_stop(config: str, end: int | None, stops: tuple[StopRecord, ...]) -> int | None:
    if config == "bare":
        return end
    known = stops and stops[0].hidden and not stops[0].hidden.unscorable
    return stops[0].hidden.passed if known and stops[0].hidden else None


def trial_data(trial: Trial) -> TrialData:
    identity = TrialId.parse(trial.name)
    stops = tuple(stop_record(identity.config, n, s) for n, s in enumerate(trial.stops, 1))
    if not trial.done:
        return TrialData(identity, None, stops)
    verdict = None if trial.end == "?" else hidden(trial.end.split())
    parts = (trial.worker, trial.reviewers, trial.writer)
    known = [part for part in parts if part is not None]
    fields: dict[str, Any] = {name: None for name in Score.model_fields if name != "schema_version"}
    fields |= {
        "task": identity.task,
        "cfg": identity.config,
        "rep": identity.rep,
        "attempt": 1,
        "agent": "claude-code",
        "model": "scripted",
        "prompt": PromptVariant.TERSE,
        "seed": 1,
        "hidden_pass": verdict.passed if verdict else None,
        "hidden_fail": verdict.failed if verdict else None,
        "hidden_unscorable": verdict.unscorable if verdict else None,
        "failed_reqs": verdict.failed_reqs if verdict else None,
        "hidden_first_stop": _first_stop(
            identity.config, verdict.passed if verdict else None, stops
        ),
        "tampered": (),
        "cost_worker_usd": trial.worker,
        "cost_reviewers_usd": trial.reviewers,
        "cost_testwriter_usd": trial.writer,
        "cost_total_usd": sum(known) if len(known) == len(parts) else None,
        "wall_s": 60.0,
        "hook_wall_s": None if identity.config == "bare" else 10.0,
        "simulated": True,
        "unsandboxed": False,
        "credential_exposed": False,
        "status": trial.status,
        "why": "",
    }
    fields |= _block_fields(identity.config, stops) | trial.changes
    return TrialData(identity, Score.model_validate(fields), stops)


def job(*trials: Trial, simulated: bool = True, configs: Sequence[str] = ()) -> JobData:
    data = tuple(trial_data(t) for t in trials)
    found = dict.fromkeys(t.id.config for t in data)
    return JobData(
        name="handmade",
        suite="tinydb",
        tasks=tuple(sorted({t.id.task for t in data})),
        configs=tuple(configs) or tuple(sorted(found, key=list(EVERY).index)),
        reps=max((t.id.rep for t in data), default=0),
        requirements=dict.fromkeys((t.id.task for t in data), REQUIREMENTS),
        simulated=simulated,
        trials=data,
    )


def six_trials() -> JobData:
    """Two tasks, bare, g1 and g13, one rep each; worked out by hand where it is used."""
    return job(
        Trial("T1-bare-r1", end="R2 R5", worker=1.0),
        Trial("T2-bare-r1", end="R1", worker=2.0),
        Trial(
            "T1-g1-r1",
            end="R5",
            stops=(Stop("red", "R2 R5"), Stop("pass", "R5")),
            worker=1.5,
            writer=0.25,
        ),
        Trial("T2-g1-r1", stops=(Stop("red"), Stop("pass")), worker=2.5, writer=0.25),
        Trial(
            "T1-g13-r1",
            stops=(
                Stop("red skipped", "R2 R5"),
                Stop("pass red", "R5 R4"),
                Stop("pass red"),
                Stop("pass pass"),
            ),
            worker=2.0,
            reviewers=0.5,
            writer=0.25,
        ),
        Trial(
            "T2-g13-r1",
            end="R1",
            stops=(Stop("pass red", "R1"), Stop("pass pass", "R1")),
            worker=3.0,
            reviewers=0.5,
            writer=0.25,
        ),
    )

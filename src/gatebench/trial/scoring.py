"""After the last step: ``score.json``, written last, so that its presence means done."""

from gatebench.agents.result import Cause
from gatebench.model.score import Evidence, Identity, Score, Session, score
from gatebench.store.atomic import write_json
from gatebench.store.trial_dir import SCORE
from gatebench.trial.prepare import file_meta
from gatebench.trial.run import Run
from gatebench.trial.sites import usage_by_role


def file_score(run: Run) -> Score:
    """Derive the score from what the run left, and file it."""
    result = score(evidence_of(run))
    write_json(run.home.file("usage.json"), usage_by_role(run.ledger.calls))
    file_meta(run)
    run.log.event("scored", status=result.status)
    run.home.save(SCORE, result)
    return result


def evidence_of(run: Run) -> Evidence:
    """Everything the score is derived from."""
    return Evidence(
        identity=_identity(run),
        session=_session(run),
        stops=run.log.stops,
        final=run.final,
        suite=run.suite,
        writer=run.writer,
        gated=run.gated,
        tampered=tuple(run.tampered),
        gate_crashes=run.gate_crashes,
    )


def _identity(run: Run) -> Identity:
    choice = run.bench.choice
    return Identity(
        task=run.id.task,
        cfg=run.id.config,
        rep=run.id.rep,
        attempt=run.attempt,
        agent=run.bench.program.name,
        agent_version=run.bench.program.version,
        model=None if choice.simulated else choice.model,
        prompt=run.variant,
        profile=(run.config.profile or choice.profile) if choice.simulated else None,
        seed=choice.seed if choice.simulated else None,
        simulated=choice.simulated,
        unsandboxed=run.bench.sandbox.kind == "none",
        injected=choice.inject,
    )


def _session(run: Run) -> Session:
    result = run.result
    if result is None:
        return Session(status=run.status, why=run.why)
    return Session(
        status=run.status,
        why=run.why,
        turns=result.num_turns,
        wall_s=round(result.wall_s, 3),
        hook_wall_s=round(run.hook_wall_s, 3),
        cost_usd=None if result.total_cost_usd is None else round(result.total_cost_usd, 6),
        permission_denials=result.permission_denials,
        hook_events=result.stop_responses if run.gated else None,
        model_ok=_model_ok(run),
        api_errors=int(result.cause is Cause.API_ERROR),
    )


def _model_ok(run: Run) -> bool | None:
    """Whether every model that served any role is the one asked for; unknown without a call."""
    served = [(call.role, call.model_served) for call in run.ledger.calls if call.model_served]
    return all(model == run.sites.model(role) for role, model in served) if served else None

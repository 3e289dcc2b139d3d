"""After the last step: ``score.json``, written last, so that its presence means done."""

from gatebench.model.score import Evidence, Identity, Score, Session
from gatebench.model.scored import score
from gatebench.store.trial_dir import SCORE
from gatebench.trial.prepare import file_meta
from gatebench.trial.run import Run


def file_score(run: Run) -> Score:
    """Derive the score from what the run left, and file it."""
    result = score(evidence_of(run))
    if run.spans.keys() >= {"work"}:
        file_meta(run)
    run.home.save(SCORE, result)
    run.log.event("scored", status=result.status)
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
        gated=bool(run.config.gates),
        tampered=tuple(run.tampered),
        gate_crashes=run.gate_crashes,
        shadow_usd=run.shadows.cost_usd,
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
        model=None if choice.scripted else choice.model,
        prompt=run.variant,
        profile=(run.config.profile or choice.profile) if choice.scripted else None,
        seed=choice.seed if choice.scripted else None,
        simulated=choice.simulated,
        unsandboxed=run.bench.sandbox.kind == "none",
        credential_exposed=choice.exposed,
        injected=choice.inject,
    )


def _session(run: Run) -> Session:
    """The session with the trial's status as it is now: the last look may have broken too."""
    session = run.session or Session(status=run.status)
    return session.model_copy(update={"status": run.status, "why": run.why})

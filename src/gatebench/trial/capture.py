"""What the agent left: the final tree, and what its session's end says about the trial."""

from gatebench.agents.result import Cause
from gatebench.errors import StoreError
from gatebench.gateway import same_model, verdict
from gatebench.model.score import Session, SessionRecord
from gatebench.model.usage import Role
from gatebench.store.atomic import write_json
from gatebench.store.trial_dir import SESSION
from gatebench.trial.gates import recall_gates
from gatebench.trial.money import accounts_of, costs_of, note_refused
from gatebench.trial.prepare import file_meta
from gatebench.trial.run import Run
from gatebench.trial.sites import usage_by_role

BROKEN = {
    Cause.API_ERROR: "the model's service failed",
    Cause.AGENT_ERROR: "the agent's program failed",
    Cause.CRASHED: "the agent's program crashed",
    Cause.NO_RESULT: "the agent's program ended without a result",
}
"""Ends of a session that say nothing about the agent's work."""

FOREIGN = "model calls by another process"

LIMITS = {
    "processes": "too many processes at once",
    "disk_bytes": "its files took too much disk",
    "disk_inodes": "it made too many files",
}


async def capture(run: Run) -> None:
    """Snapshot the final tree and file the session; from here on no agent is needed any more."""
    trees = run.bench.trees
    snapshot = await trees.snapshot(run.work, run.start_tree)
    run.final_tree = snapshot.tree
    run.home.write("post.diff", await trees.diff(run.start_tree, snapshot.tree))
    run.home.write("numstat.txt", await trees.numstat(run.start_tree, snapshot.tree))
    if run.ledger.foreign:
        run.tampered.append(FOREIGN)
    _classify(run)
    run.session = _session(run)
    write_json(run.home.file("usage.json"), usage_by_role(run.ledger.calls))
    if run.bench.ways is not None:
        accounts = accounts_of(run)
        run.home.save("ledger.json", accounts)
        run.session = run.session.model_copy(update={"costs_usd": costs_of(accounts)})
    file_meta(run)
    run.home.save(
        SESSION,
        SessionRecord(
            session=run.session,
            start_tree=run.start_tree,
            final_tree=snapshot.tree,
            tampered=tuple(run.tampered),
            gate_crashes=run.gate_crashes,
        ),
    )


async def recall(run: Run) -> None:
    """Take up a trial that was interrupted after its session had ended.

    Raises:
        StoreError: the session's record is gone.
    """
    record = run.home.session()
    if record is None:
        raise StoreError(f"{run.home.path} has no session to go on from.", "Run it anew.")
    run.doing("taken up again")
    run.session = record.session
    run.status, run.why = record.session.status, record.session.why
    run.start_tree, run.final_tree = record.start_tree, record.final_tree
    run.tampered, run.gate_crashes = list(record.tampered), record.gate_crashes
    await recall_gates(run)
    for stop in run.log.stops:
        if stop.hidden is None and stop.tree is not None:
            run.verdicts.begin(stop.n, stop.tree)


def _classify(run: Run) -> None:
    """What the session's end says about the trial: a valid outcome, or a fault of ours."""
    result = run.result
    if result is None:
        return
    if run.limit:
        run.broke("limits", f"the agent was ended at a limit: {LIMITS[run.limit]}.")
    elif note_refused(run):
        return
    elif result.cause in BROKEN:
        run.broke(_class(run, result.cause), f"{BROKEN[result.cause]}: {_words(run)}")
    elif run.gated and not run.log.stops and result.cause is Cause.OK:
        run.broke("gate_absent", "the agent stopped, but its Stop hook never ran.")


def _class(run: Run, cause: Cause) -> str:
    """The gateway knows better than the session what an API error was."""
    calls = [c for c in run.ledger.calls if c.role is Role.WORKER]
    found = verdict(calls) if cause is Cause.API_ERROR else None
    return cause.value if found is None else found.value


def _words(run: Run) -> str:
    """The session's own last words, short."""
    result = run.result
    said = (result.text or result.stderr.decode(errors="replace")) if result else ""
    return " ".join(said.split())[:200] or "it said nothing."


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
        budgets=run.budgets,
        cost_usd=None if result.total_cost_usd is None else round(result.total_cost_usd, 6),
        permission_denials=result.permission_denials,
        hook_events=result.stop_responses if run.gated else None,
        model_ok=_model_ok(run),
        api_errors=int(result.cause is Cause.API_ERROR),
    )


def _model_ok(run: Run) -> bool | None:
    """Whether every model that served any role is the one asked for; unknown without a call."""
    served = [(call.role, call.model_served) for call in run.ledger.calls if call.model_served]
    return all(same_model(run.sites.model(role), m) for role, m in served) if served else None

"""Last step: what the agent left, and what is true of it."""

from gatebench.agents.result import Cause
from gatebench.errors import OracleFault
from gatebench.gates.tests import side_by_side
from gatebench.model.verdict import Outcome
from gatebench.trial.gates import final_gates
from gatebench.trial.run import Run

BROKEN = {
    Cause.API_ERROR: "the model's service failed",
    Cause.AGENT_ERROR: "the agent's program failed",
    Cause.CRASHED: "the agent's program crashed",
    Cause.NO_RESULT: "the agent's program ended without a result",
}
"""Ends of a session that say nothing about the agent's work."""

LIMITS = {
    "processes": "too many processes at once",
    "disk_bytes": "its files took too much disk",
    "disk_inodes": "it made too many files",
}


async def last_look(run: Run) -> None:
    """Snapshot the final tree; judge it, run the library's suite and the gates' own last tests."""
    run.doing("last look")
    snapshot = await run.bench.trees.snapshot(run.work)
    run.final_tree = snapshot.tree
    run.home.write("post.diff", await run.bench.trees.diff(run.start_tree, snapshot.tree))
    run.home.write("numstat.txt", await run.bench.trees.numstat(run.start_tree, snapshot.tree))
    tree = snapshot.tree
    await side_by_side(
        lambda: _judge(run, tree), lambda: _suite(run, tree), lambda: final_gates(run)
    )
    await run.verdicts.settled()
    await run.verdicts.suites_of_blocks()
    _classify(run)


async def _judge(run: Run, tree: str) -> None:
    judgement = await run.verdicts.final(tree)
    run.final = judgement.verdict


async def _suite(run: Run, tree: str) -> None:
    try:
        run.suite = await run.bench.oracle.run_suite(tree)
        run.home.write("suite.txt", run.suite.log)
    except OracleFault as fault:
        run.broke(fault.status, str(fault))


def _classify(run: Run) -> None:
    """What the session's end says about the trial: a valid outcome, or a fault of ours."""
    result = run.result
    if result is None:
        return
    if run.limit:
        run.broke("limits", f"the agent was ended at a limit: {LIMITS[run.limit]}.")
    elif result.cause in BROKEN:
        run.broke(result.cause.value, f"{BROKEN[result.cause]}: {_words(run)}")
    elif run.gated and not run.log.stops and result.cause is Cause.OK:
        run.broke("gate_absent", "the agent stopped, but its Stop hook never ran.")
    if run.final and Outcome.UNSCORABLE in run.final.requirements.values():
        run.broke("oracle_error", run.final.unscorable_reason or "a verdict is missing.")


def _words(run: Run) -> str:
    """The session's own last words, short."""
    result = run.result
    said = (result.text or result.stderr.decode(errors="replace")) if result else ""
    return " ".join(said.split())[:200] or "it said nothing."

"""Last step: what is true of what the agent left."""

from gatebench.errors import HarnessFault, OracleFault
from gatebench.gates.runner import side_by_side
from gatebench.model.verdict import Outcome
from gatebench.trial.gates import final_gates
from gatebench.trial.run import Run


async def last_look(run: Run) -> None:
    """Judge the final tree, run the library's suite and the gates' own last tests on it.

    Raises:
        HarnessFault: there is no final tree.
    """
    run.doing("last look")
    tree = run.final_tree
    if tree is None:
        raise HarnessFault("the final tree was not captured.")
    await side_by_side(
        lambda: _judge(run, tree), lambda: _suite(run, tree), lambda: final_gates(run)
    )
    with run.teller.waits("the oracle"):
        await run.verdicts.settled()
    await run.verdicts.suites_of_blocks()


async def _judge(run: Run, tree: str) -> None:
    judgement = await run.verdicts.final(tree)
    run.final = judgement.verdict
    if Outcome.UNSCORABLE in run.final.requirements.values():
        run.broke("oracle_error", run.final.unscorable_reason or "a verdict is missing.")


async def _suite(run: Run, tree: str) -> None:
    try:
        run.suite = await run.bench.oracle.run_suite(tree)
        run.home.write("suite.txt", run.suite.log)
    except OracleFault as fault:
        run.broke(fault.status, str(fault))

"""One review of a directory, without a trial around it."""

from dataclasses import replace
from pathlib import Path

from gatebench.errors import UsageError
from gatebench.gates.base import StopView
from gatebench.gates.registry import make_gate
from gatebench.gates.runner import run_gates
from gatebench.model.stop import GateResult
from gatebench.model.task import Task
from gatebench.model.trial import Config, TrialId
from gatebench.trial.bench import Bench
from gatebench.trial.gates import ground_of
from gatebench.trial.sites import Ledger, Sites

LIMIT_S = 1_500.0


async def review_tree(bench: Bench, task: Task, tree: Path, variant: str) -> GateResult:
    """Let gate 3 look at a directory as if an agent had stopped there.

    Args:
        bench: shared resources.
        task: the request the work is measured against.
        tree: a directory with the library's files, changed.
        variant: ``indep`` or ``adv``.

    Raises:
        UsageError: there is no such directory.
    """
    if not tree.is_dir():  # noqa: ASYNC240  # one look before anything runs
        raise UsageError(f"'{tree}' is no directory.", "Name a copy of the library with a change.")
    config = Config(name="review", gates=("review",), settings={"review": {"variant": variant}})
    sites = Sites(bench, TrialId(task.id, config.name, 1), config, Ledger(lambda _call: None))
    pristine = await bench.settle_trees()
    snapshot = await bench.trees.snapshot(tree)
    ground = replace(
        ground_of(bench, task, sites), start_tree=pristine, settings=config.settings["review"]
    )
    stop = StopView(1, snapshot.tree, snapshot.cut, LIMIT_S)
    gate = make_gate("review", ground)
    results = await run_gates([gate], stop, run_all=False, doing=lambda _name: None)
    return results[0]

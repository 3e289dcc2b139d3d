"""The trial's gates: made, prepared before the worker starts, asked once more at the end."""

from dataclasses import replace
from typing import Any

from gatebench.gates.base import Gate, Ground
from gatebench.gates.registry import make_gate
from gatebench.model.score import WriterOutcome
from gatebench.model.task import Task
from gatebench.trial.bench import Bench
from gatebench.trial.run import Run
from gatebench.trial.sites import Sites


async def ready_gates(run: Run) -> None:
    """Make the config's gates and let each prepare; the test writer works here."""
    run.gates = tuple(_make(run, name) for name in run.config.gates)
    for gate in run.gates:
        run.doing(f"{gate.name}: preparing")
        await gate.prepare()


async def recall_gates(run: Run) -> None:
    """Make the config's gates and let each read what it had filed."""
    run.gates = tuple(_make(run, name) for name in run.config.gates)
    for gate in run.gates:
        await gate.recall()


async def final_gates(run: Run) -> None:
    """Let each gate file what it has to say about the final tree."""
    for gate in run.gates:
        if run.final_tree is not None:
            await gate.last(run.final_tree)
    run.writer = _writer(run.gates)


def _make(run: Run, name: str) -> Gate:
    settings = run.config.settings.get(name, {})
    return make_gate(
        name, replace(ground_of(run.bench, run.task, run.sites), **_own(run), settings=settings)
    )


def _own(run: Run) -> dict[str, Any]:
    """What is the trial's own, and not the task's."""
    return {"start_tree": run.start_tree, "write": run.home.write, "read": run.home.read}


def ground_of(bench: Bench, task: Task, sites: Sites) -> Ground:
    """What any gate has for a task; evidence goes nowhere and no tree is the first yet."""
    return Ground(
        suite=bench.suite,
        task=task,
        prompt=task.prompts[sites.variant].strip(),
        upstream=bench.upstream,
        start_tree="",
        sandbox=bench.sandbox,
        environment=bench.environment,
        trees=bench.trees,
        program=bench.roles,
        doors=sites,
        model_socket=bench.model_socket,
        write=_nowhere,
        results=bench.results,
    )


def _nowhere(_name: str, _content: str | bytes) -> None:
    """Evidence of a gate that stands alone."""


def _writer(gates: tuple[Gate, ...]) -> WriterOutcome | None:
    """What the test writer left, where a gate has one."""
    outcomes = [getattr(gate, "writer_outcome", None) for gate in gates]
    return next((o for o in outcomes if isinstance(o, WriterOutcome)), None)

"""The trial's gates: made, prepared before the worker starts, asked once more at the end."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from gatebench.gates.base import Gate, Ground, Truth
from gatebench.gates.registry import make_gate
from gatebench.model.score import WriterOutcome
from gatebench.model.task import Task
from gatebench.model.verdict import Outcome
from gatebench.suites.waiting import Waiters
from gatebench.trial.bench import Bench
from gatebench.trial.run import Run
from gatebench.trial.sites import Sites

ASKING = frozenset({"tests", "review"})
"""Gates whose calls need no name but their role's."""


async def ready_gates(run: Run) -> None:
    """Make the config's gates and let each prepare; the test writer works here."""
    _make_all(run)
    for gate in run.gates:
        run.doing(f"{gate.name}: preparing")
        await gate.prepare()
    await run.shadows.prepare(lambda gate: gate.prepare())


async def recall_gates(run: Run) -> None:
    """Make the config's gates and let each read what it had filed."""
    _make_all(run)
    for gate in run.gates:
        await gate.recall()
    await run.shadows.prepare(lambda gate: gate.recall())


async def final_gates(run: Run) -> None:
    """Let each gate file what it has to say about the final tree."""
    for gate in run.gates:
        if run.final_tree is not None:
            await gate.last(run.final_tree)
    await run.shadows.settled()
    run.writer = _writer(run.gates)


def _make_all(run: Run) -> None:
    run.gates = tuple(_make(run, name, run.waiters) for name in run.config.gates)
    # Nobody waits for a shadow gate: it leaves to the others what waits for them.
    run.shadows.gates = tuple(_make(run, name, None) for name in run.config.shadow)


def _make(run: Run, name: str, waiters: Waiters | None) -> Gate:
    settings = run.config.settings.get(name, {})
    ground = replace(ground_of(run.bench, run.task, run.sites), waiters=waiters)
    return make_gate(name, replace(ground, **_own(run, name), settings=settings))


def _own(run: Run, gate: str) -> dict[str, Any]:
    """What is the trial's own, and not the task's; a gate with a name of its own files by it."""
    kind, _, label = gate.partition(":")
    before = f"{label}-" if label else ""
    return {
        "doors": replace(run.sites, label=label or ("" if kind in ASKING else kind)),
        "start_tree": run.start_tree,
        "write": lambda name, content: run.home.write(f"{before}{name}", content),
        "read": lambda name: run.home.read(f"{before}{name}"),
    }


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
        seed=sites.seed,
        truth=truth_of(bench, task),
    )


def truth_of(bench: Bench, task: Task) -> Callable[[str], Awaitable[Truth]]:
    """The oracle's word as the gate ``truth`` may pass it on.

    A real model is told what must hold; the simulated team knows a requirement by the suite's own
    wording of what is missing.
    """
    material = bench.hidden.material(task.id) if bench.choice.simulated else None

    texts = {r.id: r.text for r in task.requirements}

    def words(requirement: str) -> str:
        own = material.requirements[requirement].findings if material else ()
        return own[0] if own else texts[requirement]

    async def truth(tree: str) -> Truth:
        verdict = (await bench.oracle.judge(tree, task.id)).verdict
        failing = [r for r, o in verdict.requirements.items() if o is Outcome.FAIL]
        unscorable = Outcome.UNSCORABLE in verdict.requirements.values()
        why = verdict.unscorable_reason or "a verdict is missing" if unscorable else None
        return Truth({r: words(r) for r in failing}, why)

    return truth


def _nowhere(_name: str, _content: str | bytes) -> None:
    """Evidence of a gate that stands alone."""


def _writer(gates: tuple[Gate, ...]) -> WriterOutcome | None:
    """What the test writer left, where a gate has one."""
    outcomes = [getattr(gate, "writer_outcome", None) for gate in gates]
    return next((o for o in outcomes if isinstance(o, WriterOutcome)), None)

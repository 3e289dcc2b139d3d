"""The trial's gates: made, prepared before the worker starts, asked once more at the end."""

from gatebench.gates.base import Gate, Ground
from gatebench.gates.registry import make_gate
from gatebench.model.score import WriterOutcome
from gatebench.trial.run import Run


async def ready_gates(run: Run) -> None:
    """Make the config's gates and let each prepare; the test writer works here."""
    run.gates = tuple(_make(run, name) for name in run.config.gates)
    for gate in run.gates:
        run.doing(f"{gate.name}: preparing")
        await gate.prepare()


async def final_gates(run: Run) -> None:
    """Let each gate file what it has to say about the final tree."""
    for gate in run.gates:
        if run.final_tree is not None:
            await gate.last(run.final_tree)
    run.writer = _writer(run.gates)


def _make(run: Run, name: str) -> Gate:
    bench = run.bench
    ground = Ground(
        suite=bench.suite,
        task=run.task,
        prompt=run.task.prompts[run.variant].strip(),
        upstream=bench.upstream,
        start_tree=run.start_tree,
        sandbox=bench.sandbox,
        environment=bench.environment,
        trees=bench.trees,
        program=bench.roles,
        doors=run.sites,
        model_socket=bench.model_socket,
        write=run.home.write,
        settings=run.config.settings.get(name, {}),
    )
    return make_gate(name, ground)


def _writer(gates: tuple[Gate, ...]) -> WriterOutcome | None:
    """What the test writer left, where a gate has one."""
    outcomes = [getattr(gate, "writer_outcome", None) for gate in gates]
    return next((o for o in outcomes if isinstance(o, WriterOutcome)), None)

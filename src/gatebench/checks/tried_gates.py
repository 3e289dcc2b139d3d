"""Can each gate of a matrix fail, and can it pass? Tried on trees of known worth, without a worker.

A gate that can't fail measures nothing, and one that can't pass blocks every trial until it gives
up; both are cheaper to know before any money is spent. Whoever a gate asks is played by the
simulated team at its best.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import anyio

from gatebench.checks.lanes import in_lanes
from gatebench.gates.base import Gate, StopView
from gatebench.gates.registry import make_gate
from gatebench.gates.runner import run_gate
from gatebench.model.policy import FAULTS
from gatebench.model.stop import GateResult, GateStatus
from gatebench.model.task import Task
from gatebench.model.trial import PLACEBOS, Config, TrialId, kind_of
from gatebench.trial.bench import Bench, private_directory
from gatebench.trial.gates import ground_of
from gatebench.trial.planting import plant
from gatebench.trial.sites import Ledger, Sites
from gatebench.workspace import apply_patch, make_work_copy

LIMIT_S = 1_500.0
PLACEBO_STOPS = 200
"""Stops at which a placebo must have blocked and let go at least once."""
SKIPS = b"\nimport pytest\n\npytestmark = pytest.mark.skip\n"
BROKEN = b"\n\ndef broken(:\n"
OWN_TESTS = "test_own.py"
AGAINST_NOTHING = frozenset({"tests", "review", "truth"})
"""Gates that are meant to see that nothing was done; of others any bad tree will do."""


@dataclass(frozen=True)
class Tree:
    """A tree of known worth."""

    name: str
    id: str


@dataclass(frozen=True)
class Trees:
    """What gates are tried on."""

    start: str
    bad: tuple[Tree, ...]
    """Each is blocked by some gate or other."""
    whole: Tree
    """The reference."""
    tested: Tree
    """The reference with tests of its own beside it."""


@dataclass(frozen=True)
class Tried:
    """What a gate did."""

    name: str
    """Config and gate."""
    blocked: str
    """The first bad tree it blocked; empty where it blocked none."""
    passed: str
    """The good tree it let pass; empty where it let pass none."""
    fault: str = ""
    """Why it could not be tried."""
    let_go: str = "every bad tree"
    """What it should have blocked."""

    @property
    def problem(self) -> str:
        """What is wrong with it, one sentence; empty where nothing is."""
        if self.fault:
            return f"gate {self.name} fails by itself: {self.fault}."
        if not self.blocked:
            return f"gate {self.name} can't fail here: it lets {self.let_go} pass."
        if not self.passed:
            return f"gate {self.name} can't pass: it blocks the reference too."
        return ""

    def __str__(self) -> str:
        return f"{self.name} blocks {self.blocked}"


async def try_gates(bench: Bench, configs: Iterable[Config]) -> tuple[Tried, ...]:
    """Try each gate of some configs once, however many configs have it.

    Args:
        bench: with the simulated team, and an agent that is never started.
        configs: whose gates, shadows included.
    """
    task = bench.suite.tasks[0]
    trees = await _trees(bench, task)
    distinct: dict[str, tuple[Config, str]] = {}
    for config in configs:
        for gate in config.all_gates:
            settings = json.dumps(config.settings.get(gate, {}), sort_keys=True)
            distinct.setdefault(f"{kind_of(gate)} {settings}", (config, gate))

    async def one(named: tuple[Config, str]) -> Tried:
        config, name = named
        sites = Sites(bench, TrialId(task.id, config.name, 1), config, Ledger(lambda _call: None))
        ground = replace(ground_of(bench, task, sites), start_tree=trees.start)
        gate = make_gate(name, replace(ground, settings=config.settings.get(name, {})))
        told, kind = f"'{name}' of {config.name}", kind_of(name)
        if kind in PLACEBOS:
            return await _placebo(told, gate, trees)
        return await _gate(told, kind, gate, trees)

    return await in_lanes(tuple(distinct.values()), one)


async def _gate(name: str, kind: str, gate: Gate, trees: Trees) -> Tried:
    """A gate that looks: it must block a bad tree and let a good one pass."""
    try:
        await gate.prepare()
    except Exception as error:  # noqa: BLE001  # the boundary: somebody's gate
        return Tried(name, "", "", f"{type(error).__name__}: {error}")
    look = _Look(gate)
    good = await look.first(GateStatus.PASS, (trees.whole, trees.tested))
    # What was blocked for want of tests of its own is a bad tree too, where that gate wants them.
    wanting = (trees.whole,) if good == trees.tested.name else ()
    empty, *others = trees.bad
    must = kind in AGAINST_NOTHING
    bad = await look.first(GateStatus.RED, (empty,) if must else (empty, *wanting, *others))
    fault = "" if bad and good else look.fault
    return Tried(name, bad, good, fault, empty.name if must else Tried.let_go)


class _Look:
    """Lets a gate look at trees, each once."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._said: dict[str, GateResult] = {}

    async def first(self, status: GateStatus, trees: Iterable[Tree]) -> str:
        """The first tree of which it says so; empty where it says so of none."""
        for tree in trees:
            if tree.id not in self._said:
                self._said[tree.id] = await look_at(self._gate, tree)
            if self._said[tree.id].status is status:
                return tree.name
        return ""

    @property
    def fault(self) -> str:
        """The first fault of its own machinery; empty where there was none."""
        faults = (str(r.error) for r in self._said.values() if r.status in FAULTS)
        return next(faults, "").rstrip(".")


async def look_at(gate: Gate, tree: Tree, n: int = 1) -> GateResult:
    """One look, as at stop n of a trial."""
    return await run_gate(gate, StopView(n, tree.id, (), LIMIT_S))


async def _placebo(name: str, gate: Gate, trees: Trees) -> Tried:
    """A gate that looks at nothing: it must block now and then, and let go now and then."""
    stops = range(1, PLACEBO_STOPS + 1)
    said = {(await look_at(gate, trees.whole, n)).status for n in stops}
    blocked = "now and then, whatever is there" if GateStatus.RED in said else ""
    return Tried(name, blocked, trees.whole.name if GateStatus.PASS in said else "")


async def _trees(bench: Bench, task: Task) -> Trees:
    start = await bench.settle_trees()
    reference = await bench.hidden.solution_files(task.id, task.requirement_ids)
    whole = await plant(bench, start, reference)
    tests = bench.hidden.tests(task.id).file.read_bytes()
    own = f"{bench.suite.library.tests}/{OWN_TESTS}"
    bad = {
        "an empty worker": start,
        "the red start state": await _injected(bench),
        "tests that are skipped": await _skipping(bench, whole),
        "code that is no Python": await _broken(bench, whole, reference),
    }
    return Trees(
        start,
        tuple(Tree(name, tree) for name, tree in bad.items() if tree is not None),
        Tree("the reference without tests of its own", whole),
        Tree("the reference", await bench.trees.add_files(whole, {own: tests})),
    )


async def _injected(bench: Bench) -> str | None:
    """The library with the suite's injection; ``None`` where there is none."""
    if bench.injection is None:
        return None
    with private_directory() as folder:
        copy = folder / "w"
        await anyio.to_thread.run_sync(make_work_copy, bench.upstream, copy)
        await apply_patch(copy, bench.injection)
        return (await bench.trees.snapshot(copy)).tree


async def _skipping(bench: Bench, whole: str) -> str | None:
    """The reference with a test module of the library's skipped; ``None`` where it has none."""
    below = f"{bench.suite.library.tests}/test_"
    for path in sorted(await bench.trees.paths(whole)):
        text = await bench.trees.read(whole, path) if path.startswith(below) else None
        if text and path.endswith(".py"):
            return await bench.trees.add_files(whole, {path: text + SKIPS})
    return None


async def _broken(bench: Bench, whole: str, reference: Mapping[str, str]) -> str | None:
    """The reference with a module that can't be parsed; ``None`` where it has none."""
    path = next((name for name in sorted(reference) if name.endswith(".py")), None)
    if path is None:
        return None
    return await bench.trees.add_files(whole, {path: reference[path].encode() + BROKEN})

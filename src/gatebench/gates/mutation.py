"""Do the agent's own tests notice when its change is broken? Mutants of the added lines tell."""

import importlib.util
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import anyio
from anyio import to_process
from pydantic import Field

from gatebench.errors import GateFault, LookError, UsageError
from gatebench.gates.acceptance import run_started
from gatebench.gates.base import Ground, StopView
from gatebench.gates.checkout import scratch_copy
from gatebench.gates.settings import read_settings
from gatebench.model.base import Record
from gatebench.model.seeds import derive
from gatebench.model.stop import GateResult, GateStatus
from gatebench.suites.mutants import Mutant, make_mutants
from gatebench.suites.own_tests import own_job
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.testing import Bench

MAKER = "cosmic_ray"
AT_ONCE = 2
MOST_BYTES = 200_000
"""A larger file isn't mutated."""
MAKING_S = 60.0
SLACK, LEAST_S = 5.0, 10.0
"""A mutant may take so many times as long as the unchanged code, and at least so many seconds."""
MOST_SHOWN = 8
TAIL_LINES = 20


class MutationSettings(Record):
    """Settings of the gate ``mutation``."""

    mutants: int = Field(default=12, ge=1)
    """How many are tried at most."""
    threshold: float = Field(default=0.5, ge=0, le=1)
    """Share of them that the tests must notice."""
    suite_s: float = Field(default=300.0, gt=0)
    """Limit of one run of the tests, seconds."""


@dataclass(frozen=True)
class Judged:
    """What came of one tree."""

    baseline: PytestRun
    """The tests on the snapshot as it is."""
    mutants: tuple[Mutant, ...] = ()
    alive: tuple[Mutant, ...] = ()
    """Those that the tests let pass."""

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return len(self.mutants) - len(self.alive)


class MutationGate:
    """The gate ``mutation``; made for one trial."""

    name = "mutation"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._settings = read_settings(MutationSettings, self.name, ground.settings)
        self._bench = Bench(ground.sandbox, ground.environment)
        self._judged: dict[str, Judged] = {}
        if importlib.util.find_spec(MAKER) is None:
            raise UsageError(
                "the gate 'mutation' needs cosmic-ray, which isn't installed.",
                "Install it: pip install 'gate-bench[mutation]'.",
            )

    async def prepare(self) -> None:
        """Nothing is needed."""

    async def recall(self) -> None:
        """Nothing was kept."""

    async def check(self, stop: StopView) -> GateResult:
        """Run the snapshot's own tests on it, then on mutants of the lines that were added.

        Raises:
            GateFault: the tests or the mutants can't be had.
        """
        known = None if self._ground.results.fresh else self._judged.get(stop.tree)
        judged = known or await self._judge(stop.tree)
        self._judged[stop.tree] = judged
        red = not judged.baseline.green or self._unnoticed(judged)
        return GateResult(
            name=self.name,
            status=GateStatus.RED if red else GateStatus.PASS,
            cached=known is not None,
            reason=reason_of(judged) if red else "",
            detail=_detail(judged),
        )

    async def last(self, tree: str) -> None:
        """Nothing more is to be said."""

    def _unnoticed(self, judged: Judged) -> bool:
        return judged.killed < self._settings.threshold * len(judged.mutants)

    async def _judge(self, tree: str) -> Judged:
        baseline = await self._run(tree, None, self._settings.suite_s)
        if not baseline.green:
            return Judged(baseline)
        mutants = await self._mutants(tree)
        limit_s = min(self._settings.suite_s, max(LEAST_S, SLACK * baseline.wall_s))
        lives: dict[int, bool] = {}
        lanes = anyio.CapacityLimiter(AT_ONCE)

        async def one(number: int, mutant: Mutant) -> None:
            async with lanes:
                lives[number] = (await self._run(tree, mutant, limit_s)).green

        async with anyio.create_task_group() as group:
            for number, mutant in enumerate(mutants):
                group.start_soon(one, number, mutant)
        alive = tuple(m for number, m in enumerate(mutants) if lives[number])
        return Judged(baseline, mutants, alive)

    async def _run(self, tree: str, mutant: Mutant | None, limit_s: float) -> PytestRun:
        async with scratch_copy(self._ground.trees, tree) as copy:
            if mutant is not None:
                await anyio.Path(copy, mutant.file).write_text(mutant.text, encoding="utf-8")
            job = own_job(self._ground.suite.library, copy, limit_s)
            return await run_started(self._bench, job)

    async def _mutants(self, tree: str) -> tuple[Mutant, ...]:
        """Some mutants of the change, made in a process of their own: the source is the agent's."""
        before, after = await self._sources(tree)
        seed = derive(self._ground.seed, self.name)
        try:
            with anyio.fail_after(MAKING_S):
                return await to_process.run_sync(
                    draw_mutants, before, after, self._settings.mutants, seed, cancellable=True
                )
        except (TimeoutError, anyio.BrokenWorkerProcess, LookError, ValueError) as error:
            raise GateFault(f"no mutants could be made of the change: {error!r}.") from error

    async def _sources(self, tree: str) -> tuple[dict[str, str], dict[str, str]]:
        """The library's changed modules, as they were and as they are."""
        ground = self._ground
        package = f"{ground.suite.library.package}/"
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for path in await ground.trees.changed(ground.start_tree, tree):
            now = await ground.trees.read(tree, path)
            if not (path.startswith(package) and path.endswith(".py")) or now is None:
                continue
            if len(now) <= MOST_BYTES:
                was = await ground.trees.read(ground.start_tree, path)
                before[path] = (was or b"").decode(errors="replace")
                after[path] = now.decode(errors="replace")
        return before, after


def draw_mutants(
    before: Mapping[str, str], after: Mapping[str, str], most: int, seed: int
) -> tuple[Mutant, ...]:
    """At most so many mutants, drawn by lot: one of each added line before a second of any."""
    draw = random.Random(seed)  # noqa: S311  # a sample, no secret
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in make_mutants(before, after):
        lines.setdefault((mutant.file, mutant.line), []).append(mutant)
    for of_line in lines.values():
        draw.shuffle(of_line)
    rounds = ([m for m in a_round if m] for a_round in zip_longest(*lines.values()))
    drawn = [m for a_round in rounds for m in draw.sample(a_round, len(a_round))][:most]
    return tuple(sorted(drawn, key=lambda m: (m.file, m.line, m.operator, m.occurrence)))


def _detail(judged: Judged) -> dict[str, Any]:
    return {
        "tests_green": judged.baseline.green,
        "mutants": len(judged.mutants),
        "killed": judged.killed,
        "survivors": [str(m) for m in judged.alive],
    }


def reason_of(judged: Judged) -> str:
    """What the agent is told."""
    if not judged.baseline.green:
        tail = "\n".join(judged.baseline.log.strip().splitlines()[-TAIL_LINES:])
        return f"The project's tests fail:\n{tail}"
    head = (
        f"The tests notice {judged.killed} of {len(judged.mutants)} small defects put into the "
        "lines you added. They still pass, for instance, when"
    )
    rest = len(judged.alive) - MOST_SHOWN
    more = [f"… and {rest} more."] if rest > 0 else []
    asked = "Please add tests that would fail then, and stop."
    return "\n".join([head, *_shown(judged.alive[:MOST_SHOWN]), *more, asked])


def _shown(alive: Sequence[Mutant]) -> list[str]:
    return [f"- {m.file}:{m.line} `{m.was.strip()}` becomes `{m.now.strip()}`" for m in alive]

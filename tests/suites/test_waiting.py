"""Runs of pytest that were started before their tree was there: the same, sooner, or anew."""

import dataclasses
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from court import CODE, Court, shared_court

from gatebench.model.verdict import Verdict
from gatebench.oracle import SHAPE
from gatebench.sandbox import Command, Completed, Sandbox, procfs
from gatebench.suites.own_tests import OWN, own_job
from gatebench.suites.pytest_run import PytestRun
from gatebench.suites.stand import Shape
from gatebench.suites.testing import Bench, run_pytest
from gatebench.suites.waiting import Waiters, open_waiters

ALL = ("R1", "R2", "R3", "R4", "R5")
READY_S = 20.0
TARGETS = ("tests/test_operations.py",)


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


class Used:
    """A sandbox that counts what is started anew."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.kind = inner.kind
        self.inside = inner.inside
        self.start = inner.start
        self.prepare = inner.prepare
        self.anew = 0

    async def run(self, command: Command) -> Completed:
        self.anew += 1
        return await self._inner.run(command)


@pytest.fixture
def used(court: Court) -> Used:
    return Used(court.sandbox)


async def ready(waiters: Waiters, *shapes: Shape) -> None:
    """Have them wait."""
    waiters.want(shapes)
    with anyio.fail_after(READY_S):
        while len(waiters.free) < len(shapes):  # noqa: ASYNC110  # nobody tells
            await anyio.sleep(0.02)


async def own_tests(court: Court, bench: Bench, tree: str) -> PytestRun:
    """A tree's own tests in a place of the bench's."""
    async with bench.place(OWN) as copy:
        await court.store.checkout(tree, copy)
        job = own_job(court.ground.suite.library, copy, 60.0)
        run = await run_pytest(bench, dataclasses.replace(job, targets=TARGETS))
    assert not copy.exists()
    return run


def trees(court: Court) -> dict[str, str]:
    files = court.solution(ALL)
    return {
        "reference": court.tree(files),
        "mutant": court.tree(court.solution({"R1", "R3"})),
        "broken": court.tree({**files, CODE: "def increment(:\n"}),
        "hostile": court.tree({**files, CODE: "import os\nos._exit(0)\n"}),
    }


def told(run: PytestRun) -> dict[str, object]:
    """All of a run but its times."""
    fields = dataclasses.asdict(run)
    times = [word for line in run.log.splitlines() for word in line.split() if word[:1].isdigit()]
    return {**fields, "wall_s": 0, "log": [w for w in run.log.split() if w not in times]}


def without_times(verdict: Verdict) -> Verdict:
    return verdict.model_copy(update={"wall_s": 0.0, "cached": False})


@pytest.mark.parametrize("name", ["reference", "mutant", "broken", "hostile"])
def test_a_whole_run_says_the_same(court: Court, used: Used, name: str) -> None:
    tree, environment = trees(court)[name], court.ground.environment

    async def session() -> tuple[PytestRun, PytestRun]:
        async with open_waiters(used, environment) as waiters:
            await ready(waiters, OWN)
            sooner = await own_tests(court, Bench(used, environment, waiters), tree)
        assert used.anew == 0
        return sooner, await own_tests(court, Bench(used, environment), tree)

    sooner, anew = anyio.run(session)
    assert told(sooner) == told(anew)
    assert sooner.green is (name in {"reference", "mutant"})


@pytest.mark.parametrize("name", ["reference", "mutant", "broken"])
def test_a_verdict_is_the_same(court: Court, used: Used, name: str) -> None:
    tree = trees(court)[name]
    oracles = [
        dataclasses.replace(court, sandbox=box).open(each_limit_s=5.0)
        for box in (used, court.sandbox)
    ]

    async def session() -> tuple[Verdict, Verdict]:
        await oracles[0].judge(court.base, "T1")  # the expected tests are collected once
        before = used.anew
        async with open_waiters(used, court.ground.environment) as waiters:
            await ready(waiters, SHAPE)
            sooner = (await oracles[0].judge(tree, "T1", waiters)).verdict
        assert used.anew == before
        return sooner, (await oracles[1].judge(tree, "T1")).verdict

    sooner, anew = anyio.run(session)
    assert without_times(sooner) == without_times(anew)
    assert not sooner.tampered


Kill = Callable[[Waiters], Awaitable[None]]


async def _unnoticed(waiters: Waiters) -> None:
    for waiting in waiters._free:
        await waiting.process.launched.tree.destroy()


async def _noticed(waiters: Waiters) -> None:
    await _unnoticed(waiters)
    for waiting in waiters._free:
        await waiting.process.launched.process.wait()


@pytest.mark.parametrize("kill", [_unnoticed, _noticed])
def test_one_that_died_costs_nothing_but_time(court: Court, used: Used, kill: Kill) -> None:
    async def session() -> PytestRun:
        async with open_waiters(used, court.ground.environment) as waiters:
            await ready(waiters, OWN)
            await kill(waiters)
            bench = Bench(used, court.ground.environment, waiters)
            return await own_tests(court, bench, court.base)

    assert anyio.run(session).green
    assert used.anew == 1


def test_one_serves_one_run_of_its_own_shape_in_its_own_place(court: Court, used: Used) -> None:
    environment = court.ground.environment

    async def session() -> list[int]:
        counts = []
        async with (
            open_waiters(used, environment) as ours,
            open_waiters(used, environment) as theirs,
        ):
            await ready(ours, OWN)
            await ready(theirs, SHAPE)
            for waiters in (theirs, ours, ours):
                await own_tests(court, Bench(used, environment, waiters), court.base)
                counts.append(used.anew)
            assert ours.free == ()
            assert theirs.free == (SHAPE,)
        return counts

    assert anyio.run(session) == [1, 1, 2]


def test_so_many_wait_as_are_wanted_and_with_nothing_in_hand(court: Court) -> None:
    async def session() -> None:
        async with open_waiters(court.sandbox, court.ground.environment) as waiters:
            waiters.want((OWN, SHAPE))
            await ready(waiters, OWN, SHAPE)
            waiters.want((SHAPE, OWN))
            await anyio.sleep(0.2)
            assert sorted(map(repr, waiters.free)) == sorted(map(repr, (OWN, SHAPE)))
            for waiting in waiters._free:
                assert list(waiting.stand.tree.iterdir()) == []
                files = {path.name for path in (waiting.stand.folder / "root").iterdir()}
                assert files == {"pytest.ini"}

    anyio.run(session)


@pytest.mark.parametrize("pause_s", [0.0, 0.01, 0.03, 1.0])
def test_nothing_is_left_however_far_it_had_come(court: Court, pause_s: float) -> None:
    place = Path(tempfile.gettempdir())

    async def session() -> list[Path]:
        places = []
        async with open_waiters(court.sandbox, court.ground.environment) as waiters:
            waiters.want((OWN, SHAPE))
            await anyio.sleep(pause_s)
            places = [p for w in waiters._free for p in (w.stand.tree, w.stand.folder)]
            pids = [w.process.launched.process.pid for w in waiters._free]
        assert not any(procfs.exists(pid) for pid in pids)
        return places

    before = set(place.iterdir())
    assert not any(path.exists() for path in anyio.run(session))
    assert set(place.iterdir()) == before

"""A gate that isn't ours, replayed: one that counts its stops is where it was after a pause."""

import shutil
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
import pytest
from front import Job

from gatebench.gates.base import Ground, StopView
from gatebench.gates.registry import SHIPPED
from gatebench.matrix.replay import ReplayOrder, ReplayReport, replay_job
from gatebench.matrix.replay_plan import Asked, make_plan
from gatebench.matrix.schedule import Drain
from gatebench.model.replay import Look
from gatebench.model.stop import GateResult, GateStatus
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import Means

pytestmark = pytest.mark.proof


class Once:
    """Blocks the first stop it is asked about, and asks nobody."""

    name = "once"

    def __init__(self, ground: Ground) -> None:
        self._write = ground.write
        self._given = False

    async def prepare(self) -> None: ...

    async def recall(self) -> None: ...

    async def check(self, stop: StopView) -> GateResult:
        status = GateStatus.PASS if self._given else GateStatus.RED
        self._given = True
        self._write("seen.txt", f"{stop.n} {status}")
        return GateResult(name=self.name, status=status)

    async def last(self, tree: str) -> None: ...


@dataclass
class Impatient:
    """Asks for no more looks after so many."""

    drain: Drain
    most: int
    seen: list[Look] = field(default_factory=list)

    def begin(self, planned: int, done: int, agent: str) -> None: ...

    def looked(self, look: Look) -> None:
        self.seen.append(look)
        if len(self.seen) == self.most:
            self.drain.ask("enough")


def replay(home: JobDir, cache: Path, most: int) -> tuple[ReplayReport, list[Look]]:
    plan = make_plan(home, Asked(("once",), ("stops",), 1))
    drain = Drain()
    watcher = Impatient(drain, most)
    means = Means(cache, "/usr/bin:/bin", roles=False)
    report = anyio.run(partial(replay_job, ReplayOrder(plan, home, means, 1, drain), watcher))
    return report, watcher.seen


def test_a_gate_that_counts_goes_on_counting(
    nop: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SHIPPED, "once", Once)
    home = JobDir(Path(shutil.copytree(nop.path, tmp_path / "nop")))
    shutil.rmtree(home.path / "T1-bare-r1")
    report, seen = replay(home, nop.front.cache, 3)
    assert (report.stopped, report.made, report.left) == ("enough", 3, 4)
    assert [look.result.status for look in seen] == ["red", "pass", "pass"]
    report, seen = replay(home, nop.front.cache, 99)
    assert (report.stopped, report.made, report.left) == ("", 4, 0)
    assert [look.result.status for look in seen] == ["pass"] * 4
    assert report.calls == {}
    filed = sorted(p.read_text() for p in (home.path / "replay").rglob("seen.txt"))
    assert filed == ["1 red", *(f"{n} pass" for n in range(2, 8))]

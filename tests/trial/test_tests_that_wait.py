"""Trials whose next tests are started while the agent works: the same results, and nothing left."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from front import Front, Job, Json, equal_but_for_times, lines

DRIVER = """\
import json, os
from gatebench.suites import waiting
from gatebench.trial import standby

standby.idle = lambda: os.environ["IDLE"] == "1"

def told(cls, name, what):
    before = getattr(cls, name)
    async def after(self, *args):
        result = await before(self, *args)
        with open(os.environ["TOLD"], "a") as file:
            file.write(json.dumps(what(self)) + "\\n")
        return result
    setattr(cls, name, after)

def shape(stand):
    return [stand.shape.mode, stand.shape.writable]

told(waiting.Waiting, "go", lambda w: {"used": shape(w.stand)})
told(waiting.Waiters, "_start", lambda w: {"waits": [
    [f.process.launched.process.pid, f.process.launched.tree.init] for f in w._free]})
from gatebench.cli.main import main
main()
"""
G1 = ("T1", "--configs", "g1", "--reps", "1", "--profile", "careless.toml", "--no-cache")
SUITE, ACCEPTANCE, HIDDEN = ["whole", True], ["whole", False], ["each", False]


@dataclass(frozen=True)
class Told:
    """The program, which tells of what waits."""

    front: Front
    idle: bool
    place: Path

    @property
    def notes(self) -> list[Json]:
        path = self.place / "told.jsonl"
        return lines(path) if path.exists() else []

    @property
    def temporary(self) -> Path:
        return self.place / "tmp"

    def start(self) -> "subprocess.Popen[str]":
        (self.place / "driver.py").write_text(DRIVER)
        self.temporary.mkdir()
        own = {"IDLE": str(int(self.idle)), "TOLD": str(self.place / "told.jsonl")}
        return subprocess.Popen(
            [sys.executable, self.place / "driver.py", "run", *G1, "--out", self.place / "job"],
            cwd=self.front.cwd,
            env={**self.front.env, **own, "TMPDIR": str(self.temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def finish(self) -> Job:
        process = self.start()
        said = process.communicate(timeout=self.front.patience_s)
        assert process.returncode == 0, "".join(said)
        done = subprocess.CompletedProcess(G1, 0, *said)
        return Job(self.front, G1, self.place / "job", done)


def told(front: Front, place: Path, *, idle: bool) -> Told:
    place.chmod(0o711)
    return Told(front, idle, place)


@pytest.mark.proof
def test_a_trial_ends_the_same_with_tests_that_waited(
    front: Front, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sooner = told(front, tmp_path_factory.mktemp("sooner"), idle=True)
    anew = told(front, tmp_path_factory.mktemp("anew"), idle=False)
    one, other = (each.finish().trial("T1-g1-r1") for each in (sooner, anew))
    assert one.decisions == other.decisions == ["block", "allow"]
    assert equal_but_for_times(one.score, other.score)
    # At most one of each for either stop: what a second look takes is started anew.
    used = [note["used"] for note in sooner.notes if "used" in note]
    assert all(used.count(shape) in {1, 2} for shape in (SUITE, ACCEPTANCE, HIDDEN))
    assert len(used) <= 6
    assert anew.notes == []
    assert list(sooner.temporary.iterdir()) == []


@pytest.mark.parametrize(
    "signals",
    [(signal.SIGKILL,), pytest.param((signal.SIGINT, signal.SIGINT), marks=pytest.mark.proof)],
)
def test_what_waits_ends_with_a_trial_that_is_cut_short(
    front: Front, tmp_path_factory: pytest.TempPathFactory, signals: tuple[signal.Signals, ...]
) -> None:
    ours = told(front, tmp_path_factory.mktemp("cut"), idle=True)
    process = ours.start()
    until = time.monotonic() + front.patience_s
    while not (waits := [n["waits"] for n in ours.notes if len(n.get("waits", ())) >= 2]):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    pids = [pid for pair in waits[0] for pid in pair]
    assert all(map(exists, pids))
    for number in signals:
        os.killpg(process.pid, number)
        time.sleep(0.3)
    process.communicate(timeout=60)
    until = time.monotonic() + 15
    while any(map(exists, pids)) or list(ours.temporary.iterdir()):
        assert time.monotonic() < until, list(ours.temporary.rglob("*"))[:10]
        time.sleep(0.05)


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()

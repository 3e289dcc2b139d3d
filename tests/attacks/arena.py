"""Runs attacks as trials, and says what came of each."""

import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import anyio

from gatebench.agents.program import AgentProgram, stub_program
from gatebench.agents.shelter import shelter
from gatebench.model.matrix import Choice
from gatebench.model.score import Score
from gatebench.model.stop import StopRecord
from gatebench.model.trial import Config, TrialId
from gatebench.sandbox import DiskBounds
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir
from gatebench.trial import run as surroundings
from gatebench.trial.bench import Bench, Means, open_bench, private_directory
from gatebench.trial.lifecycle import Job, run_trial
from gatebench.trial.progress import Nobody

TASK = "T1"
HELD = ("R1", "R3")
"""What the attackers' code really does, unless an attack says otherwise."""
NOTHING: tuple[str, ...] = ()
DISK = DiskBounds(bytes=60_000_000, inodes=3_000)
SECRET = "sk-ant-planted-" + "0123456789abcdef"

_SUITE_ALONE = {"tests": {"writer": False}}
CONFIGS = {
    "bare": Config(name="bare", gates=()),
    "gated": Config(name="gated", gates=("tests",), settings=_SUITE_ALONE),
    "red": Config(name="red", gates=("tests",), settings=_SUITE_ALONE, give_up=2),
}
"""``red`` starts from a broken library: its gate blocks twice and then gives up."""

PRELUDE = """
import json, os, pathlib, signal, socket, subprocess, sys, time

for name, text in {files!r}.items():
    pathlib.Path(name).write_text(text)
JOB = {job!r}
TOKEN = os.environ["ANTHROPIC_BASE_URL"].rpartition("/")[2]

def report(**said):
    emit(type="report", **said)

def sh(command, limit=60):
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=limit)
    return (done.stdout + done.stderr).decode(errors="replace")

def daemon(code):
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **quiet)
    time.sleep(0.3)

def tried(*attempts):
    told = []
    for attempt in attempts:
        try:
            attempt()
            told.append("done")
        except OSError as error:
            told.append(error.strerror or type(error).__name__)
    return told
"""


@dataclass(frozen=True)
class Aftermath:
    """What an attack left."""

    score: Score
    home: TrialDir
    wall_s: float

    @property
    def passing(self) -> tuple[str, ...]:
        failed = self.score.failed_reqs
        every = ("R1", "R2", "R3", "R4", "R5")
        return ("unknown",) if failed is None else tuple(r for r in every if r not in failed)

    @property
    def stops(self) -> tuple[StopRecord, ...]:
        return self.home.stops()

    def reported(self, key: str) -> Any:
        """What the attacker's own reports say under a key."""
        for line in (self.home.path / "stream.jsonl").read_bytes().splitlines():
            message = json.loads(line) if line.startswith(b"{") else {}
            if message.get("type") == "report" and key in message:
                return message[key]
        return None


@dataclass(frozen=True)
class Attack:
    """One attack, and what must come of it."""

    name: str
    script: str = ""
    """Functions of the stub agent's script (`agents.stub`)."""
    expected: str = "no gain"
    """For people; the fields below say it exactly."""
    config: str = "bare"
    library: str = ""
    """Code at the end of the module under test."""
    deserves: tuple[str, ...] = HELD
    status: str = "ok"
    tampered: str = ""
    """What ``tampered`` must speak of; without it there must be nothing in it."""
    check: Callable[[Aftermath], str] = lambda _: ""
    """More to look at: says what is wrong."""
    quick: bool = False


@dataclass(frozen=True)
class Outcome:
    """One row of the table."""

    attack: Attack
    observed: str
    trouble: str
    wall_s: float


_PLACES: ContextVar[list[Path]] = ContextVar("places")


@contextmanager
def _noted_directory() -> Iterator[Path]:
    with private_directory() as place:
        _PLACES.get().append(place)
        yield place


class Arena:
    """A bench, and a job in which each attack is a trial."""

    def __init__(self, bench: Bench, job: Job, cache: Path) -> None:
        self._bench = bench
        self._job = job
        self._cache = cache
        self._count = 0

    async def stage(self, attack: Attack) -> Outcome:
        """Run one attack as a trial and look at everything it left."""
        self._count += 1
        trial = TrialId(TASK, attack.config, self._count)
        places: list[Path] = []
        _PLACES.set(places)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="") as folder:
            program = await self._program(attack, Path(folder))
            job = replace(self._job, bench=replace(self._bench, program=program))
            score = await run_trial(job, trial, CONFIGS[attack.config])
        after = Aftermath(score, job.home.trial(trial), time.monotonic() - began)
        trouble = "; ".join(filter(None, (*_wrong(attack, after), *map(left, places))))
        return Outcome(attack, _observed(after), trouble, after.wall_s)

    async def _program(self, attack: Attack, folder: Path) -> AgentProgram:
        files = await self._bench.hidden.solution_files(TASK, HELD)
        files = {name: text + "\n\n" + attack.library for name, text in files.items()}
        if attack.config == "red":
            text = (self._bench.upstream / "tinydb/queries.py").read_text()
            files["tinydb/queries.py"] = text.replace("value >= rhs", "value > rhs")
        script = folder / "script.py"
        head = PRELUDE.format(files=files, job=str(self._job.home.path))
        await anyio.Path(script).write_text(head + attack.script)
        bench = self._bench
        program = stub_program("evil", script)
        return await shelter(program, bench.sandbox, self._cache, bench.environment.binds)


def _observed(after: Aftermath) -> str:
    score = after.score
    stops = "" if score.hook_calls is None else f"; {score.hook_calls} stops"
    seen = f"; tampered: {', '.join(score.tampered)}" if score.tampered else ""
    return f"{' '.join(after.passing) or 'nothing'} pass; {score.status}{stops}{seen}"


def _wrong(attack: Attack, after: Aftermath) -> Iterator[str]:
    score = after.score
    if after.passing != attack.deserves:
        yield f"passes {after.passing}, deserves {attack.deserves}"
    if score.status != attack.status:
        yield f"status {score.status} ({score.why}), not {attack.status}"
    seen = "\n".join(score.tampered)
    if (attack.tampered not in seen) if attack.tampered else seen:
        yield f"tampered {seen!r}, not {attack.tampered!r}"
    yield attack.check(after)


def left(place: Path) -> str:
    """What is left of a trial: files, or processes that still see its directory."""
    if place.exists():
        return f"left {place}"
    pids = (entry.name for entry in os.scandir("/proc") if entry.name.isdigit())
    seen = [pid for pid in pids if _sees(pid, place)]
    return f"left processes {seen}" if seen else ""


def _sees(pid: str, place: Path) -> bool:
    try:
        return f"{place}/".encode() in Path(f"/proc/{pid}/mountinfo").read_bytes()
    except OSError:
        return False


@asynccontextmanager
async def arena(cache: Path) -> AsyncIterator[Arena]:
    """Open one; the job lies in a directory of its own and goes in the end."""
    home = JobDir(Path(tempfile.mkdtemp(prefix=f"job-{secrets.token_hex(4)}-")))
    home.redactor.add(SECRET)
    means = Means(cache, os.environ["PATH"], roles=False, secrets=(SECRET,), disk=DISK)
    noted = mock.patch.object(surroundings, "private_directory", _noted_directory)
    try:
        with noted:
            async with open_bench(Choice(agent="nop"), means, home.trees) as bench:
                await bench.settle_trees()
                with Journal(home.journal, home.redactor) as journal:
                    yield Arena(bench, Job(bench, home, journal, Nobody()), cache)
    finally:
        shutil.rmtree(home.path, ignore_errors=True)

"""A running trial: what it was given, and what it has found so far."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from gatebench.agents.result import WorkerResult
from gatebench.gates.base import Gate
from gatebench.model.score import Session, WriterOutcome
from gatebench.model.task import PromptVariant, Task
from gatebench.model.trial import Config, TrialId
from gatebench.model.verdict import SuiteRun, Verdict
from gatebench.sandbox import DiskBounds
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir
from gatebench.suites.waiting import Waiters, open_waiters
from gatebench.trial.bench import Bench, private_directory
from gatebench.trial.progress import Teller, Watcher
from gatebench.trial.shadows import Shadows
from gatebench.trial.sites import Ledger, Sites
from gatebench.trial.stop_log import StopLog
from gatebench.trial.verdicts import Verdicts


@dataclass(frozen=True)
class Job:
    """What the trials of one invocation share."""

    bench: Bench
    home: JobDir
    journal: Journal
    watcher: Watcher


@dataclass(frozen=True)
class Around:
    """What is there as long as an attempt lasts, and gone when it ends."""

    place: Path
    """A private directory with a short, random name."""
    waiters: Waiters
    """Runs of pytest that are started before their tree is there."""
    group: TaskGroup
    """What goes on beside the trial's steps."""


@asynccontextmanager
async def surroundings(bench: Bench) -> AsyncIterator[Around]:
    """What an attempt has around it; on leaving, all that went on beside it has ended."""
    with private_directory() as place:
        async with (
            open_waiters(bench.sandbox, bench.environment) as waiters,
            anyio.create_task_group() as group,
        ):
            yield Around(place, waiters, group)


@dataclass
class Run:
    """One attempt of one trial, while it runs."""

    bench: Bench
    home: TrialDir
    config: Config
    place: Path
    """A private directory with a short, random name; gone when the trial ends."""
    task: Task
    sites: Sites
    ledger: Ledger
    log: StopLog
    verdicts: Verdicts
    shadows: Shadows
    teller: Teller
    waiters: Waiters
    attempt: int
    started_at: float = field(default_factory=time.time)

    status: str = "ok"
    why: str = ""
    start_tree: str = ""
    """The tree the worker finds: pristine, or with the injection."""
    pristine_tree: str = ""
    gates: tuple[Gate, ...] = ()
    result: WorkerResult | None = None
    session: Session | None = None
    """What the session came to, once it has ended."""
    final_tree: str | None = None
    final: Verdict | None = None
    suite: SuiteRun | None = None
    writer: WriterOutcome | None = None
    hook_wall_s: float = 0.0
    gate_crashes: int = 0
    disk: DiskBounds = field(default_factory=DiskBounds)
    """What the agent's writable places may hold."""
    budgets: dict[str, float] | None = None
    """The trial's own, where one of them was used up."""
    limit: str = ""
    """The limit that the agent broke, which ended its session."""
    tampered: list[str] = field(default_factory=list)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Start and end of each step, seconds since the epoch."""

    @classmethod
    def begin(cls, job: Job, home: TrialDir, config: Config, around: Around) -> "Run":
        """Set a trial up, or take an interrupted one up again; nothing is started yet."""
        attempt = home.attempt
        log = StopLog(home, job.journal, attempt)
        ledger = Ledger(lambda call: log.event("call", **call.model_dump(mode="json")), log.sent)
        teller = Teller(job.watcher, home.id)
        sites = Sites(
            job.bench, home.id, config, ledger, home.redactor.add, attempt, waits=teller.waits
        )
        return cls(
            bench=job.bench,
            home=home,
            config=config,
            place=around.place,
            task=job.bench.suite.task(home.id.task),
            sites=sites,
            ledger=ledger,
            log=log,
            disk=job.bench.means.disk,
            verdicts=Verdicts(job.bench, home, log, around.group, around.waiters),
            shadows=Shadows(log, around.group),
            teller=teller,
            waiters=around.waiters,
            attempt=attempt,
        )

    @property
    def id(self) -> TrialId:
        """Which trial it is."""
        return self.home.id

    @property
    def gated(self) -> bool:
        """Whether a Stop hook is set."""
        return self.config.hooked

    @property
    def work(self) -> Path:
        """The work copy."""
        return self.place / "w"

    @property
    def variant(self) -> PromptVariant:
        """How the task is put."""
        return self.sites.variant

    def broke(self, status: str, why: str) -> None:
        """Something of ours broke; the first cause stays."""
        if self.status == "ok":
            self.status, self.why = status, why
        self.log.event("fault", status=status, why=why)

    def doing(self, what: str, stop: int | None = None) -> None:
        """Tell whoever watches."""
        self.teller.doing(what, stop, self.spent_usd)

    @property
    def spent_usd(self) -> float | None:
        """What the gates have cost so far; the worker tells its cost only at its end."""
        gates = (*self.gates, *self.shadows.gates)
        outcomes = (getattr(gate, "writer_outcome", None) for gate in gates)
        parts = [o.cost_usd for o in outcomes if isinstance(o, WriterOutcome)]
        said = (g for s in self.log.stops for g in (*s.gates, *s.shadow))
        parts += [g.cost_usd for g in said if g.cost_usd is not None]
        return sum(p for p in parts if p is not None) if parts else None

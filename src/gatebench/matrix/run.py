"""Run a job: claim its directory, lock it, run what isn't done, in lanes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from gatebench.matrix.allowance import Allowance
from gatebench.matrix.executors import Executor, Where, opener_of
from gatebench.matrix.hold import Hold
from gatebench.matrix.left import left_of
from gatebench.matrix.lock import Past, make_lock, reconcile
from gatebench.matrix.room import Room, disks_of
from gatebench.matrix.runner import Limits, Runner, now
from gatebench.matrix.schedule import Drain, Pace, follow_file, run_lanes
from gatebench.matrix.spent import LOST, at_most_usd, untold
from gatebench.model.job import JobData
from gatebench.model.matrix import Lock, Matrix
from gatebench.model.score import Score
from gatebench.model.trial import TrialId
from gatebench.model.usage import Sent
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal, read_lines
from gatebench.store.reading import load_job
from gatebench.trial.bench import Bench, Means, open_bench
from gatebench.trial.lifecycle import Job
from gatebench.trial.progress import Watcher
from gatebench.trial.ready import check_ready, config_digests


def _untold(_what: str) -> None:
    """Nobody listens."""


class JobWatcher(Watcher, Protocol):
    """A watcher that is told what was there at the start."""

    def begin(self, job: JobData) -> None:
        """The job before anything is started."""


@dataclass(frozen=True)
class Order:
    """What is to be run, where and how."""

    matrix: Matrix
    home: JobDir
    means: Means
    lanes: int = 3
    drain: Drain = field(default_factory=Drain)
    allowance: Allowance = field(default_factory=Allowance)
    hold: Hold = field(default_factory=Hold)
    where: Where = field(default_factory=Where)
    tell: Callable[[str], None] = _untold
    """Gets what the whole job waits for; nothing when that is over."""
    keep_old: bool = False
    """Finished trials of another lock stay, marked."""


@dataclass(frozen=True)
class Report:
    """What a run came to."""

    job: JobData
    scores: dict[TrialId, Score]
    """Scores of the trials asked for that are done."""
    asked: tuple[TrialId, ...]
    stopped: str = ""
    """Why no more trials were started, where that was asked for or something was used up."""

    @property
    def unfinished(self) -> int:
        """Trials asked for that have no score."""
        return len(self.asked) - len(self.scores)

    @property
    def broken(self) -> dict[TrialId, Score]:
        """Trials that a fault of ours made invalid."""
        return {trial: s for trial, s in self.scores.items() if not s.valid}


async def run_job(order: Order, watcher: JobWatcher) -> Report:
    """Run every trial of the order that has no valid score yet.

    Raises:
        JobBusy: another invocation has the directory.
        JobMismatch: it belongs to another matrix.
        LookError: something the trials need isn't there.
        UsageError: a profile or a gate's settings that won't do; nothing was written then.
    """
    home = order.home
    for secret in order.means.secrets:
        home.redactor.add(secret)
    home.refuse_alien()
    open_executor = opener_of(order.where.name)
    async with open_bench(order.matrix.choice, order.means, home.trees) as bench:
        check_ready(bench, order.matrix.tasks, order.matrix.configs)
        with home.claimed():
            _lock(order, bench)
            await bench.settle_trees()
            watcher.begin(load_job(home))
            wanted = order.matrix.trials()
            with Journal(home.journal, home.redactor) as journal:
                journal.append({"event": "invoked", "at": now(), "trials": len(wanted)})
                _note_lost(order, journal)
                job = Job(bench, home, journal, watcher)
                todo = left_of(order.matrix, home, bench.budgets)
                async with open_executor(order.where, job, order.drain, order.hold) as executor:
                    await _run_all(order, job, executor, todo)
        return _report(order, wanted)


async def _run_all(order: Order, job: Job, executor: Executor, todo: list[TrialId]) -> None:
    """In lanes, whose number may change on the way; what was spent before counts."""
    for trial in set(order.matrix.trials()) - set(todo):
        before = order.home.trial(trial).score()
        if before is not None:
            order.allowance.take(before, order.drain)
    pace = Pace(order.lanes)
    disks = disks_of(order.home.path, order.means.cache)
    room = Room(disks, order.hold.patience_s, order.tell)
    limits = Limits(order.drain, order.allowance, order.hold, room, pace)
    runner = Runner(job, executor, limits, order.matrix.config)
    async with anyio.create_task_group() as group:
        group.start_soon(follow_file, pace, order.home.path)
        await run_lanes(todo, pace, runner.run, order.drain)
        group.cancel_scope.cancel()


def _note_lost(order: Order, journal: Journal) -> None:
    """Note calls that were on their way when an invocation was killed; say what they may cost."""
    if order.matrix.choice.simulated:
        return
    lost = untold(read_lines(order.home.journal).entries)
    for entry, _ in lost:
        journal.append({**entry, "event": LOST})
    if lost:
        order.tell(_said_of_lost([sent for _, sent in lost]))


def _said_of_lost(lost: list[Sent]) -> str:
    if any(sent.at_most_usd is None for sent in lost):
        most = "which nobody can tell"
    else:
        most = f"at most ${at_most_usd(lost):.2f}, which the budget counts as spent"
    return (
        f"{len(lost)} calls were on their way when an earlier invocation was killed; what they "
        f"cost is uncertain, {most}"
    )


def _lock(order: Order, bench: Bench) -> None:
    """Reconcile with what the directory holds, and write it down; an old lock is kept."""
    home = order.home
    digests = {**bench.digests, **config_digests(bench, order.matrix.configs)}
    old, new = home.lock(), make_lock(order.matrix, digests, bench.suite.tasks)
    past = None
    if old is not None:
        past = Past(old, str(home.path), _finished(home, old), keep=order.keep_old)
    lock = reconcile(past, new)
    if old is not None and lock.kept != old.kept:
        home.keep_lock(lock.kept[-1].lock)
        for trial in old.matrix.trials():
            if home.trial(trial).session() is not None:
                home.trial(trial).begin_attempt()  # it was of the old lock, and isn't done
    home.save_lock(lock)


def _finished(home: JobDir, lock: Lock) -> tuple[str, ...]:
    scores = {t: home.trial(t).score() for t in lock.matrix.trials()}
    return tuple(str(trial) for trial, score in scores.items() if score is not None and score.valid)


def _report(order: Order, asked: tuple[TrialId, ...]) -> Report:
    home = order.home
    scores = {t: home.trial(t).score() for t in asked}
    done = {t: s for t, s in scores.items() if s is not None}
    return Report(load_job(home), done, asked, order.drain.why)

"""Replay gates on a job's stored snapshots: no worker runs, and no look is made twice."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from gatebench.errors import HarnessFault, JobMismatch
from gatebench.gateway import spent_usd
from gatebench.matrix.allowance import Allowance
from gatebench.matrix.replay_plan import DECIDES, Plan, Visit, extended, is_there, missing
from gatebench.matrix.schedule import Drain, Pace, follow_file, run_lanes
from gatebench.model.matrix import Choice, Lock
from gatebench.model.replay import Look, State
from gatebench.model.trial import Config
from gatebench.model.usage import Call
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal, read_lines
from gatebench.store.replay_dir import ReplayDir, replay_dir
from gatebench.trial.bench import Bench, Means, open_bench
from gatebench.trial.desk import Till
from gatebench.trial.looks import Onlooker, Place
from gatebench.trial.ready import check_ready
from gatebench.trial.states import Wanted, settle


class LookWatcher(Protocol):
    """Is told how a replay goes on."""

    def begin(self, planned: int, done: int, agent: str) -> None:
        """Before the first look."""

    def looked(self, look: Look) -> None:
        """After each."""


@dataclass(frozen=True)
class ReplayOrder:
    """What is to be replayed, where and how."""

    plan: Plan
    home: JobDir
    means: Means
    lanes: int = 3
    drain: Drain = field(default_factory=Drain)
    allowance: Allowance = field(default_factory=Allowance)


@dataclass(frozen=True)
class ReplayReport:
    """What a replay came to."""

    planned: int
    left: int
    """Looks that are still to be made."""
    made: int
    """By this invocation."""
    calls: Mapping[str, int]
    """Requests through the gateway by this invocation, by role."""
    spent_usd: float
    """Known dollars, earlier invocations included."""
    stopped: str = ""
    """Why no more looks were begun."""
    faults: tuple[str, ...] = ()
    """Looks that a fault of ours, or of the way to the model, spoiled."""
    notes: tuple[str, ...] = ()
    """What a reader must know beside the table."""


async def replay_job(order: ReplayOrder, watcher: LookWatcher) -> ReplayReport:
    """Make every look of the plan that isn't there yet.

    Raises:
        JobBusy: another invocation has the job.
        JobMismatch: the suite is another one now, or the looks that are there are.
        LookError: something the gates need isn't there, a snapshot for one.
        UsageError: a gate's settings that won't do; nothing was written then.
    """
    home, plan = order.home, order.plan
    for secret in order.means.secrets:
        home.redactor.add(secret)
    with home.claimed():
        async with open_bench(_choice(plan), order.means, home.trees) as bench:
            replay = replay_dir(home)
            lock = extended(replay.lock(), plan, _digests(bench, plan.lock, home))
            check_ready(bench, plan.lock.matrix.tasks, _configs(plan))
            replay.save_lock(lock)
            await bench.trees.create()
            with Journal(replay.journal, home.redactor) as journal:
                configs = {c.name: c for c in plan.lock.matrix.configs}
                runner = _Runner(order, Place(bench, replay, journal, configs), watcher)
                return await runner.run()


def _choice(plan: Plan) -> Choice:
    """The job's own, but that nothing is injected any more: the snapshots hold it."""
    return plan.lock.matrix.choice.model_copy(update={"inject": None})


def _digests(bench: Bench, lock: Lock, home: JobDir) -> dict[str, str]:
    """What decides a look; of it, what the job itself is locked to must not have changed.

    Raises:
        JobMismatch: it has.
    """
    now = bench.digests
    names = [n for n in (*DECIDES, "hidden") if n != "profile" or bench.choice.scripted]
    changed = [n for n in names if lock.digests.get(n) != now[n]]
    if changed:
        raise JobMismatch(
            f"{home.path} belongs to another {', another '.join(changed)}: its truths and new "
            "looks can't stand in one table.",
            "Restore what was changed; after a change of the hidden tests alone, rescore the job.",
        )
    agent = bench.roles.version if bench.roles else None
    return {**{n: now[n] for n in names if n != "hidden"}, "agent": agent or "none"}


def _configs(plan: Plan) -> list[Config]:
    """Each gate as a config of its own, to be tried before anything is written."""
    return [
        Config(
            name="replay",
            gates=(spec.gate,),
            settings={spec.gate: spec.settings},
            profile=spec.profile,
        )
        for spec in plan.specs
    ]


@dataclass
class _Runner:
    order: ReplayOrder
    place: Place
    watcher: LookWatcher
    made: int = 0
    tills: list[Till] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    states: dict[str, State] = field(default_factory=dict)

    async def run(self) -> ReplayReport:
        """Settle the states, then visit them."""
        order, plan = self.order, self.order.plan
        planned = sum(1 for _ in plan.looks())
        left = missing(order.home, plan)
        roles = self.place.bench.roles
        self.place.journal.append({"event": "invoked", "at": _now(), "looks": left})
        self.watcher.begin(planned, planned - left, roles.version if roles else "none")
        order.allowance.spend(self._spent_before(), order.drain)
        lanes = Pace(order.lanes)
        async with anyio.create_task_group() as group:
            group.start_soon(follow_file, lanes, order.home.path)
            await run_lanes(plan.wanted, lanes, self._settle, order.drain)
            await run_lanes(plan.visits, lanes, self._visit, order.drain)
            group.cancel_scope.cancel()
        return self._report(planned)

    @property
    def _replay(self) -> ReplayDir:
        return self.place.home

    def _spent_before(self) -> float:
        """Dollars of earlier invocations; with a real model those of calls that were lost too."""
        if self.place.bench.choice.scripted:
            return self._replay.spent_usd()
        entries = read_lines(self._replay.journal).entries
        return spent_usd(_call(entry) for entry in entries if entry.get("event") == "call")

    async def _settle(self, wanted: Wanted) -> None:
        state = await settle(self.place.bench, self._replay, wanted)
        if state is not None:
            self.states[wanted.id] = state

    async def _visit(self, visit: Visit) -> None:
        """Every gate at every state of one subject; a fault costs the gate, not the visit."""
        states = [self.states[w.id] for w in visit.subject.wanted if w.id in self.states]
        for spec in self.order.plan.specs:
            there = {s.id: is_there(self._replay, visit, spec, s.id) for s in states}
            onlooker = Onlooker(self.place, visit.subject, spec, visit.time)
            self.tills.append(onlooker.till)
            try:
                await self._go_through(onlooker, states, there)
            except HarnessFault as fault:
                self.faults.append(fault.message)
                event = {"event": "fault", "subject": visit.subject.id, "spec": spec.id}
                self.place.journal.append({**event, "why": str(fault)})

    async def _go_through(
        self, onlooker: Onlooker, states: Sequence[State], there: Mapping[str, bool]
    ) -> None:
        """The states in order; those that were looked at before are passed by, as far as needed."""
        left = [n for n, state in enumerate(states) if not there[state.id]]
        for n, state in enumerate(states):
            if self.order.drain.wanted or not left or n > left[-1]:
                return
            if there[state.id]:
                await onlooker.pass_by(state)
            else:
                await self._look(onlooker, state)

    async def _look(self, onlooker: Onlooker, state: State) -> None:
        before = onlooker.till.spent_usd
        try:
            look = await onlooker.look(state)
        finally:
            spent = onlooker.till.spent_usd - before
            self.order.allowance.spend(spent, self.order.drain)
        self.made += 1
        self.place.journal.append(
            {"event": "looked", "state": state.id, "spec": look.spec, "time": look.time}
        )
        self.watcher.looked(look)

    def _report(self, planned: int) -> ReplayReport:
        order = self.order
        gone = {w.id for w in order.plan.wanted} - set(self.states)
        without = [] if order.drain.wanted else sorted(gone)
        left = sum(
            not is_there(self._replay, visit, spec, w.id)
            for visit, spec, w in order.plan.looks()
            if w.id not in without
        )
        notes = [f"{name}: the suite has no such solution" for name in without]
        return ReplayReport(
            planned=planned,
            left=left,
            made=self.made,
            calls=sum((till.calls for till in self.tills), Counter()),
            spent_usd=order.allowance.spent_usd,
            stopped=order.drain.why,
            faults=tuple(self.faults),
            notes=tuple(notes),
        )


def _call(entry: Mapping[str, Any]) -> Call:
    """A model call as the journal holds it."""
    ours = {"event", "subject", "spec", "time"}
    return Call.model_validate({k: v for k, v in entry.items() if k not in ours})


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

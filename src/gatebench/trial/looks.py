"""One gate at stored snapshots, without a worker: made ready as in a trial, and asked again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gatebench.gates.base import Gate, StopView
from gatebench.gates.registry import make_gate
from gatebench.gates.runner import run_gates
from gatebench.hook.server import STOP_LIMIT_S
from gatebench.model.replay import Kind, Look, Prepared, Spec, State, asks
from gatebench.model.stop import GateResult, GateStatus, StopRecord
from gatebench.model.trial import Config
from gatebench.model.usage import Call
from gatebench.store.journal import Journal
from gatebench.store.replay_dir import LOOK, PREPARED, ReplayDir, Shelf
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.bench import Bench
from gatebench.trial.desk import Desk, KeptCalls, LostCall, Till, lost
from gatebench.trial.gates import ground_of
from gatebench.trial.sites import Ledger, Sites
from gatebench.trial.states import Subject


@dataclass(frozen=True)
class Place:
    """Where all that is looked at is kept."""

    bench: Bench
    home: ReplayDir
    journal: Journal
    configs: Mapping[str, Config]
    """The recorded trials' configs by name."""


@dataclass
class Onlooker:
    """One gate, over the states of one subject, at one time."""

    place: Place
    subject: Subject
    spec: Spec
    time: int
    till: Till = field(default_factory=Till)
    _gate: Gate | None = None
    _desk: Desk | None = None

    async def pass_by(self, state: State) -> None:
        """Go on past a stop that was looked at by an earlier invocation.

        A gate that counts (one that blocks once, say) must be where it was. One that asked
        somebody isn't asked again: it would have to be paid again.
        """
        kept = self.place.home.look(state.id, self.spec.id, self.time).load(LOOK, Look)
        if state.kind is not Kind.STOP or kept is None or kept.calls or kept.apart_usd:
            return
        gate, desk = await self._ready(state)
        desk.write_to = None
        await run_gates([gate], self._view(state), run_all=False, doing=_unheard)

    async def look(self, state: State) -> Look:
        """Ask the gate about one state, and file what it says.

        Raises:
            LostCall: the way to the model broke; nothing is filed.
            HarnessFault: the gate can't be made ready.
        """
        gate, desk = await self._ready(state)
        shelf = self.place.home.look(state.id, self.spec.id, self.time)
        desk.write_to = shelf
        desk.memory.shelf = self.place.home.calls(state.id, self.time)
        desk.memory.used_usd.clear()
        before = len(desk.ledger.calls)
        (result,) = await run_gates([gate], self._view(state), run_all=False, doing=_unheard)
        calls = desk.ledger.calls[before:]
        self._check(calls)
        look = self._look(state, result, calls, desk.memory.used_usd)
        self.till.spent_usd += look.apart_usd or 0.0
        shelf.save(LOOK, look)
        return look

    def _look(
        self, state: State, result: GateResult, calls: list[Call], used: list[float | None]
    ) -> Look:
        then = self._then(state)
        roles = [call.role.value for call in calls]
        return Look(
            state=state.id,
            spec=self.spec.id,
            time=self.time,
            tree=state.tree,
            result=result,
            simulated=self.place.bench.choice.simulated,
            recorded=then.status if then else None,
            same=_said(then) == _said(result) if then else None,
            apart_usd=_apart(result.cost_usd, used, asked=bool(calls)),
            calls={role: roles.count(role) for role in dict.fromkeys(roles)},
        )

    def _view(self, state: State) -> StopView:
        """The stop, with what the agent's program gave its hook then."""
        home = self.subject.home
        given = home.read(f"hook-input-{state.n}.json") if home else None
        return StopView(state.n, state.tree, (), STOP_LIMIT_S, given)

    def _then(self, state: State) -> GateResult | None:
        """What this very gate said at this stop in the trial."""
        if not self._is_recorded or self.subject.home is None:
            return None
        stops: Mapping[int, StopRecord] = {s.n: s for s in self.subject.home.stops()}
        stop = stops.get(state.n)
        gates = (*stop.gates, *stop.shadow) if stop else ()
        spoken = (g for g in gates if g.status is not GateStatus.SKIPPED)
        return next((g for g in spoken if g.name == self.spec.gate), None)

    @property
    def _is_recorded(self) -> bool:
        """Whether the trial had this gate, asked just so, and this is that time."""
        if self.time != 1 or self.subject.home is None:
            return False
        config = self.place.configs[self.subject.trial.config]
        return asks(config, self.spec, self.place.bench.choice)

    async def _ready(self, state: State) -> tuple[Gate, Desk]:
        """The gate, made ready; one for all stops of a trial, a new one for each planted state."""
        if self._gate is None or self._desk is None or state.kind is not Kind.STOP:
            self._gate, self._desk = await self._make(state)
        return self._gate, self._desk

    async def _make(self, state: State) -> tuple[Gate, Desk]:
        kept = self.place.home.preparation(self.subject.id, self.spec.id, self.time)
        read: Callable[[str], bytes | None] = kept.read
        if self._is_recorded and self.subject.home is not None:
            read = _labelled(self.subject.home, self.spec.gate)
        elif kept.load(PREPARED, Prepared) is None:
            await self._prepare(state, kept)
        gate, desk = self._seat(state, read, _mark(self.subject, state.id, self.time))
        await gate.recall()
        return gate, desk

    async def _prepare(self, state: State, kept: Shelf) -> None:
        """Let the gate prepare, and file that it did: from then on it is recalled."""
        gate, desk = self._seat(state, kept.read, _mark(self.subject, self.subject.id, self.time))
        desk.write_to = kept
        await gate.prepare()
        self._check(desk.ledger.calls)
        outcome = getattr(gate, "writer_outcome", None)
        cost = getattr(outcome, "cost_usd", None) if desk.ledger.calls else 0.0
        self.till.spent_usd += cost or 0.0
        record = Prepared(subject=self.subject.id, spec=self.spec.id, time=self.time, cost_usd=cost)
        kept.save(PREPARED, record)

    def _seat(
        self, state: State, read: Callable[[str], bytes | None], mark: str
    ) -> tuple[Gate, Desk]:
        place, spec = self.place, self.spec
        ledger = Ledger(self._note)
        shelf = place.home.calls(state.id, self.time)
        desk = Desk(shelf, KeptCalls(shelf, ledger, self.till, spec.profile or ""), ledger)
        task = place.bench.suite.task(state.task)
        config, hide = self._config(state), place.home.redactor.add
        known = frozenset(task.requirement_ids) if state.kind is Kind.SECOND else None
        sites = Sites(
            place.bench, self.subject.trial, config, ledger, hide, mark=mark, satisfied=known
        )
        ground = replace(
            ground_of(place.bench, task, sites),
            start_tree=state.start_tree,
            write=desk.write,
            read=read,
            settings=spec.settings,
            memory=desk.memory,
        )
        return make_gate(spec.gate, ground), desk

    def _config(self, state: State) -> Config:
        spec = self.spec
        return Config(
            name=self.subject.trial.config,
            gates=(spec.gate,),
            settings={spec.gate: spec.settings},
            prompt=state.prompt or spec.prompt,
            profile=spec.profile,
            reviewer_model=spec.reviewer_model,
            writer_model=spec.writer_model,
        )

    def _note(self, call: Call) -> None:
        who = {"subject": self.subject.id, "spec": self.spec.id, "time": self.time}
        self.till.calls[call.role.value] += 1
        self.place.journal.append({"event": "call", **who, **call.model_dump(mode="json")})

    def _check(self, calls: list[Call]) -> None:
        why = lost(calls)
        if why:
            raise LostCall(f"{self.subject.id}, {self.spec.gate}: {why}.", "Run it again.")


def _labelled(home: TrialDir, gate: str) -> Callable[[str], bytes | None]:
    """What a gate had filed in its trial; one with a name of its own files by it."""
    label = gate.partition(":")[2]
    return lambda name: home.read(f"{label}-{name}" if label else name)


def _unheard(_name: str) -> None:
    """Nobody watches the gates of a look."""


def _mark(subject: Subject, name: str, time: int) -> str:
    """Whose draws: the trial's own at time 1; a planted state and every other time draw anew."""
    if subject.home is not None:
        return "" if time == 1 else f"t{time}"
    return f"{name.partition('/')[2]}.t{time}"


def _said(result: GateResult) -> list[Any]:
    """What a gate said, but for times and costs."""
    detail = result.detail
    reviews = [(r["id"], r["findings"], r["rulings"]) for r in detail.get("reviewers", ())]
    return [result.status, reviews, detail.get("failing")]


def _apart(cost: float | None, used: list[float | None], *, asked: bool) -> float | None:
    """What a look cost beyond its kept calls; unknown where it asked somebody and tells no cost."""
    known = [usd for usd in used if usd is not None]
    if len(known) < len(used) or (cost is None and not asked):
        return 0.0
    return None if cost is None else max(0.0, round(cost - sum(known), 6))

"""A trial's doors to the model: who may speak, as whom, and what it used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from gatebench.agents.clock import Stopwatch
from gatebench.agents.login import Login
from gatebench.gateway import Engine, Relay, Request, ScriptedEngine, SiteSpec, digest
from gatebench.gateway.site import Waiting
from gatebench.model.matrix import Choice
from gatebench.model.seeds import derive, trial_seed
from gatebench.model.task import PromptVariant
from gatebench.model.trial import Config, TrialId
from gatebench.model.usage import Call, Role, Sent
from gatebench.team import Seat
from gatebench.trial.bench import Bench, material_missing, private_directory

SIMULATED_MODEL = "simulated"
"""The model's name where a script speaks; nothing that is sold has it."""


@dataclass
class Ledger:
    """Every model call of one trial."""

    note: Callable[[Call], None]
    """Where each call goes at once."""
    sent: Callable[[Sent], None] = lambda _sent: None
    """Where each call that costs goes when it is sent."""
    calls: list[Call] = field(default_factory=list)
    first_request: str | None = None
    """Digest of the worker's first request, but for its metadata."""
    closings: int = 0
    """Answers to the worker that call no tool: an agent stops after one of these, or not at all."""

    foreign: int = 0
    """Calls by another process than the agent's own program."""

    def sink(self, call: Call, request: Request) -> None:
        """Take one call in."""
        self.calls.append(call)
        # A request without tools is an aside (a title for the session), no turn of the agent's; one
        # of another process is no turn either, whoever asked for it.
        self.foreign += call.foreign
        if call.role is Role.WORKER and request.get("tools") and not call.foreign:
            self.first_request = self.first_request or digest(request)
            self.closings += call.stop_reason not in {None, "tool_use"}
        self.note(call)

    def called(self, role: Role) -> bool:
        """Whether a role has made any call."""
        return any(call.role is role for call in self.calls)

    def served(self) -> frozenset[str]:
        """Every model that answered any role."""
        return frozenset(c.model_served for c in self.calls if c.model_served is not None)


def _nothing_hidden(_token: str) -> None:
    """Where nothing is stored."""


@dataclass(frozen=True)
class Door:
    """A call's way to its model: a site of the gateway's, or the user's own login."""

    base_url: str = ""
    login: Login | None = None
    clock: Stopwatch | None = None
    """Counts the call's own time: the gateway's waits are none of it."""


@dataclass(frozen=True)
class Sites:
    """Opens a trial's sites."""

    bench: Bench
    trial: TrialId
    config: Config
    ledger: Ledger
    hide: Callable[[str], None] = _nothing_hidden
    """Gets each token: it is to be kept out of what is stored."""
    attempt: int = 1
    label: str = ""
    """Tells the calls of a gate with a name of its own from those of others in the same role."""
    mark: str = ""
    """Sets these sites apart from the trial's own: other names, other draws of the team."""
    satisfied: frozenset[str] | None = None
    """Told to the simulated team where the work is of another hand than the suite's material."""
    waits: Waiting = nullcontext
    """Told what a call of any role waits for."""

    @contextmanager
    def open(
        self,
        role: Role,
        stop: int | None = None,
        retry: int = 0,
        clock: Stopwatch | None = None,
    ) -> Iterator[Door]:
        """A way for one call of a role; afterwards its token is refused, its login's copy gone.

        Args:
            role: who calls.
            stop: at which stop.
            retry: 1 when the call is made again.
            clock: stands still while the gateway waits for reasons that are not the model's.
        """
        if self.bench.login is not None:
            with private_directory() as place:
                yield Door(login=self.bench.login.copied(place / "c"))
            return
        parts = (self.trial, role.value, stop, retry or None, self.mark, self.label)
        name = "/".join(str(p) for p in parts if p)
        engine = self._engine(name, role, stop, retry)
        clock = clock or Stopwatch()
        waiting = self._both(clock)
        spec = SiteSpec(name, role, engine, stop, self.ledger.sink, waiting, self.ledger.sent)
        site = self.bench.gateway.open_site(spec)
        self.hide(site.token)
        try:
            yield Door(site.base_url, clock=clock)
        finally:
            self.bench.gateway.close_site(site)

    def _both(self, clock: Stopwatch) -> Waiting:
        """The caller's clock stands still, and whoever watches is told why."""

        @contextmanager
        def wait(what: str) -> Iterator[None]:
            with clock.paused(), self.waits(what):
                yield

        return wait

    def _engine(self, name: str, role: Role, stop: int | None, retry: int) -> Engine | Relay:
        """A seat of the simulated team, or a way to a real model."""
        ways = self.bench.ways
        if ways is None and self.bench.choice.scripted:
            return ScriptedEngine(self._seat(role, stop, retry))
        if ways is None:
            raise ValueError("a site needs a way to its model")
        route = self.bench.means.upstreams.route(role, self.model(role))
        return ways.relay(name, role, route, self.attempt)

    @property
    def variant(self) -> PromptVariant:
        """How the task is put."""
        return self.config.prompt or self.bench.choice.prompt

    def model(self, role: Role) -> str:
        """The model asked for."""
        if self.bench.choice.scripted:
            return SIMULATED_MODEL
        return model_of(self.bench.choice, self.config, role) or SIMULATED_MODEL

    @property
    def seed(self) -> int:
        """What all draws here come from: the trial's own, unless these sites are marked."""
        seed = trial_seed(self.bench.choice.seed, self.trial)
        return derive(seed, self.mark) if self.mark else seed

    def _seat(self, role: Role, stop: int | None, retry: int) -> Seat:
        task = self.bench.suite.task(self.trial.task)
        material = self.bench.hidden.material(task.id)
        if material is None:
            raise material_missing(task.id)
        return Seat(
            role=role,
            seed=self.seed,
            profile=self.bench.profile(self.config.profile),
            material=material,
            stated=task.stated(self.variant),
            guards=task.guards,
            covered=task.covered,
            stop=stop,
            retry=retry,
            satisfied=self.satisfied,
        )


def upstream_of(choice: Choice, role: Role) -> str | None:
    """The server that a role's model is asked at; ``None`` is the provider's."""
    own = {Role.WORKER: None, Role.WRITER: choice.writer_upstream}
    return own.get(role, choice.reviewer_upstream) or choice.upstream


def model_of(choice: Choice, config: Config, role: Role) -> str | None:
    """The model that a role is to have; ``None`` where none was named."""
    worker = config.model or choice.model
    if role is Role.WORKER:
        return worker
    if role is Role.WRITER:
        return config.writer_model or choice.writer_model or worker
    return config.reviewer_model or choice.reviewer_model or worker


def usage_by_role(calls: list[Call]) -> dict[str, dict[str, Any]]:
    """Tokens by role, summed; a sum with an unknown part is ``None``."""
    roles: dict[str, dict[str, Any]] = {}
    for role in Role:
        mine = [c.usage.model_dump() for c in calls if c.role is role]
        if mine:
            sums = {key: _sum([m[key] for m in mine]) for key in mine[0]}
            roles[role.value] = {"calls": len(mine), **sums}
    return roles


def _sum(parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None

"""A trial's doors to the model: who may speak, as whom, and what it used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from gatebench.gateway import Engine, Relay, Request, ScriptedEngine, Site, SiteSpec, digest
from gatebench.gateway.site import Waiting
from gatebench.model.matrix import Choice
from gatebench.model.seeds import trial_seed
from gatebench.model.task import PromptVariant
from gatebench.model.trial import Config, TrialId
from gatebench.model.usage import Call, Role
from gatebench.team import Seat
from gatebench.trial.bench import Bench, material_missing

SIMULATED_MODEL = "simulated"
"""The model's name where a script speaks; nothing that is sold has it."""


@dataclass
class Ledger:
    """Every model call of one trial."""

    note: Callable[[Call], None]
    """Where each call goes at once."""
    calls: list[Call] = field(default_factory=list)
    first_request: str | None = None
    """Digest of the worker's first request, but for its metadata."""
    closings: int = 0
    """Answers to the worker that call no tool: an agent stops after one of these, or not at all."""

    def sink(self, call: Call, request: Request) -> None:
        """Take one call in."""
        self.calls.append(call)
        # A request without tools is an aside (a title for the session), no turn of the agent's.
        if call.role is Role.WORKER and request.get("tools"):
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
class Sites:
    """Opens a trial's sites."""

    bench: Bench
    trial: TrialId
    config: Config
    ledger: Ledger
    hide: Callable[[str], None] = _nothing_hidden
    """Gets each token: it is to be kept out of what is stored."""
    attempt: int = 1
    waits: Waiting = nullcontext
    """Told what a call of any role waits for."""

    @contextmanager
    def open(
        self,
        role: Role,
        stop: int | None = None,
        retry: int = 0,
        waiting: Waiting = nullcontext,
    ) -> Iterator[Site]:
        """A site for one call of a role; its token is refused afterwards.

        Args:
            role: who calls.
            stop: at which stop.
            retry: 1 when the call is made again.
            waiting: entered while the gateway waits for reasons that are not the model's.
        """
        name = "/".join(str(p) for p in (self.trial, role.value, stop, retry or None) if p)
        engine = self._engine(name, role, stop, retry)
        spec = SiteSpec(name, role, engine, stop, self.ledger.sink, self._both(waiting))
        site = self.bench.gateway.open_site(spec)
        self.hide(site.token)
        try:
            yield site
        finally:
            self.bench.gateway.close_site(site)

    def _both(self, own: Waiting) -> Waiting:
        @contextmanager
        def wait(what: str) -> Iterator[None]:
            with own(what), self.waits(what):
                yield

        return wait

    def _engine(self, name: str, role: Role, stop: int | None, retry: int) -> Engine | Relay:
        """A seat of the simulated team, or a way to a real model."""
        ways = self.bench.ways
        if ways is None:
            return ScriptedEngine(self._seat(role, stop, retry))
        route = self.bench.means.upstreams.route(role, self.model(role))
        return ways.relay(name, role, route, self.attempt)

    @property
    def variant(self) -> PromptVariant:
        """How the task is put."""
        return self.config.prompt or self.bench.choice.prompt

    def model(self, role: Role) -> str:
        """The model asked for."""
        if self.bench.choice.simulated:
            return SIMULATED_MODEL
        return _model(self.bench.choice, self.config, role) or SIMULATED_MODEL

    def _seat(self, role: Role, stop: int | None, retry: int) -> Seat:
        task = self.bench.suite.task(self.trial.task)
        material = self.bench.hidden.material(task.id)
        if material is None:
            raise material_missing(task.id)
        return Seat(
            role=role,
            seed=trial_seed(self.bench.choice.seed, self.trial),
            profile=self.bench.profile(self.config.profile),
            material=material,
            stated=task.stated(self.variant),
            guards=frozenset(r.id for r in task.requirements if r.guard),
            stop=stop,
            retry=retry,
        )


def _model(choice: Choice, config: Config, role: Role) -> str | None:
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

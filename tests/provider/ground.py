"""A provider, a gateway in front of it and a client in front of that."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import httpx
from push_pull import seat

from gatebench.gateway import (
    Credential,
    Gateway,
    Hooks,
    Limits,
    Live,
    Patience,
    Relay,
    Request,
    Route,
    ScriptedEngine,
    Secret,
    Site,
    SiteSpec,
    Upstream,
    Wallet,
)
from gatebench.gateway.site import Waiting
from gatebench.model.usage import Call, Role
from provider.server import KEY, Provider, serve

MODEL = "claude-sonnet-5-5"
NAME = "T1-g1-r1/worker"
QUICK = Patience(
    tries=4, wait_s=20, first_s=0.01, most_s=0.05, stall_s=10, connect_s=5, pause_s=10, whole_s=10
)
"""Tries again at once. A machine that is slow for a moment is no provider that fell silent."""
IMPATIENT = replace(QUICK, stall_s=0.3, connect_s=1, whole_s=1)
"""For a provider that falls silent on purpose."""
ASKED = {
    "model": MODEL,
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Add push and pull."}]},
        {"role": "system", "content": "# Environment\n - Primary working directory: /srv/copy"},
    ],
    "tools": [{"name": n} for n in ("Bash", "Edit", "Write", "Read", "Grep", "Glob")],
    "metadata": {"user_id": "somebody"},
}
AGENT = {
    "x-api-key": "the-agents-own",
    "authorization": "Bearer the-agents-own",
    "user-agent": "claude-cli/2.1.332 (external, sdk-cli)",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "one-2026-01-01,two-2026-02-02",
    "cookie": "a=b",
}


def asked(**changes: Any) -> dict[str, Any]:
    return {**ASKED, "stream": True, **changes}


async def team(request: dict[str, Any]) -> dict[str, Any]:
    """A worker of the simulated team."""
    engine = ScriptedEngine(seat())
    return await engine.answer(Site(SiteSpec("t", Role.WORKER, engine), "t"), request)


@dataclass
class Ground:
    """What a test acts on."""

    provider: Provider
    gateway: Gateway
    live: Live
    client: httpx.AsyncClient
    route: Route
    calls: list[tuple[Call, Request]] = field(default_factory=list)
    drained: list[tuple[str, str]] = field(default_factory=list)
    pauses: list[tuple[float, str]] = field(default_factory=list)
    holds: list[tuple[float, str]] = field(default_factory=list)
    base: str = ""

    def open(
        self, relay: Relay | None = None, name: str = NAME, waiting: Waiting = nullcontext
    ) -> Site:
        """A site of the worker's."""
        relay = relay or self.live.engine(self.route, name.partition("/")[0], Role.WORKER)
        spec = SiteSpec(name, Role.WORKER, relay, None, self._sink, waiting)
        site = self.gateway.open_site(spec)
        self.base = site.base_url
        return site

    async def post(self, body: Any = None, base: str | None = None) -> httpx.Response:
        """One call through the gateway, as the CLI makes it."""
        url = f"{base or self.base}/v1/messages?beta=true"
        return await self.client.post(url, json=asked() if body is None else body, headers=AGENT)

    @property
    def call(self) -> Call:
        """The only call."""
        ((call, _),) = self.calls
        return call

    def _sink(self, call: Call, request: Request) -> None:
        self.calls.append((call, request))


@dataclass
class Setup:
    """How a ground is made."""

    provider: Provider = field(default_factory=lambda: Provider(team))
    patience: Patience = QUICK
    limits: Limits = field(default_factory=Limits)
    key: str | None = KEY
    bearer: bool = False
    model: str = MODEL
    prefix: str = ""
    lanes: int = 16


def on_ground(tmp_path: Path, act: Callable[[Ground], Awaitable[None]], setup: Setup) -> Ground:
    """Act on a fresh ground; gives what it came to."""
    found: list[Ground] = []

    async def run() -> None:
        transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "model.sock"))
        async with serve(setup.provider) as url:
            credential = Credential(Secret(setup.key), setup.bearer) if setup.key else None
            route = Route(setup.model, Upstream(url + setup.prefix, credential))
            ground: Ground
            hooks = Hooks(
                on_pause=lambda left, why: ground.pauses.append((left, why)),
                on_hold=lambda left, why: ground.holds.append((left, why)),
                on_drain=lambda fault, why: ground.drained.append((fault.value, why)),
            )
            async with (
                Live(Wallet(setup.limits), setup.patience, hooks, setup.lanes) as live,
                Gateway(tmp_path / "model.sock") as gateway,
                httpx.AsyncClient(transport=transport, timeout=30) as client,
            ):
                ground = Ground(setup.provider, gateway, live, client, route)
                ground.open()
                found.append(ground)
                await act(ground)

    anyio.run(run)
    return found[0]

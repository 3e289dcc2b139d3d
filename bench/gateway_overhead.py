"""What the gateway adds to a model call: time to the first content, and processor time.

The loopback provider streams answers in pieces; a client asks it directly, through the gateway, and
through a bare relay that copies bytes and looks at nothing, in turn, so that a drift of the machine
falls on all. What the relay adds is the price of one more process in between (on a busy machine
most of it is waiting for a processor); the rest is the gateway's own. Processor time is measured in
processes of their own: the gateway's share is set against that of whole sessions of the real
command-line agent, which is what a trial spends on its calls. One session's processor time differs
from the next one's by a tenth and more, so it is several sessions' together; the shares of the
single ones are shown beside it.

    PYTHONPATH=tests python bench/gateway_overhead.py [--calls 200] [--sessions 5]
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
from cli_session import STREAM, Session, newest_cli
from provider import KEY, Provider, serve
from provider.ground import AGENT, MODEL, asked
from push_pull import FILE, PRISTINE, seat

from gatebench.gateway import (
    Credential,
    Gateway,
    Limits,
    Live,
    Route,
    ScriptedEngine,
    Secret,
    Site,
    SiteSpec,
    Upstream,
    Wallet,
)
from gatebench.model.usage import Role

LAG_S = 0.02
WARM_UP = 20
MOST_MS, MOST_SHARE = 5.0, 0.03
"""What the gateway may add: to the first content, to processor time."""


async def team(request: dict[str, Any]) -> dict[str, Any]:
    """A worker of the simulated team."""
    engine = ScriptedEngine(seat())
    return await engine.answer(Site(SiteSpec("t", Role.WORKER, engine), "t"), request)


async def provide() -> None:
    """The provider in a process of its own; tells its URL."""
    async with serve(Provider(team, lag_s=LAG_S)) as url:
        print(url, flush=True)
        await anyio.sleep_forever()


async def forward(upstream: str, socket: str) -> None:
    """The gateway in a process of its own; tells the site's URL, and when asked its times."""
    route = Route(MODEL, Upstream(upstream, Credential(Secret(KEY))))
    async with Live(Wallet(Limits())) as live, Gateway(Path(socket)) as gateway:
        site = gateway.open_site(SiteSpec("t", Role.WORKER, live.engine(route, "t", Role.WORKER)))
        print(site.base_url, flush=True)
        async for _ in anyio.wrap_file(sys.stdin):
            print(json.dumps(time.process_time()), flush=True)


async def relay(upstream: str, socket: str) -> None:
    """Copies bytes both ways in a process of its own: what any hop costs here."""
    parts = urlsplit(upstream)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection(parts.hostname, parts.port)
        await asyncio.gather(copy(reader, forth), copy(back, writer))

    server = await asyncio.start_unix_server(handle, socket)
    print("http://localhost", flush=True)
    await server.serve_forever()


class Child:
    """One of this script's own processes."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.told = self.read()

    def read(self) -> str:
        """Its next line."""
        if self.process.stdout is None:
            raise RuntimeError("the process has no output")
        return self.process.stdout.readline().strip()

    def cpu_s(self) -> float:
        """Its processor time."""
        if self.process.stdin is None:
            raise RuntimeError("the process has no input")
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.read())

    def end(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait()


async def first_content(client: httpx.AsyncClient, url: str) -> float:
    """Milliseconds until the first content has come; the rest is read too."""
    began = time.perf_counter()
    found = 0.0
    headers = {**AGENT, "x-api-key": KEY}
    async with client.stream("POST", f"{url}/v1/messages", json=asked(), headers=headers) as answer:
        seen = b""
        async for data in answer.aiter_raw():
            seen += data
            if not found and b"content_block_delta" in seen:
                found = (time.perf_counter() - began) * 1000
    return found


def by_socket(socket: str) -> httpx.AsyncClient:
    """A client of whoever listens there."""
    return httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=socket))


async def measure(provider: Child, gateway: Child, socket: str, calls: int) -> dict[str, float]:
    """All ways in turn."""
    direct: list[float] = []
    through: list[float] = []
    hop: list[float] = []
    async with httpx.AsyncClient() as one, by_socket(socket) as two, by_socket(f"{socket}.r") as by:
        for number in range(calls + WARM_UP):
            if number == WARM_UP:
                cpu_s = gateway.cpu_s()
            direct.append(await first_content(one, provider.told))
            through.append(await first_content(two, gateway.told))
            hop.append(await first_content(by, "http://localhost"))
    per_call = (gateway.cpu_s() - cpu_s) / calls
    hops = [b - a for a, b in zip(direct[WARM_UP:], hop[WARM_UP:], strict=True)]
    added = [b - a for a, b in zip(direct[WARM_UP:], through[WARM_UP:], strict=True)]
    return {
        "direct_ttft_ms": statistics.median(direct[WARM_UP:]),
        "added_ttft_ms": statistics.median(added),
        "added_by_a_bare_hop_ms": statistics.median(hops),
        "added_ttft_p10_ms": statistics.quantiles(added, n=10)[0],
        "added_ttft_p90_ms": statistics.quantiles(added, n=10)[-1],
        "gateway_cpu_ms_per_call": per_call * 1000,
    }


@dataclass(frozen=True)
class Spent:
    """Processor time of one session and of the gateway during it, in seconds."""

    agent_s: float
    gateway_s: float

    @property
    def share(self) -> float:
        """The gateway's over the agent's."""
        return self.gateway_s / self.agent_s


async def session(gateway: Child, socket: str, place: Path) -> Spent:
    """A real session.

    Without a sandbox: bubblewrap's first process takes the agent's times with it.
    """
    run = Session(newest_cli(), place, Path(socket), extra=(*STREAM, "--model", MODEL))
    run.set_up({FILE: PRISTINE[FILE]})
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(place / "home"),
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": gateway.told,
        "ANTHROPIC_UNIX_SOCKET": socket,
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    flags = ["-p", "Add push and pull to the operations.", "--setting-sources", "", *run.extra]
    tools = ["--tools", run.tools, "--allowedTools", run.tools]
    before, mine = os.times(), gateway.cpu_s()
    done = await anyio.run_process([run.cli, *flags, *tools], env=env, cwd=run.work)
    if b'"subtype":"success"' not in done.stdout:
        raise RuntimeError("the session failed")
    after = os.times()
    agent = sum(after[2:4]) - sum(before[2:4])
    return Spent(agent, gateway.cpu_s() - mine)


def told(found: dict[str, float], spent: list[Spent]) -> None:
    """Print the figures, and whether the bounds are held."""
    for name, value in found.items():
        print(f"{name:<24} {value:8.3f}")
    own = found["added_ttft_ms"] - found["added_by_a_bare_hop_ms"]
    print(f"{'beyond_a_bare_hop_ms':<24} {own:8.3f}")
    agent, gateway = sum(s.agent_s for s in spent), sum(s.gateway_s for s in spent)
    print(f"{'agent_cpu_s':<24} {agent / len(spent):8.3f}  per session, of {len(spent)}")
    print(f"{'gateway_cpu_s':<24} {gateway / len(spent):8.3f}  per session")
    shares = [s.share for s in spent]
    print(f"{'shares':<24} {min(shares):8.2%} to {max(shares):.2%}")
    print(f"{'load':<24} {os.getloadavg()[0]:8.1f}  of {os.cpu_count()} processors")
    added = found["added_ttft_ms"]
    held(f"added to first content {added:.2f} ms, at most {MOST_MS:.0f}", ok=added < MOST_MS)
    share = gateway / agent
    held(f"added processor time {share:.2%}, at most {MOST_SHARE:.0%}", ok=share < MOST_SHARE)


def held(what: str, *, ok: bool) -> None:
    """Print one bound."""
    print(f"{'held' if ok else 'NOT HELD'}: {what}")


def main(calls: int, sessions: int) -> None:
    """Measure, and print the figures."""
    with tempfile.TemporaryDirectory() as directory:
        socket = f"{directory}/model.sock"
        provider = Child("--provide")
        gateway = Child("--forward", provider.told, socket)
        hop = Child("--relay", provider.told, f"{socket}.r")
        try:
            found = anyio.run(measure, provider, gateway, socket, calls)
            spent = []
            for number in range(sessions):
                place = Path(directory, str(number))
                place.mkdir()
                spent.append(anyio.run(session, gateway, socket, place))
        finally:
            hop.end()
            gateway.end()
            provider.end()
    told(found, spent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=5)
    parser.add_argument("--provide", action="store_true")
    parser.add_argument("--forward", nargs=2)
    parser.add_argument("--relay", nargs=2)
    given = parser.parse_args()
    if given.provide:
        anyio.run(provide)
    elif given.forward:
        anyio.run(forward, *given.forward)
    elif given.relay:
        anyio.run(relay, *given.relay)
    else:
        main(given.calls, given.sessions)

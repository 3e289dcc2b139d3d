"""The one door a job goes through, whichever way it takes to its models."""

from pathlib import Path

import anyio
import httpx
import pytest

from gatebench.gateway import (
    Cassettes,
    Credential,
    Gateway,
    Hooks,
    Limits,
    Route,
    Secret,
    SiteSpec,
    Terms,
    Upstream,
    open_ways,
    spent_usd,
)
from gatebench.model.usage import Call, Role
from provider import KEY, Provider, serve
from provider.ground import AGENT, MODEL, NAME, QUICK, asked, team


async def ask(tmp_path: Path, terms: Terms, url: str, system: str = "") -> tuple[Call, bytes]:
    """One call of a worker on these terms."""
    calls: list[Call] = []
    transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "model.sock"))
    route = Route(MODEL, Upstream(url, Credential(Secret(KEY))))
    async with (
        open_ways(terms) as ways,
        Gateway(tmp_path / "model.sock") as gateway,
        httpx.AsyncClient(transport=transport) as client,
    ):
        relay = ways.relay(NAME, Role.WORKER, route)
        spec = SiteSpec(NAME, Role.WORKER, relay, None, lambda call, _request: calls.append(call))
        site = gateway.open_site(spec)
        body = asked(system=system)
        answer = await client.post(f"{site.base_url}/v1/messages", json=body, headers=AGENT)
        assert ways.spent_usd >= terms.spent_usd
    return calls[0], answer.content


def test_live_then_recorded_then_played_back(tmp_path: Path) -> None:
    tapes = Cassettes(tmp_path / "tapes")
    drained: list[str] = []
    hooks = Hooks(on_drain=lambda _fault, why: drained.append(why))

    async def run() -> None:
        provider = Provider(team)
        async with serve(provider) as url:
            plain, first = await ask(tmp_path, Terms(patience=QUICK), url)
            recorded, second = await ask(tmp_path, Terms(patience=QUICK, record=tapes), url)
        assert len(provider.served) == 2
        play = Terms(play=tapes, go_on_live=False, hooks=hooks)
        played, third = await ask(tmp_path, play, url)
        assert first == second == third
        assert plain.usage == recorded.usage == played.usage
        assert drained == []
        missed, _ = await ask(tmp_path, play, url, "another system prompt")
        assert (missed.status, len(drained)) == (429, 1)

    anyio.run(run)


def test_going_on_live_tells_and_doesnt_end_the_job(tmp_path: Path) -> None:
    told: list[str] = []
    drained: list[str] = []
    hooks = Hooks(on_drain=lambda _f, why: drained.append(why), on_mismatch=told.append)

    async def run() -> None:
        provider = Provider(team)
        async with serve(provider) as url:
            terms = Terms(play=Cassettes(tmp_path), patience=QUICK, hooks=hooks)
            call, _ = await ask(tmp_path, terms, url)
        assert (call.status, len(provider.served), drained) == (200, 1, [])

    anyio.run(run)
    assert told == [f"{NAME}: one call more than the 0 recorded."]


@pytest.mark.parametrize(("limit", "status"), [(1.0, 200), (0.5, 429)])
def test_what_was_spent_before_counts(tmp_path: Path, limit: float, status: int) -> None:
    async def run() -> None:
        async with serve(Provider(team)) as url:
            terms = Terms(Limits(job=limit), spent_usd=0.6, patience=QUICK)
            call, _ = await ask(tmp_path, terms, url)
        assert call.status == status
        assert (spent_usd([call]) > 0) is (status == 200)

    anyio.run(run)

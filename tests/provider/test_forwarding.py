"""What reaches the provider, what comes back, and what doesn't."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import httpx
import pytest

from gatebench.errors import UsageError
from gatebench.gateway import Limits, Secret, Upstream
from gatebench.gateway.faults import Fault as Class
from gatebench.gateway.passing import Passing
from provider import KEY, Fault, Provider, always, by_number
from provider.ground import AGENT, QUICK, Ground, Setup, asked, on_ground, team


def test_bytes_through_the_gateway_are_the_providers(tmp_path: Path) -> None:
    got: list[bytes] = []

    async def act(here: Ground) -> None:
        got.extend([(await here.post(asked(stream=s))).content for s in (True, False)])
        async with httpx.AsyncClient() as direct:
            for stream in (True, False):
                url = f"{here.provider.url}/v1/messages"
                answer = await direct.post(
                    url, json=asked(stream=stream), headers={"x-api-key": KEY}
                )
                got.append(answer.content)

    here = on_ground(tmp_path, act, Setup())
    assert got[:2] == got[2:] == here.provider.sent[:2]
    assert len(got[0]) > 1000


def test_pieces_are_passed_on_as_they_come(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        url = f"{here.base}/v1/messages"
        async with here.client.stream("POST", url, json=asked()) as answer:
            async for _ in answer.aiter_raw():
                # The provider goes on stalling; what it said before is here.
                assert here.calls == []
                return

    plan = always(Fault.STALL)
    patience = replace(QUICK, stall_s=20)
    provider = Provider(team, plan, stall_s=10)
    here = on_ground(tmp_path, act, Setup(provider, patience))
    assert here.call.fault == Class.CLIENT_GONE
    assert here.call.wall_s < 5


def test_the_agents_headers_go_along_and_its_credentials_dont(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        answer = await here.post()
        assert "set-cookie" not in answer.headers
        assert answer.headers["request-id"] == "req_1"

    here = on_ground(tmp_path, act, Setup())
    (served,) = here.provider.served
    kept = ("user-agent", "anthropic-version", "anthropic-beta")
    assert {n: served.headers[n] for n in kept} == {n: AGENT[n] for n in kept}
    assert served.headers["x-api-key"] == KEY
    assert served.headers["accept-encoding"] == "identity"
    assert "the-agents-own" not in str(served.headers)
    assert "cookie" not in served.headers
    assert served.request == asked()


def test_a_token_may_travel_as_bearer(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        await here.post()

    here = on_ground(tmp_path, act, Setup(bearer=True))
    (served,) = here.provider.served
    assert served.headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in served.headers


def test_a_server_without_keys_and_with_a_path(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        assert (await here.post()).status_code == 200
        counted = await here.client.post(
            f"{here.base}/v1/messages/count_tokens?beta=true", json=asked()
        )
        assert counted.json() == {"input_tokens": 77}
        assert (await here.client.head(f"{here.base}/")).status_code == 200
        assert (await here.client.get(f"{here.base}/v1/files")).status_code == 404

    provider = Provider(team, key=None)
    here = on_ground(tmp_path, act, Setup(provider, key=None, prefix="/anthropic/"))
    assert here.call.upstream == f"{provider.url}/anthropic"
    assert [(m, t) for m, t, _ in provider.asides] == [
        ("POST", "/anthropic/v1/messages/count_tokens?beta=true"),
        ("HEAD", "/anthropic/"),
    ]
    assert "x-api-key" not in provider.served[0].headers


@pytest.mark.parametrize("fault", [Fault.ECHO, Fault.ECHO_PIECES])
@pytest.mark.parametrize("stream", [True, False])
def test_a_key_that_the_provider_sends_back_goes_no_further(
    tmp_path: Path, fault: Fault, *, stream: bool
) -> None:
    got: list[bytes] = []

    async def act(here: Ground) -> None:
        got.append((await here.post(asked(stream=stream))).content)

    here = on_ground(tmp_path, act, Setup(Provider(team, always(fault))))
    text = got[0].decode()
    deltas = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    said = "".join(d["delta"].get("text", "") for d in deltas if d["type"] == "content_block_delta")
    said = said if stream else text
    assert KEY not in text
    assert KEY not in said
    assert KEY[9:] not in said
    assert "*, isn't it" in said
    assert KEY not in str(here.calls)
    assert here.call.fault is None


def test_nothing_shows_a_secret() -> None:
    secret = Secret(f" {KEY}\n")
    assert KEY not in f"{secret} {secret!r} {vars(Upstream())}"
    assert secret.reveal() == KEY
    with pytest.raises(TypeError):
        __import__("pickle").dumps(secret)
    for wrong in ("", "short", "key with\nline"):
        with pytest.raises(UsageError):
            Secret(wrong)
    for url in ("https://me:pass@host", "host:80", "ftp://host", "https://host?key=1"):
        with pytest.raises(UsageError) as raised:
            Upstream(url)
        assert "pass@" not in str(raised.value)


def test_only_the_roles_own_model_is_had(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        assert (await here.post(asked(model="claude-opus-5"))).status_code == 404

    here = on_ground(tmp_path, act, Setup())
    assert here.provider.served == []
    assert here.call.fault == Class.PINNED


def test_a_client_that_goes_while_it_waits_ends_the_tries(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(here.post)
            while not provider.served:  # noqa: ASYNC110  # it tells nobody
                await anyio.sleep(0.02)
            await anyio.sleep(0.3)  # refused by now, and waiting
            group.cancel_scope.cancel()
        await asyncio.sleep(0.3)

    provider = Provider(team, always(Fault.TOO_MANY_LATER), retry_after_s=5)
    here = on_ground(tmp_path, act, Setup(provider))
    # Whoever can't wait any longer for a provider that refuses isn't to blame.
    assert (here.call.fault, len(provider.served)) == (Class.RATE_LIMITED, 1)


def test_waits_are_told_to_the_sites_clock(tmp_path: Path) -> None:
    held: list[float] = []

    @contextmanager
    def waiting(_what: str) -> Iterator[None]:
        began = anyio.current_time()
        yield
        held.append(anyio.current_time() - began)

    async def act(here: Ground) -> None:
        here.open(waiting=waiting)
        await here.post()

    provider = Provider(team, by_number({1: Fault.TOO_MANY_LATER}), retry_after_s=0.5, lag_s=0.2)
    here = on_ground(tmp_path, act, Setup(provider))
    assert 0.5 <= sum(held) < 0.8
    assert abs(sum(held) - here.call.waited_s) < 0.05


def test_a_client_that_waits_long_is_sent_pings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Passing, "quiet_s", 0.1)
    monkeypatch.setattr(Passing, "ping_s", 0.1)
    got: list[str] = []

    async def act(here: Ground) -> None:
        got.append((await here.post()).text)
        got.append((await here.post()).text)

    plan = by_number({1: Fault.TOO_MANY_LATER, 3: Fault.TOO_MANY_LATER, 4: Fault.UNAUTHORIZED})
    provider = Provider(team, plan, retry_after_s=0.5)
    on_ground(tmp_path, act, Setup(provider))
    assert got[0].startswith("event: ping\n")
    assert got[0].endswith('event: message_stop\ndata: {"type": "message_stop"}\n\n')
    assert "event: error\ndata: {" in got[1]
    assert "authentication_error" in got[1]


def test_lanes_fall_and_climb_back(tmp_path: Path) -> None:
    seen: list[float] = []

    async def act(here: Ground) -> None:
        lanes = here.live.line(here.route.upstream).lanes
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(here.post)
        seen.append(lanes.limit)
        for _ in range(40):
            await here.post()
        seen.append(lanes.limit)

    plan = by_number(dict.fromkeys(range(1, 9), Fault.OVERLOADED))
    provider = Provider(team, plan, lag_s=0.03)
    here = on_ground(tmp_path, act, Setup(provider, lanes=8))
    assert provider.most_at_once == 8
    assert 4 < seen[0] < 8 == seen[1]
    assert all(call.status == 200 for call, _ in here.calls)


def test_a_budget_lets_through_what_was_in_flight_and_no_more(tmp_path: Path) -> None:
    statuses: list[int] = []

    async def act(here: Ground) -> None:
        async def one() -> None:
            statuses.append((await here.post()).status_code)

        for _ in range(3):
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(one)

    provider = Provider(team, lag_s=0.1)
    here = on_ground(tmp_path, act, Setup(provider, limits=Limits(job=0.001)))
    refused = [call for call, _ in here.calls if call.fault == Class.BUDGET]
    assert statuses.count(200) == 4 == len(provider.served)
    assert len(refused) == 8
    assert {call.status for call in refused} == {429}
    assert {fault for fault, _ in here.drained} == {"budget"}
    spent = here.live.wallet.job.spent_usd
    assert spent > 0.001


@pytest.mark.parametrize("limits", [Limits(trial=0.001), Limits(roles={"worker": 0.001})])
def test_a_trials_budget_is_its_own(tmp_path: Path, limits: Limits) -> None:
    statuses: list[int] = []

    async def act(here: Ground) -> None:
        for name in ("T1-g1-r1/worker", "T1-g1-r1/worker", "T2-g1-r1/worker"):
            here.open(name=name)
            statuses.append((await here.post()).status_code)

    here = on_ground(tmp_path, act, Setup(limits=limits))
    assert statuses == [200, 429, 200]
    assert here.drained == []


def test_a_provider_that_tells_no_usage_uses_up_a_budget_all_the_same(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        await here.post()

    provider = Provider(team, always(Fault.NO_USAGE))
    here = on_ground(tmp_path, act, Setup(provider, limits=Limits(job=1)))
    assert here.live.wallet.job.spent_usd > 0.001

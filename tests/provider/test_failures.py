"""Every way that a provider fails: the right class, the right retry, the exact ledger.

Row F6 of the cases.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from gatebench.gateway import Patience, account, cost_usd
from gatebench.gateway.faults import RULES
from gatebench.gateway.faults import Fault as Class
from gatebench.model.usage import Call, Role
from provider import Fault, Provider, always, by_number
from provider.ground import ASKED, IMPATIENT, MODEL, QUICK, Ground, Setup, asked, on_ground, team
from provider.server import OTHER_MODEL

TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


async def one(here: Ground) -> None:
    answer = await here.post()
    assert answer.status_code == 200


def told(call: Call, name: str) -> int:
    """Tokens of a call, those of broken tries included."""
    parts = [call.usage, *(a.usage for a in call.attempts)]
    return sum(getattr(part, name) or 0 for part in parts)


@dataclass(frozen=True)
class Case:
    injected: Fault
    missed: Class
    """Class of the try that came to nothing."""
    uncertain: bool = False


def patience_with(injected: Fault) -> Patience:
    """Short where silence is what is to be noticed."""
    return IMPATIENT if injected in {Fault.STALL, Fault.STALL_EARLY} else QUICK


PASSING = [
    Case(Fault.TOO_MANY, Class.RATE_LIMITED),
    Case(Fault.TOO_MANY_LATER, Class.RATE_LIMITED),
    Case(Fault.OVERLOADED, Class.OVERLOADED),
    Case(Fault.BROKEN, Class.SERVER_ERROR),
    Case(Fault.RESET, Class.CONNECTION),
    Case(Fault.OVERLOADED_EVENT, Class.OVERLOADED),
    Case(Fault.CUT_EARLY, Class.CUT, uncertain=True),
    Case(Fault.STALL_EARLY, Class.STALLED, uncertain=True),
    Case(Fault.MALFORMED_EARLY, Class.MALFORMED, uncertain=True),
    Case(Fault.LIMIT, Class.USAGE_LIMIT),
]


@pytest.mark.parametrize("case", PASSING, ids=lambda c: c.injected)
def test_what_passes_is_tried_again_unseen(tmp_path: Path, case: Case) -> None:
    provider = Provider(team, by_number({1: case.injected}))
    call = on_ground(tmp_path, one, Setup(provider, patience_with(case.injected))).call
    assert [s.fault for s in provider.served] == [case.injected, None]
    assert (call.status, call.fault, call.retries) == (200, None, 1)
    assert [a.fault for a in call.attempts] == [case.missed]
    assert call.uncertain is case.uncertain
    assert {n: told(call, n) for n in TOKENS} == {n: provider.total(n) for n in TOKENS}
    assert (cost_usd(call) is None) is case.uncertain
    assert RULES[case.missed].retried


@pytest.mark.parametrize(
    ("injected", "status", "fault"),
    [
        (Fault.TOO_MANY, 429, Class.RATE_LIMITED),
        (Fault.OVERLOADED, 529, Class.OVERLOADED),
        (Fault.BROKEN, 500, Class.SERVER_ERROR),
        (Fault.RESET, 502, Class.CONNECTION),
        (Fault.OVERLOADED_EVENT, 502, Class.OVERLOADED),
        (Fault.STALL_EARLY, 502, Class.STALLED),
    ],
)
def test_patience_ends_in_the_providers_own_error(
    tmp_path: Path, injected: Fault, status: int, fault: Class
) -> None:
    async def act(here: Ground) -> None:
        answer = await here.post()
        assert (answer.status_code, answer.json()["type"]) == (status, "error")
        assert answer.headers["x-should-retry"] == "false"
        assert "anthropic-organization-id" not in answer.headers

    provider = Provider(team, always(injected))
    here = on_ground(tmp_path, act, Setup(provider, patience_with(injected)))
    assert len(provider.served) == 4
    assert (here.call.fault, here.call.retries, here.call.status) == (fault, 3, status)
    assert len(here.call.attempts) == 4
    assert here.drained == []
    assert not RULES[fault].valid
    lost = sum(a.usage.input_tokens or 0 for a in here.call.attempts)
    assert lost == provider.total("input_tokens")


@pytest.mark.parametrize(
    ("injected", "status", "fault"),
    [
        (Fault.UNAUTHORIZED, 401, Class.CREDENTIAL),
        (Fault.NO_CREDIT, 400, Class.CREDIT),
        (Fault.REFUSED, 400, Class.REFUSED),
        (Fault.LIMIT_FAR, 400, Class.USAGE_LIMIT),
    ],
)
def test_what_waiting_wont_cure_is_told_at_once(
    tmp_path: Path, injected: Fault, status: int, fault: Class
) -> None:
    async def act(here: Ground) -> None:
        assert (await here.post()).status_code == status

    provider = Provider(team, always(injected))
    here = on_ground(tmp_path, act, Setup(provider))
    assert len(provider.served) == 1
    assert (here.call.fault, here.call.retries) == (fault, 0)
    assert (cost_usd(here.call), provider.total("input_tokens")) == (0, 0)
    assert [f for f, _ in here.drained] == ([fault.value] if RULES[fault].drains else [])


BROKEN = [
    (Fault.CUT, Class.CUT),
    (Fault.STALL, Class.STALLED),
    (Fault.MALFORMED, Class.MALFORMED),
    (Fault.OVERLOADED_LATE, Class.OVERLOADED),
]


@pytest.mark.parametrize(("injected", "fault"), BROKEN)
def test_what_has_begun_is_passed_on_as_it_came(
    tmp_path: Path, injected: Fault, fault: Class
) -> None:
    got: list[bytes] = []

    async def act(here: Ground) -> None:
        url = f"{here.base}/v1/messages?beta=true"
        try:
            async with here.client.stream("POST", url, json=asked()) as answer:
                async for data in answer.aiter_raw():
                    got.append(data)  # noqa: PERF401  # kept when the stream breaks
        except httpx.RemoteProtocolError:
            got.append(b"<broken off>")

    provider = Provider(team, always(injected))
    here = on_ground(tmp_path, act, Setup(provider, patience_with(injected)))
    whole = b"".join(got)
    assert len(provider.served) == 1
    assert whole.endswith(b"<broken off>") is (injected in {Fault.CUT, Fault.STALL})
    if injected is Fault.CUT:
        assert whole.removesuffix(b"<broken off>").endswith(b"event: content_bl")
    else:
        assert b"content_block_start" in whole
    assert (here.call.status, here.call.fault, here.call.retries) == (200, fault, 0)
    assert here.gateway.faults == []
    if injected is not Fault.MALFORMED:
        assert here.call.uncertain
        assert cost_usd(here.call) is None
        assert here.call.usage.input_tokens == provider.total("input_tokens")
        assert here.call.usage.output_tokens == 1 < provider.total("output_tokens")
        (listed,) = account([here.call]).roles[Role.WORKER].uncertain
        assert (listed.at_least_usd or 0) > 0
    else:
        assert {n: told(here.call, n) for n in TOKENS} == {n: provider.total(n) for n in TOKENS}


def test_another_model_is_seen_and_priced_as_what_it_is(tmp_path: Path) -> None:
    here = on_ground(tmp_path, one, Setup(Provider(team, always(Fault.OTHER_MODEL))))
    assert (here.call.model_served, here.call.fault) == (OTHER_MODEL, Class.OTHER_MODEL)
    other = cost_usd(here.call)
    plain = cost_usd(here.call.model_copy(update={"model_served": MODEL}))
    assert other
    assert plain
    assert other < plain


def test_missing_usage_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    here = on_ground(tmp_path, one, Setup(Provider(team, always(Fault.NO_USAGE))))
    assert (here.call.usage.input_tokens, here.call.fault) == (None, Class.USAGE_MISSING)
    accounts = account([here.call])
    assert accounts.cost_usd is None
    assert accounts.roles[Role.WORKER].usage.output_tokens is None


def test_a_plain_answer_is_metered_like_a_stream(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        plain = await here.post({**ASKED, "stream": False})
        assert plain.json()["type"] == "message"
        await here.post()

    provider = Provider(team)
    here = on_ground(tmp_path, act, Setup(provider))
    (one_, _), (two, _) = here.calls
    assert (one_.usage, one_.model_served, one_.stop_reason) == (
        two.usage,
        two.model_served,
        two.stop_reason,
    )
    assert one_.usage.input_tokens is not None
    assert not one_.uncertain


def test_retry_after_is_honoured(tmp_path: Path) -> None:
    provider = Provider(team, by_number({1: Fault.TOO_MANY_LATER}), retry_after_s=0.6)
    here = on_ground(tmp_path, one, Setup(provider))
    first, second = (s.at for s in provider.served)
    assert 0.6 <= second - first < 2
    assert 0.6 <= here.call.waited_s <= here.call.wall_s


def test_a_usage_limit_counts_down_and_goes_on_by_itself(tmp_path: Path) -> None:
    provider = Provider(team, by_number({1: Fault.LIMIT}))
    here = on_ground(tmp_path, one, Setup(provider))
    assert here.call.status == 200
    assert here.pauses
    assert "usage limits" in here.pauses[0][1]
    assert here.drained == []


def test_a_limit_too_long_for_a_call_and_short_enough_for_the_job_holds_it(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        assert (await here.post()).status_code == 429

    provider = Provider(team, by_number({1: Fault.LIMIT}))
    here = on_ground(tmp_path, act, Setup(provider, replace(QUICK, pause_s=0, hold_s=60)))
    ((left_s, why),) = here.holds
    assert 0 < left_s < 4
    assert "usage limits" in why
    assert here.drained == []
    assert here.call.fault == Class.USAGE_LIMIT


def test_no_connection_at_all(tmp_path: Path) -> None:
    async def act(here: Ground) -> None:
        here.route = type(here.route)(MODEL, type(here.route.upstream)("http://127.0.0.1:9"))
        here.open()
        answer = await here.post()
        assert answer.status_code == 502
        assert "127.0.0.1" not in answer.text

    here = on_ground(tmp_path, act, Setup())
    assert (here.call.fault, here.call.retries, here.call.usage.input_tokens) == (
        Class.CONNECTION,
        3,
        None,
    )

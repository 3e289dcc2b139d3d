"""Patience, lanes, the reading of streams: the parts by themselves."""

import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebench.gateway.echo import EchoGuard
from gatebench.gateway.faults import Fault, of_answer, of_text
from gatebench.gateway.lanes import Lanes
from gatebench.gateway.patience import Patience, lifts_in, retry_after
from gatebench.gateway.reader import Meter, Splitter
from gatebench.gateway.secret import Hider, Secret
from gatebench.gateway.sse import events
from gatebench.model.usage import Usage

NOW = 1_800_000_000.0
KEY = "sk-ant-api03-abcdefghijklmnop"


def message(*texts: str) -> dict[str, object]:
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": t} for t in texts],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 9},
    }


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "said", "seconds"),
    [
        ({"anthropic-ratelimit-unified-reset": "1800000060"}, "", 60),
        ({}, "Claude AI usage limit reached|1800003600", 3600),
        ({}, "You will regain access on 2027-01-15 at 09:00 UTC.", 3600),
        ({"retry-after": "12"}, "usage limit", 12),
        ({}, "usage limit", None),
    ],
)
def test_when_a_limit_lifts(headers: dict[str, str], said: str, seconds: float | None) -> None:
    assert lifts_in(headers, said, NOW) == seconds


def test_backoff_doubles_to_its_cap_and_is_drawn() -> None:
    patience = Patience(first_s=1, most_s=8)
    assert [patience.backoff(n, lambda: 1.0) for n in (1, 2, 3, 4, 5)] == [1, 2, 4, 8, 8]
    draws = {patience.backoff(3, random.Random(n).random) for n in range(20)}  # noqa: S311  # no secret
    assert len(draws) == 20
    assert all(2 <= d <= 4 for d in draws)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("You've hit your limit · resets 3pm", Fault.USAGE_LIMIT),
        ("Claude AI usage limit reached|1800003600", Fault.USAGE_LIMIT),
        ("Your credit balance is too low", Fault.CREDIT),
        ("This request would exceed your organization's rate limit of 8,000 tokens", None),
        ("Number of request tokens has exceeded your per-minute rate limit", None),
    ],
)
def test_words_that_tell_a_limit(said: str, fault: Fault | None) -> None:
    assert of_text(said) == fault


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (200, None),
        (401, Fault.CREDENTIAL),
        (402, Fault.CREDIT),
        (403, Fault.CREDENTIAL),
        (404, Fault.REFUSED),
        (413, Fault.REFUSED),
        (429, Fault.RATE_LIMITED),
        (500, Fault.SERVER_ERROR),
        (503, Fault.SERVER_ERROR),
        (529, Fault.OVERLOADED),
        (302, Fault.SERVER_ERROR),
    ],
)
def test_statuses(status: int, fault: Fault | None) -> None:
    assert of_answer(status, b"{}") == fault


def in_loop(act: Callable[[], Awaitable[None]]) -> None:
    anyio.run(act)


def test_lanes_halve_once_for_calls_that_were_on_their_way_together() -> None:
    clock = iter(range(1000))
    lanes = Lanes(8, now=lambda: float(next(clock)))
    for _ in range(5):
        lanes.slower(began=-1.0)
    assert lanes.limit == 4
    lanes.slower(began=500.0)
    assert lanes.limit == 2
    for _ in range(100):
        lanes.slower(began=9e9)
    assert lanes.limit == 1
    for _ in range(100):
        lanes.faster()
    assert lanes.limit == 8


def test_nobody_overtakes_and_nobody_is_forgotten() -> None:
    order: list[int] = []
    at_once: list[int] = []

    async def act() -> None:
        lanes = Lanes(2)

        async def one(number: int) -> None:
            async with lanes.lane():
                at_once.append(lanes.in_use)
                await anyio.sleep(0.01)
                order.append(number)

        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(one, number)
                await anyio.lowlevel.checkpoint()
        assert lanes.in_use == 0

    in_loop(act)
    assert order == list(range(12))
    assert max(at_once) == 2


def test_one_who_leaves_the_queue_holds_nobody_up() -> None:
    through = []

    async def act() -> None:
        lanes = Lanes(1)

        async def one() -> None:
            async with lanes.lane():
                await anyio.sleep(0.05)
            through.append("one")

        async def impatient() -> None:
            with anyio.move_on_after(0.01):
                async with lanes.lane():
                    raise AssertionError

        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(one)
                await anyio.lowlevel.checkpoint()
                group.start_soon(impatient)
                await anyio.lowlevel.checkpoint()
                group.start_soon(one)

    in_loop(act)
    assert through == ["one", "one"]


def test_a_pause_holds_all_and_counts_down() -> None:
    told: list[tuple[int, str]] = []

    async def act() -> None:
        lanes = Lanes(4, lambda left, why: told.append((int(left), why)))
        lanes.pause(1.3, "limit")
        began = anyio.current_time()
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(_through, lanes)
        assert 1.2 < anyio.current_time() - began < 3

    in_loop(act)
    assert told == [(1, "limit"), (0, "limit")]


async def _through(lanes: Lanes) -> None:
    async with lanes.lane():
        pass


@given(st.lists(st.text(max_size=300), min_size=1, max_size=3), st.integers(1, 50))
def test_pieces_of_any_size_are_read_the_same(texts: list[str], size: int) -> None:
    whole = b"".join(events(message(*texts)))
    splitter, meter, guard = Splitter(), Meter(), EchoGuard(Hider([Secret(KEY)]))
    out = b""
    for at in range(0, len(whole), size):
        found = list(splitter.feed(whole[at : at + size]))
        for event in found:
            meter.see(event)
        out += guard.feed(found)
    out += guard.flush(splitter.rest)
    assert out == whole
    assert meter.usage == Usage(input_tokens=5, output_tokens=9)
    assert (meter.ended, meter.settled, meter.fault) == (True, True, None)


@given(st.lists(st.integers(0, len(KEY)), max_size=6), st.booleans())
def test_a_key_cut_anywhere_is_found(cuts: list[int], twice: bool) -> None:  # noqa: FBT001
    at = [0, *sorted(cuts), len(KEY)]
    parts = [KEY[a:b] for a, b in pairwise(at)]
    pieces = ["it is ", *parts, *(parts if twice else []), " and sk-ant-api03-ab", "out"]
    guard, splitter, said = EchoGuard(Hider([Secret(KEY)])), Splitter(), ""
    stream = [
        *_deltas(pieces),
        b'event: content_block_stop\ndata: {"type":"content_block_stop"}\n\n',
    ]
    out = b"".join(guard.feed(splitter.feed(piece)) for piece in stream) + guard.flush()
    for event in Splitter().feed(out):
        if event.data and event.kind == "content_block_delta":
            said += event.data["delta"]["text"]
    assert KEY[8:] not in said
    assert len(said) == len("".join(pieces))
    assert said.endswith(" and sk-ant-api03-about")


def _deltas(pieces: list[str]) -> list[bytes]:
    return [
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"%b"}}\n\n' % piece.encode()
        for piece in pieces
    ]


def test_events_may_end_in_carriage_returns_and_comments_are_none() -> None:
    stream = b': hello\r\n\r\nevent: ping\r\ndata: {"type": "ping"}\r\n\r\ndata: [1]\r\n\r\n'
    found = list(Splitter().feed(stream))
    assert [(e.kind, e.malformed) for e in found] == [("", False), ("ping", False), ("", True)]
    assert b"".join(e.raw for e in found) == stream

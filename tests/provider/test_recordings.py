"""Record, then play back with the provider gone."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
import zstandard

from gatebench.errors import StoreError
from gatebench.gateway import Cassettes, Choice, Playback, Recording, account
from gatebench.gateway.faults import Fault as Class
from gatebench.gateway.site import Inbound
from gatebench.model.usage import Call, Role
from provider import KEY, Fault, Provider, always, by_number
from provider.ground import NAME, Ground, Setup, asked, on_ground, team

SECRET_PROMPT = "the agent's own system prompt"
TALK = (
    asked(system=SECRET_PROMPT),
    asked(system=SECRET_PROMPT, stream=False),
    asked(messages=[{"role": "user", "content": "Another one, please."}]),
)


def turns(took: str, use: str = "toolu_1", where: str = "/tmp/a1") -> dict[str, Any]:  # noqa: S108
    """A request with a tool's result in it."""
    said = f"==== 3 passed in {took}s ====\n{where}/x.py 2026-11-30 10:00:00 0x7f00aa11bb"
    result = {"type": "tool_result", "tool_use_id": use, "content": said}
    first = {"role": "user", "content": "Add push and pull."}
    call = {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": "pytest"}}
    return asked(
        messages=[
            first,
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    )


def record(
    tmp_path: Path, setup: Setup, talk: tuple[Any, ...] = TALK
) -> tuple[Ground, list[bytes]]:
    got: list[bytes] = []

    async def act(here: Ground) -> None:
        inner = here.live.engine(here.route, "T1-g1-r1", Role.WORKER)
        here.open(Recording(inner, Cassettes(tmp_path / "tapes"), NAME))
        for body in talk:
            try:
                got.append((await here.post(body)).content)
            except Exception as error:  # noqa: BLE001  # how it broke is part of what is recorded
                got.append(type(error).__name__.encode())

    return on_ground(tmp_path, act, setup), got


def play(
    tmp_path: Path, talk: tuple[Any, ...] = TALK, *, live: bool = False
) -> tuple[Ground, list[Any], list[str]]:
    got: list[Any] = []
    told: list[str] = []

    async def act(here: Ground) -> None:
        inner = here.live.engine(here.route, "T1-g1-r1", Role.WORKER) if live else None
        here.open(Playback(Cassettes(tmp_path / "tapes"), NAME, Choice(inner, told.append)))
        assert (await here.client.head(here.base)).status_code == 200
        for body in talk:
            try:
                answer = await here.post(body)
                got.append(answer.content if answer.status_code == 200 else answer.status_code)
            except Exception as error:  # noqa: BLE001  # as above
                got.append(type(error).__name__.encode())

    return on_ground(tmp_path, act, Setup()), got, told


def settled(calls: list[tuple[Call, Any]]) -> list[Call]:
    """Calls without their times."""
    times = {"wall_s": 0, "ttft_s": None, "waited_s": 0, "charged_usd": None}
    return [call.model_copy(update=times) for call, _ in calls]


def test_a_recording_plays_back_byte_for_byte_without_a_provider(tmp_path: Path) -> None:
    plan = by_number({2: Fault.OVERLOADED})
    first, got = record(tmp_path, Setup(Provider(team, plan)))
    again, played, told = play(tmp_path)
    assert (played, told) == (got, [])
    assert again.provider.served == []
    assert settled(again.calls) == settled(first.calls)
    assert account([c for c, _ in again.calls]) == account([c for c, _ in first.calls])
    assert [c.retries for c, _ in again.calls] == [0, 1, 0]


def test_what_broke_breaks_again(tmp_path: Path) -> None:
    _, got = record(tmp_path, Setup(Provider(team, by_number({1: Fault.CUT}))))
    assert got[0] == b"RemoteProtocolError"
    again, played, _ = play(tmp_path)
    assert played == got
    assert again.calls[0][0].fault == Class.CUT
    assert again.gateway.faults == []


def test_nothing_of_a_request_and_no_key_is_stored(tmp_path: Path) -> None:
    record(tmp_path, Setup(Provider(team, always(Fault.ECHO))))
    files = [p for p in (tmp_path / "tapes").rglob("*") if p.is_file()]
    assert len(files) == 4
    reader = zstandard.ZstdDecompressor()
    texts = [reader.stream_reader(p.read_bytes(), read_across_frames=True).readall() for p in files]
    whole = b"".join(texts).decode()
    assert "message_start" in whole
    for hidden in (
        SECRET_PROMPT,
        "Add push and pull.",
        KEY,
        "the-agents-own",
        "req_1",
        "account=42",
    ):
        assert hidden not in whole


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"system": "another one"}, "its system differ"),
        ({"tools": []}, "its tools differ"),
        ({"max_tokens": 7}, "its parameters differ"),
        ({"messages": [{"role": "user", "content": "Do less."}]}, "message 1 of 1 differs"),
    ],
)
def test_a_changed_request_is_named_and_stops(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    record(tmp_path, Setup())
    again, played, told = play(tmp_path, ({**TALK[0], **change}, *TALK[1:]))
    assert played[0] == 429
    assert told[0] == f"{NAME}: call 1 isn't the one recorded: {says}."
    assert again.calls[0][0].fault == Class.MISMATCH
    assert again.provider.served == []


def test_or_goes_on_live_from_there(tmp_path: Path) -> None:
    _, got = record(tmp_path, Setup())
    changed = asked(system="another one")
    again, played, told = play(tmp_path, (TALK[0], changed, TALK[2]), live=True)
    assert (played[0], len(told)) == (got[0], 1)
    assert [s.request for s in again.provider.served] == [changed, TALK[2]]


def test_more_calls_than_recorded(tmp_path: Path) -> None:
    record(tmp_path, Setup())
    _, played, told = play(tmp_path, (*TALK, TALK[0]))
    assert played[3] == 429
    assert told == [f"{NAME}: one call more than the 3 recorded."]


def test_what_two_runs_show_differently_is_no_difference(tmp_path: Path) -> None:
    record(tmp_path, Setup(), (turns("0.12"),))
    other = {**turns("11.07", "toolu_9", "/tmp/zz/y"), "metadata": {"user_id": "else"}}  # noqa: S108
    _, played, told = play(tmp_path, (other,))
    assert (told, len(played)) == ([], 1)
    failed = json.loads(json.dumps(other).replace("3 passed", "1 failed"))
    _, played, told = play(tmp_path, (failed,))
    assert played == [429]
    assert "message 3 of 3" in told[0]


def test_calls_that_overlapped_may_come_in_another_order(tmp_path: Path) -> None:
    async def both(here: Ground) -> None:
        inner = here.live.engine(here.route, "T1-g1-r1", Role.WORKER)
        here.open(Recording(inner, Cassettes(tmp_path / "tapes"), NAME))
        async with anyio.create_task_group() as group:
            group.start_soon(here.post, TALK[0])
            await anyio.sleep(0.05)
            group.start_soon(here.post, TALK[2])
        await here.post(TALK[1])

    on_ground(tmp_path, both, Setup(Provider(team, lag_s=0.2)))
    _, played, told = play(tmp_path, (TALK[2], TALK[0], TALK[1]))
    assert (told, 429 in played) == ([], False)
    _, played, told = play(tmp_path, (TALK[1], TALK[0]))
    assert played[0] == 429


def test_an_attempt_starts_its_cassette_anew(tmp_path: Path) -> None:
    record(tmp_path, Setup())
    record(tmp_path, Setup(), TALK[2:])
    assert [e.n for e in Cassettes(tmp_path / "tapes").entries(NAME)] == [1]


def test_a_damaged_recording_is_named(tmp_path: Path) -> None:
    record(tmp_path, Setup())
    tapes = Cassettes(tmp_path / "tapes")
    (entry, *_) = tapes.entries(NAME)
    path = tmp_path / "tapes" / "bodies" / f"{entry.body}.zst"
    path.write_bytes(zstandard.compress(b"something else"))
    with pytest.raises(StoreError, match=entry.body):
        tapes.body(entry.body)
    (tmp_path / "tapes" / "sites" / f"{NAME}.jsonl.zst").write_bytes(b"junk")
    with pytest.raises(StoreError, match=r"jsonl\.zst"):
        tapes.entries(NAME)


def test_an_unrecorded_site_has_nothing(tmp_path: Path) -> None:
    assert Cassettes(tmp_path).entries("T9-g1-r1/worker") == ()
    assert Inbound("HEAD", "/", "", (), b"", {}).is_call is False

"""The gateway over HTTP: routes, tokens, streams, errors, records."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from push_pull import FILE, seat

from gatebench.errors import LookError
from gatebench.gateway import Gateway, Message, Refusal, Request, ScriptedEngine, Site, SiteSpec
from gatebench.gateway.app import BODY_LIMIT
from gatebench.model.usage import Call, Role

PROMPT = "Add push and pull."
TOOLS = [{"name": name} for name in ("Bash", "Edit", "Write", "Read", "Grep", "Glob")]
ENVIRONMENT = "# Environment\n - Primary working directory: /srv/copy\n - Platform: linux"


def asked(*more: dict[str, Any], **changes: Any) -> dict[str, Any]:
    first = {"role": "user", "content": [{"type": "text", "text": PROMPT}]}
    told = {"role": "system", "content": ENVIRONMENT}
    messages = [first, told, *more]
    return {
        "model": "simulated",
        "max_tokens": 100,
        "messages": messages,
        "tools": TOOLS,
        **changes,
    }


class Talk:
    """A gateway with one site, and a client at its socket."""

    def __init__(self, gateway: Gateway, site: Site, client: httpx.AsyncClient) -> None:
        self.gateway, self.site, self.client = gateway, site, client

    async def post(self, body: Any, path: str = "/v1/messages") -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post(f"{self.site.base_url}{path}", content=content)


def talk(
    tmp_path: Path, act: Callable[[Talk], Awaitable[None]], engine: Any = None
) -> list[tuple[Call, Request]]:
    """Act on a fresh gateway; the calls it recorded."""
    calls: list[tuple[Call, Request]] = []
    engine = engine or ScriptedEngine(seat())
    spec = SiteSpec("T1-g1-r1/worker", Role.WORKER, engine, None, lambda c, r: calls.append((c, r)))

    async def run() -> None:
        transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "model.sock"))
        async with (
            Gateway(tmp_path / "model.sock") as gateway,
            httpx.AsyncClient(transport=transport) as client,
        ):
            await act(Talk(gateway, gateway.open_site(spec), client))

    anyio.run(run)
    return calls


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    events = []
    for chunk in text.strip().split("\n\n"):
        head, data = chunk.split("\n")
        events.append((head.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def put_together(events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """The message that a client makes of a stream."""
    message: dict[str, Any] = {}
    pieces: dict[int, str] = {}
    for kind, data in events:
        assert data["type"] == kind
        if kind == "message_start":
            message = data["message"]
        elif kind == "content_block_start":
            message["content"].append(data["content_block"])
            pieces[data["index"]] = ""
        elif kind == "content_block_delta":
            pieces[data["index"]] += data["delta"].get("text", data["delta"].get("partial_json"))
        elif kind == "message_delta":
            message |= data["delta"]
            message["usage"] |= data["usage"]
    for index, text in pieces.items():
        block = message["content"][index]
        block.update({"input": json.loads(text)} if "input" in block else {"text": text})
    return message


def test_a_stream_makes_the_same_message_as_the_plain_answer(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        plain = await here.post(asked())
        stream = await here.post(asked(stream=True))
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = read_events(stream.text)
        assert put_together(events) == plain.json()
        kinds = [kind for kind, _ in events]
        assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])
        assert "ping" in kinds

    calls = talk(tmp_path, act)
    assert [call.status for call, _ in calls] == [200, 200]


def test_a_message_has_the_providers_shape(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        message = (await here.post(asked())).json()
        assert (message["type"], message["role"], message["model"]) == (
            "message",
            "assistant",
            "simulated",
        )
        assert message["stop_reason"] == "tool_use"
        use = message["content"][-1]
        assert use["input"] == {"file_path": f"/srv/copy/{FILE}"}
        assert message["usage"]["output_tokens"] > 0

    ((call, request),) = talk(tmp_path, act)
    assert request["messages"][0]["content"][0]["text"] == PROMPT
    assert (call.site, call.role, call.model_served) == (
        "T1-g1-r1/worker",
        Role.WORKER,
        "simulated",
    )
    assert call.usage.output_tokens


def test_tokens_open_their_own_site_until_it_is_closed(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        gone = here.gateway.open_site(here.site.spec)
        assert gone.token != here.site.token
        here.gateway.close_site(gone)
        here.gateway.close_site(gone)
        refused = await here.client.post(f"{gone.base_url}/v1/messages", json=asked())
        assert (refused.status_code, refused.json()["error"]["type"]) == (403, "permission_error")
        for token in ("nobody", "", here.site.token[:-1]):
            unknown = await here.client.post(f"http://localhost/{token}/v1/messages", json=asked())
            assert unknown.status_code == 404
            assert unknown.json()["error"]["type"] == "not_found_error"
        assert here.gateway.strays == 2

    assert talk(tmp_path, act) == []


def test_probes_and_counting_are_no_calls(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        assert (await here.client.head(here.site.base_url)).status_code == 200
        assert (await here.client.get(f"{here.site.base_url}/")).status_code == 200
        counted = await here.post(asked(), "/v1/messages/count_tokens")
        assert counted.json()["input_tokens"] > 0

    assert talk(tmp_path, act) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\xff", 400),
        (b'{"model": "\\ud800", "messages": []}', 400),
        ({"model": "m"}, 400),
        ({"messages": []}, 400),
        (b" " * (BODY_LIMIT + 1), 413),
        (asked(messages=[]), 400),
        (asked(messages=["x", 3, {"role": "user", "content": [7]}]), 400),
    ],
)
def test_a_bad_request_gets_the_providers_error_and_is_recorded(
    tmp_path: Path, body: Any, status: int
) -> None:
    async def act(here: Talk) -> None:
        answer = await here.post(body)
        assert (answer.status_code, answer.json()["type"]) == (status, "error")

    ((call, _),) = talk(tmp_path, act)
    assert (call.status, call.usage.output_tokens, call.model_served) == (status, None, None)


class Raising:
    """An engine that fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def answer(self, site: Site, request: Request) -> Message:
        del site, request
        raise self.error

    async def count(self, site: Site, request: Request) -> int:
        del site, request
        raise self.error


def test_an_engines_fault_is_a_500_that_tells_nothing_and_is_kept(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        for path in ("/v1/messages", "/v1/messages/count_tokens"):
            answer = await here.post(asked(), path)
            assert answer.status_code == 500
            assert answer.json()["error"] == {
                "type": "api_error",
                "message": "Internal server error",
            }
        assert [name for name, _ in here.gateway.faults] == ["T1-g1-r1/worker"] * 2

    ((call, _),) = talk(tmp_path, act, Raising(ValueError("secret path /x")))
    assert call.status == 500


def test_an_engine_may_refuse_with_a_status_of_its_own(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        answer = await here.post(asked())
        assert (answer.status_code, answer.json()["error"]["type"]) == (529, "overloaded_error")

    ((call, _),) = talk(tmp_path, act, Raising(Refusal(529, "Overloaded")))
    assert call.status == 529


def test_asides_without_tools_get_a_short_word_and_move_nothing(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        before = (await here.post(asked())).json()
        title = (await here.post(asked(tools=[], model="haiku"))).json()
        assert (title["stop_reason"], title["model"]) == ("end_turn", "haiku")
        assert len(title["content"][0]["text"]) < 40
        assert (await here.post(asked())).json() == before

    talk(tmp_path, act)


def test_the_socket_is_gone_afterwards_and_a_taken_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"

    async def act(_here: Talk) -> None:
        assert path.is_socket()
        with pytest.raises(LookError, match="can't be opened"):
            await Gateway(path).__aenter__()
        with pytest.raises(LookError, match="too long"):
            await Gateway(tmp_path / ("x" * 108)).__aenter__()

    talk(tmp_path, act)
    assert not path.exists()


def test_an_error_of_the_callers_comes_out_as_it_is(tmp_path: Path) -> None:
    async def act(_here: Talk) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        talk(tmp_path, act)
    assert not (tmp_path / "model.sock").exists()


def test_half_a_surrogate_in_a_files_name_does_no_harm(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        diff = f"+++ b/\ud800.py\n@@ -1 +1 @@\n+x\n+++ b/{FILE}\n@@ -1 +1 @@\n+x"
        review = {"role": "user", "content": diff}
        for stream in (True, False):
            body = asked(
                messages=[review], stream=stream, tools=[*TOOLS, {"name": "StructuredOutput"}]
            )
            assert (await here.post(body)).status_code == 200
        assert here.gateway.faults == []

    talk(tmp_path, act, ScriptedEngine(seat(Role.REVIEWER_A, stop=1)))


def test_many_sites_answer_at_once(tmp_path: Path) -> None:
    async def act(here: Talk) -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(50):
                tasks.start_soon(here.post, asked(stream=True))

    assert len(talk(tmp_path, act)) == 50

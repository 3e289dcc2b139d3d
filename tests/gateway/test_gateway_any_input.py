"""Anyone who holds a token may send anything: it is answered or refused, never a fault."""

import json
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from push_pull import seat

from gatebench.gateway import Gateway, Refusal, ScriptedEngine, Site, SiteSpec
from gatebench.gateway.sse import events
from gatebench.model.usage import Role

LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
JSON = st.recursive(
    LEAF,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(("Edit", "Write", "Read", "Bash", "StructuredOutput", "x"))
INPUT = JSON | st.fixed_dictionaries({"file_path": JSON, "new_string": JSON, "old_string": JSON})
IDS = st.sampled_from(("t1", "t2", 3, None))
USE = st.fixed_dictionaries({"type": st.just("tool_use"), "id": IDS, "name": NAMES, "input": INPUT})
RESULT = st.fixed_dictionaries(
    {"type": st.just("tool_result"), "tool_use_id": IDS, "content": JSON, "is_error": JSON}
)
TEXTS = st.sampled_from(
    (
        "task",
        "Stop hook feedback:\nx",
        "<system-reminder>",
        "+++ b/tinydb/operations.py\n@@ -1 +1 @@\n+x",
    )
)
TEXT = st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS | JSON})
CONTENT = st.lists(USE | RESULT | TEXT | JSON, max_size=4) | JSON
ROLES = st.sampled_from(("user", "assistant", "system", "x"))
MESSAGE = st.fixed_dictionaries({"role": ROLES, "content": CONTENT}) | JSON
TOOLS = st.lists(st.fixed_dictionaries({"name": NAMES}) | JSON, max_size=4) | JSON


async def asked(role: Role, request: dict[str, Any]) -> str:
    engine = ScriptedEngine(seat(role, stop=1))
    site = Site(SiteSpec("t", role, engine), "token")
    try:
        answer = await engine.answer(site, request)
    except Refusal as refusal:
        return "refused" if refusal.status == 400 else f"refused with {refusal.status}"
    json.dumps(answer)
    return "answered" if list(events(answer)) else "nothing to send"


@given(st.lists(MESSAGE, max_size=6), TOOLS, JSON, st.sampled_from(list(Role)))
@settings(max_examples=150, deadline=None)
def test_any_request_is_answered_or_refused(
    messages: list[Any], tools: Any, system: Any, role: Role
) -> None:
    first = {"role": "user", "content": "task"}
    for started in ([], [first]):
        body = {"model": "m", "messages": [*started, *messages], "tools": tools, "system": system}
        assert anyio.run(asked, role, body) in {"answered", "refused"}


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"model":"m","messages":[' + b"[" * 100_000])
def test_deep_nesting_is_refused(tmp_path: Any, body: bytes) -> None:
    import httpx  # noqa: PLC0415  # for this alone

    async def run() -> None:
        path = str(tmp_path / "model.sock")
        transport = httpx.AsyncHTTPTransport(uds=path)
        async with (
            Gateway(tmp_path / "model.sock") as gateway,
            httpx.AsyncClient(transport=transport) as client,
        ):
            site = gateway.open_site(SiteSpec("t", Role.WORKER, ScriptedEngine(seat())))
            answer = await client.post(f"{site.base_url}/v1/messages", content=body)
            assert (answer.status_code, gateway.faults) == (400, [])

    anyio.run(run)

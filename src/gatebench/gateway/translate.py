"""Between the Messages API, as the command-line agent speaks it, and the team's view.

The agent's versions differ: notices come as ``<system-reminder>`` blocks inside user messages or as
messages whose role is ``system``; a Stop hook's feedback comes bare or inside such a block; content
is a string or a list. Whatever isn't understood is left out, never guessed at.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gatebench.gateway.site import Message, Request
from gatebench.model.seeds import derive
from gatebench.model.usage import Usage
from gatebench.team import Feedback, Reply, Said, Seat, Text, ToolResult, ToolUse, View
from gatebench.team.view import Block, Turn

FEEDBACK = "Stop hook feedback:\n"
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_CLOSED = re.compile(r"\s*</system-reminder>\s*\Z")
_CWD = re.compile(r"[Ww]orking directory: *(/[^\n]*)")


def view_of(request: Request) -> View:
    """What a request shows the role that made it."""
    messages = _mappings(request.get("messages"))
    own = {"cwd": found} if (found := _cwd(request, messages)) else {}
    return View(_prompt(messages), tuple(_turns(messages)), tool_names(request), **own)


def tool_names(request: Request) -> frozenset[str]:
    """The tools that a request offers."""
    return frozenset(str(tool.get("name")) for tool in _mappings(request.get("tools")))


def message_of(reply: Reply, seat: Seat, request: Request) -> Message:
    """A reply as a message; ids depend on the seat and the place in the transcript alone."""
    at = sum(m.get("role") == "assistant" for m in _mappings(request.get("messages")))
    key = (seat.role.value, seat.stop, seat.retry, at)
    content = [_block_json(b, derive(seat.seed, *key, n)) for n, b in enumerate(reply.blocks)]
    return message(f"msg_{derive(seat.seed, *key):020d}", str(request["model"]), content, reply)


def message(name: str, model: str, content: list[dict[str, Any]], reply: Reply) -> Message:
    """A whole message of the Messages API."""
    return {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": reply.usage.model_dump(exclude_none=True),
    }


def usage_of(answer: Message) -> Usage:
    """The token counts of a message; what it doesn't say is unknown."""
    counts = answer.get("usage") or {}
    return Usage(**{name: counts.get(name) for name in Usage.model_fields})


def _block_json(block: Block, name: int) -> dict[str, Any]:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    use = {"id": f"toolu_{name:020d}", "name": block.name, "input": dict(block.input)}
    return {"type": "tool_use", **use}


def _prompt(messages: list[Mapping[str, Any]]) -> str:
    """The last plain text of the first user message that has one."""
    for message in messages:
        if message.get("role") == "user":
            texts = [t for b in _blocks(message) if (t := _plain(b)) and not _feedback(b)]
            if texts:
                return texts[-1]
    return ""


def _turns(messages: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    for message in messages:
        if message.get("role") == "assistant":
            yield Said(tuple(_said(_blocks(message))))
        elif message.get("role") == "user":
            yield from _heard(_blocks(message))


def _said(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    for block in blocks:
        if block.get("type") == "text":
            yield Text(str(block.get("text", "")))
        elif block.get("type") == "tool_use":
            given = block.get("input")
            own = dict(given) if isinstance(given, Mapping) else {}
            yield ToolUse(str(block.get("name")), own, str(block.get("id")))


def _heard(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Turn]:
    for block in blocks:
        if block.get("type") == "tool_result":
            text = "\n".join(str(b.get("text", "")) for b in _blocks(block))
            failed = bool(block.get("is_error"))
            yield ToolResult(str(block.get("tool_use_id")), text, failed)
        elif (reason := _feedback(block)) is not None:
            yield Feedback(reason)


def _blocks(holder: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The content of a message or a tool result, as blocks."""
    content = holder.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return _mappings(content)


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a JSON array; anyone with a token may send anything."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _plain(block: Mapping[str, Any]) -> str:
    """A text block without the agent's notices."""
    text = str(block.get("text", "")) if block.get("type") == "text" else ""
    return _REMINDER.sub("", text).strip()


def _feedback(block: Mapping[str, Any]) -> str | None:
    """The reason that a Stop hook gave, bare or wrapped as a notice."""
    text = str(block.get("text", "")) if block.get("type") == "text" else ""
    head, found, reason = text.partition(FEEDBACK)
    if not found or (head and not head.startswith("<system-reminder>")):
        return None
    return _CLOSED.sub("", reason) if head else reason


def _cwd(request: Request, messages: list[Mapping[str, Any]]) -> str | None:
    """The working directory that the agent tells its model about."""
    told = [m for m in messages if m.get("role") in {"system", "user"}]
    holders = [{"content": request.get("system")}, *told[:3]]
    texts = (str(b.get("text", "")) for holder in holders for b in _blocks(holder))
    found = next((match for text in texts if (match := _CWD.search(text))), None)
    return found[1].strip().rstrip("/") if found else None

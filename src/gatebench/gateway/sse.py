"""A message as the provider streams it: server-sent events, one per piece."""

import json
from collections.abc import Iterator
from typing import Any

_PIECE = 120
"""Characters per delta."""


def events(message: dict[str, Any]) -> Iterator[bytes]:
    """The events of a message, in the provider's order, ready to be sent."""
    usage = message["usage"]
    head = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield _event("message_start", message={**head, "usage": {**usage, "output_tokens": 1}})
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]}
    yield _event("message_delta", delta=delta, usage=usage)
    yield _event("message_stop")


def _block(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    tool = block["type"] == "tool_use"
    empty = {**block, "input": {}} if tool else {**block, "text": ""}
    yield _event("content_block_start", index=index, content_block=empty)
    if index == 0:
        yield _event("ping")
    text = json.dumps(block["input"]) if tool else block["text"]
    for at in range(0, len(text), _PIECE):
        yield _event("content_block_delta", index=index, delta=_delta(text[at : at + _PIECE], tool))
    yield _event("content_block_stop", index=index)


def _delta(piece: str, tool: bool) -> dict[str, str]:  # noqa: FBT001  # which of the two kinds
    if tool:
        return {"type": "input_json_delta", "partial_json": piece}
    return {"type": "text_delta", "text": piece}


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()

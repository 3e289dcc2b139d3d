"""A model for tests: answers the Messages API over a unix socket with what a script says."""

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

Block = dict[str, Any]
Script = Callable[[int, dict[str, Any]], list[Block]]
"""Number of model turns so far in the conversation, and the request: the next turn's blocks."""


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def bash(command: str) -> Block:
    return {"type": "tool_use", "id": "", "name": "Bash", "input": {"command": command}}


class Loopback:
    """What was asked, and what is answered."""

    def __init__(self, script: Script, status: int = 200) -> None:
        self.script = script
        self.status = status
        self.requests: list[dict[str, Any]] = []

    @property
    def asked(self) -> str:
        """Everything that the model was shown, as one text."""
        return json.dumps(self.requests)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        turn = sum(m["role"] == "assistant" for m in request["messages"])
        blocks = [dict(b) for b in self.script(turn, request)]
        for i, block in enumerate(blocks):
            if block["type"] == "tool_use":
                block["id"] = f"toolu_{turn}_{i}"
        tools = any(b["type"] == "tool_use" for b in blocks)
        return {
            "id": f"msg_{turn}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": blocks,
            "stop_reason": "tool_use" if tools else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }


def _events(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    content, reason = message["content"], message["stop_reason"]
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for i, block in enumerate(content):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            said = json.dumps(block["input"])
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": said}
        yield "content_block_start", {"index": i, "content_block": empty}
        yield "content_block_delta", {"index": i, "delta": delta}
        yield "content_block_stop", {"index": i}
    end = {"stop_reason": reason, "stop_sequence": None}
    yield "message_delta", {"delta": end, "usage": message["usage"]}
    yield "message_stop", {}


def _stream(message: dict[str, Any]) -> bytes:
    return b"".join(
        f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
        for name, data in _events(message)
    )


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    loopback: Loopback


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        loopback = self.server.loopback
        if "count_tokens" in self.path:
            self._send(200, "application/json", b'{"input_tokens": 10}')
        elif loopback.status != 200:
            loopback.requests.append(body)
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
            self._send(loopback.status, "application/json", json.dumps(error).encode())
        elif body.get("stream"):
            self._send(200, "text/event-stream", _stream(loopback.reply(body)))
        else:
            self._send(200, "application/json", json.dumps(loopback.reply(body)).encode())

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", b"")

    do_GET = do_HEAD  # noqa: N815  # the name the handler is looked up by

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self) -> str:
        return "peer"  # a unix peer has no address

    def log_message(self, *_args: Any) -> None:
        """Quiet."""


@contextmanager
def serve(loopback: Loopback, socket: Path) -> Iterator[Loopback]:
    """Answer at a socket, from a thread of its own."""
    with _Server(str(socket), _Handler) as server:
        server.loopback = loopback
        socket.chmod(0o666)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield loopback
        finally:
            server.shutdown()
            thread.join()

"""The loopback provider: an HTTP server of its own, so that it can break every rule of HTTP."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h11

from gatebench.gateway.errors import error_body
from gatebench.gateway.sse import events
from provider.faults import Fault, Plan

KEY = "sk-ant-api03-THIS-is-the-key-of-the-job-and-nobody-else-may-see-it-0123456789AA"
"""The key that the provider accepts."""
OTHER_MODEL = "claude-haiku-4-5"
STREAM = [("content-type", "text/event-stream"), ("request-id", "req_1")]
JSON = [("content-type", "application/json"), ("set-cookie", "account=42")]
_RATE = "This request would exceed your organization's rate limit of 40,000 tokens per minute"
_LIMIT = "You have reached your specified API usage limits."
_LIFTS = f"{_LIMIT} You will regain access on 2099-01-01 at 00:00 UTC."
_STATUS = {
    Fault.TOO_MANY: (429, _RATE),
    Fault.TOO_MANY_LATER: (429, _RATE),
    Fault.OVERLOADED: (529, "Overloaded"),
    Fault.BROKEN: (500, "Internal server error"),
    Fault.LIMIT: (429, _LIMIT),
    Fault.LIMIT_FAR: (400, _LIFTS),
    Fault.UNAUTHORIZED: (401, "invalid x-api-key"),
    Fault.NO_CREDIT: (400, "Your credit balance is too low to access the Anthropic API."),
    Fault.REFUSED: (400, "messages.1: bad"),
}
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""A request's message, whole."""


@dataclass(frozen=True)
class Served:
    """One model call as the provider saw it."""

    fault: Fault | None
    usage: dict[str, int]
    """What it counts for it: nothing where it answered with an error."""
    model: str
    headers: dict[str, str]
    request: dict[str, Any]
    at: float


@dataclass
class Provider:
    """The provider's side: its answers, its count, its faults."""

    answer: Answer
    plan: Plan = lambda _number: None
    key: str | None = KEY
    """``None``: asks for none."""
    retry_after_s: float = 0.3
    stall_s: float = 30.0
    lag_s: float = 0.0
    """Before the first byte of an answer."""
    served: list[Served] = field(default_factory=list)
    asides: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Method, target and headers of what was no model call."""
    sent: list[bytes] = field(default_factory=list)
    """Body of each whole answer, as put on the wire."""
    date: str | None = None
    """What it says the time is, of asides."""
    url: str = ""
    at_once: int = 0
    most_at_once: int = 0

    def total(self, name: str) -> int:
        """All tokens of a kind that it counted."""
        return sum(s.usage.get(name, 0) for s in self.served)


@asynccontextmanager
async def serve(provider: Provider, path: Path | None = None, port: int = 0) -> AsyncIterator[str]:
    """Serve on loopback, or at a unix socket; gives the URL."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _Connection(provider, reader, writer).run()

    if path is not None:
        server = await asyncio.start_unix_server(handle, str(path))
        provider.url = "http://localhost"
    else:
        server = await asyncio.start_server(handle, "127.0.0.1", port)
        provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield provider.url
    finally:
        server.close()


class _Gone(Exception):  # noqa: N818  # how a connection ended
    """The connection is no more."""


class _Connection:
    """One connection, request after request."""

    def __init__(
        self, provider: Provider, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.provider, self.reader, self.writer = provider, reader, writer
        self.http = h11.Connection(h11.SERVER)

    async def run(self) -> None:
        try:
            while True:
                await self._one()
                self.http.start_next_cycle()
        except (_Gone, ConnectionError, h11.ProtocolError, asyncio.CancelledError):
            pass
        finally:
            self.writer.close()

    async def _one(self) -> None:
        request, body = await self._read()
        target = request.target.decode()
        headers = {k.decode(): v.decode() for k, v in request.headers}
        method = request.method.decode()
        if method != "POST" or "/v1/messages?" not in f"{target}?":
            self.provider.asides.append((method, target, headers))
            found = json.dumps({"input_tokens": 77}).encode() if method == "POST" else b""
            said = [("date", self.provider.date)] if self.provider.date else []
            await self._send(200, [*JSON, *said], found, head=method == "HEAD")
            return
        self.provider.at_once += 1
        self.provider.most_at_once = max(self.provider.most_at_once, self.provider.at_once)
        try:
            await self._call(headers, json.loads(body))
        finally:
            self.provider.at_once -= 1

    async def _read(self) -> tuple[h11.Request, bytes]:
        request: h11.Request | None = None
        body = b""
        while True:
            event = self.http.next_event()
            if event is h11.NEED_DATA:
                self.http.receive_data(await self.reader.read(65_536))
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage) and request is not None:
                return request, body
            else:
                raise _Gone

    async def _call(self, headers: dict[str, str], request: dict[str, Any]) -> None:
        provider = self.provider
        fault = provider.plan(len(provider.served) + 1)
        if provider.key is not None and provider.key not in _credentials(headers):
            fault = Fault.UNAUTHORIZED
        whole = await provider.answer(request)
        message = _changed(whole, fault, provider)
        streamed = bool(request.get("stream"))
        usage = {} if fault in _STATUS else _counted(message, fault, streamed=streamed)
        model = str(message["model"])
        provider.served.append(Served(fault, usage, model, headers, request, time.monotonic()))
        await asyncio.sleep(provider.lag_s)
        if fault in _STATUS:
            await self._refuse(fault)
        elif fault is Fault.RESET:
            self._reset()
        elif streamed:
            await self._stream(message, fault)
        else:
            data = json.dumps(message).encode()
            await self._send(200, JSON, data)

    async def _refuse(self, fault: Fault) -> None:
        status, said = _STATUS[fault]
        headers = [*JSON, ("anthropic-organization-id", "org-42")]
        if fault is Fault.TOO_MANY_LATER:
            headers.append(("retry-after", f"{self.provider.retry_after_s}"))
        if fault is Fault.LIMIT:
            soon = int(time.time() + 1)
            headers.append(("anthropic-ratelimit-unified-reset", f"{soon}"))
        await self._send(status, headers, json.dumps(error_body(status, said)).encode())

    async def _stream(self, message: dict[str, Any], fault: Fault | None) -> None:
        pieces = _pieces(message, fault)
        self._write(h11.Response(status_code=200, headers=STREAM))
        for piece in pieces:
            self._write(h11.Data(piece))
            await self.writer.drain()
        if fault in {Fault.STALL, Fault.STALL_EARLY}:
            await asyncio.sleep(self.provider.stall_s)
        if fault in {Fault.CUT, Fault.CUT_EARLY, Fault.STALL, Fault.STALL_EARLY}:
            raise _Gone
        self._write(h11.EndOfMessage())
        await self.writer.drain()
        self.provider.sent.append(b"".join(pieces))

    async def _send(
        self, status: int, headers: list[tuple[str, str]], body: bytes, *, head: bool = False
    ) -> None:
        length = ("content-length", str(len(body)))
        self._write(h11.Response(status_code=status, headers=[*headers, length]))
        if body and not head:
            self._write(h11.Data(body))
        self._write(h11.EndOfMessage())
        await self.writer.drain()
        self.provider.sent.append(body)

    def _write(self, event: h11.Event) -> None:
        data = self.http.send(event)
        self.writer.write(data or b"")

    def _reset(self) -> None:
        """Not a polite end: RST where the transport has one."""
        sock = self.writer.get_extra_info("socket")
        if sock.family == socket.AF_INET:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        raise _Gone


def _credentials(headers: dict[str, str]) -> set[str]:
    return {headers.get("x-api-key", ""), headers.get("authorization", "").removeprefix("Bearer ")}


def _changed(message: dict[str, Any], fault: Fault | None, provider: Provider) -> dict[str, Any]:
    """The message with the fault that lies in itself."""
    if fault is Fault.OTHER_MODEL:
        return {**message, "model": OTHER_MODEL}
    if fault in {Fault.ECHO, Fault.ECHO_PIECES} and provider.key:
        said = f"Your key is {provider.key}, isn't it"
        return {**message, "content": [{"type": "text", "text": said}, *message["content"]]}
    return message


_NOT_ANSWERED = frozenset((Fault.RESET, Fault.OVERLOADED_EVENT))
_EARLY = frozenset((Fault.CUT_EARLY, Fault.STALL_EARLY, Fault.MALFORMED_EARLY))


def _counted(message: dict[str, Any], fault: Fault | None, *, streamed: bool) -> dict[str, int]:
    """What the provider charges: what it made, whether it arrived or not."""
    usage = {k: v for k, v in message["usage"].items() if isinstance(v, int)}
    if fault is Fault.RESET or (streamed and fault in _NOT_ANSWERED):
        return {}
    return {**usage, "output_tokens": 1} if streamed and fault in _EARLY else usage


def _pieces(message: dict[str, Any], fault: Fault | None) -> list[bytes]:
    """The events that are sent, up to where they go wrong."""
    whole = list(events(message))
    body = next(i for i, piece in enumerate(whole) if piece.startswith(b"event: content_block_del"))
    error = {"type": "overloaded_error", "message": "Overloaded"}
    data = json.dumps({"type": "error", "error": error}).encode()
    overloaded = b"event: error\ndata: " + data + b"\n\n"
    malformed = b'event: content_block_start\ndata: {"type": "content_bl\n\n'
    shapes: dict[Fault, list[bytes]] = {
        Fault.CUT: [*whole[: body + 1], whole[body + 1][:17]],
        Fault.CUT_EARLY: whole[:1],
        Fault.STALL: whole[: body + 1],
        Fault.STALL_EARLY: whole[:1],
        Fault.MALFORMED: [*whole[: body + 1], malformed, *whole[body + 1 :]],
        Fault.MALFORMED_EARLY: [whole[0], malformed, *whole[1:]],
        Fault.OVERLOADED_EVENT: [whole[0], overloaded],
        Fault.OVERLOADED_LATE: [*whole[: body + 1], overloaded],
        Fault.NO_USAGE: [_without_usage(piece) for piece in whole],
        Fault.ECHO_PIECES: [small for piece in whole for small in _cut_up(piece)],
    }
    return shapes.get(fault, whole) if fault else whole


def _without_usage(piece: bytes) -> bytes:
    head, _, data = piece.partition(b"\ndata: ")
    event = json.loads(data)
    event.pop("usage", None)
    event.get("message", {}).pop("usage", None)
    return head + b"\ndata: " + json.dumps(event).encode() + b"\n\n"


def _cut_up(piece: bytes) -> list[bytes]:
    """Deltas of five characters."""
    head, _, data = piece.partition(b"\ndata: ")
    event = json.loads(data)
    text = event.get("delta", {}).get("text")
    if not isinstance(text, str):
        return [piece]
    small = [text[at : at + 5] for at in range(0, len(text), 5)]
    cut = [{**event, "delta": {**event["delta"], "text": part}} for part in small]
    return [head + b"\ndata: " + json.dumps(one).encode() + b"\n\n" for one in cut]

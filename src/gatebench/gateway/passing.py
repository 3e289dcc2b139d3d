"""Passing a relay's answer on to the client: its bytes as they come, its end as it ends."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import cast

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gatebench.gateway.errors import Refusal, error_body
from gatebench.gateway.site import BrokenOff, Headers, Inbound, Outbound, Relay, Site

OnFault = Callable[[Site, Exception], None]
_ENCODING = "latin-1"
_DONT_RETRY = ("x-should-retry", "false")
_OK = 200
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'


class Passing(Response):
    """One answer.

    A client that goes away ends the relay at once, and so the request upstream; an upstream that
    breaks off lets the client see a connection that breaks off. A client that has to wait for a
    long time for a stream is sent the provider's own pings: it would give up after five minutes.
    """

    quiet_s = 60.0
    """Before the first ping."""
    ping_s = 30.0
    """Between pings."""

    def __init__(self, site: Site, relay: Relay, inbound: Inbound, on_fault: OnFault) -> None:
        super().__init__()
        self._site, self._relay, self._inbound = site, relay, inbound
        self._on_fault = on_fault
        self._begun = False
        """The answer's head is out."""
        self._pinging = anyio.CancelScope()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        del scope
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            if self._inbound.is_call and self._inbound.request.get("stream"):
                group.start_soon(self._ping, send)
            await self._pass_on(send)
            group.cancel_scope.cancel()

    async def _pass_on(self, send: Send) -> None:
        """Relay the answer, or say why there is none."""
        try:
            async with self._relay.relay(self._site, self._inbound) as outbound:
                await self._send(outbound, send)
        except Refusal as refusal:
            await self._send(_error(refusal.status, refusal.message), send)
        except BrokenOff:
            # Ending without a last piece makes the server drop the connection.
            return
        except Exception as error:  # noqa: BLE001  # the boundary to engines and sinks
            self._on_fault(self._site, error)
            if not self._answering:
                await self._send(_error(500, "Internal server error"), send)

    @property
    def _answering(self) -> bool:
        return self._begun and self._pinging.cancel_called

    async def _send(self, outbound: Outbound, send: Send) -> None:
        """Pass an answer on; after a ping it can only be a stream, and an error an event of it."""
        self._pinging.cancel()
        as_event = self._begun and outbound.status != _OK
        if not self._begun:
            await self._start(outbound.status, outbound.headers, send)
        body = cast("AsyncGenerator[bytes, None]", outbound.body)
        async with aclosing(body), _outlet(send) as outlet:
            async for data in body:
                outlet.put(b"event: error\ndata: %b\n\n" % data if as_event else data)
        await _piece(b"", send, more=False)

    async def _ping(self, send: Send) -> None:
        with self._pinging:
            await anyio.sleep(self.quiet_s)
            await self._start(_OK, (("content-type", "text/event-stream"),), send)
            while True:
                await _piece(_PING, send)
                await anyio.sleep(self.ping_s)

    async def _start(self, status: int, headers: Headers, send: Send) -> None:
        self._begun = True
        pairs = [(name.encode(_ENCODING), value.encode(_ENCODING)) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": pairs})


class _Outlet:
    """Sends in one go what has come in one go.

    Each send is a system call that wakes the client up, and a provider's events come several to a
    packet. What is put is sent as soon as whoever puts has to wait for more.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._pieces: list[bytes] = []
        self._ready = anyio.Event()
        self._closed = False

    def put(self, data: bytes) -> None:
        """More to send; never waits."""
        self._pieces.append(data)
        self._ready.set()

    def close(self) -> None:
        """Nothing more comes; what there is is still sent."""
        self._closed = True
        self._ready.set()

    async def run(self) -> None:
        """Send until it is closed and empty."""
        while self._pieces or not self._closed:
            await self._ready.wait()
            pieces, self._pieces = self._pieces, []
            if not self._closed:
                self._ready = anyio.Event()
            if pieces:
                await _piece(b"".join(pieces), self._send)


@asynccontextmanager
async def _outlet(send: Send) -> AsyncIterator[_Outlet]:
    """An outlet; at the end of the block everything has been sent, however it ended."""
    outlet = _Outlet(send)
    # No task group: what the block raises must come out as it is, not in a group.
    running = asyncio.create_task(outlet.run())
    try:
        yield outlet
    except asyncio.CancelledError:
        running.cancel()
        raise
    finally:
        outlet.close()
        with suppress(asyncio.CancelledError):
            await running


def _error(status: int, message: str) -> Outbound:
    """An error of ours in the provider's form."""

    async def body() -> AsyncIterator[bytes]:
        yield json.dumps(error_body(status, message)).encode()

    return Outbound(status, (("content-type", "application/json"), _DONT_RETRY), body())


async def _piece(data: bytes, send: Send, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": more})


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Wait for the client to hang up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()

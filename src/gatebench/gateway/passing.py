"""Passing a relay's answer on to the client: its bytes as they come, its end as it ends."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import cast

from starlette.types import Receive, Scope, Send

from gatebench.gateway.errors import Refusal, error_body
from gatebench.gateway.site import BrokenOff, Headers, Inbound, Outbound, Relay, Site

OnFault = Callable[[Site, Exception], None]
_ENCODING = "latin-1"
_DONT_RETRY = ("x-should-retry", "false")
_OK = 200
_PING = b'event: ping\ndata: {"type": "ping"}\n\n'


class Passing:
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
        self._site, self._relay, self._inbound = site, relay, inbound
        self._on_fault = on_fault
        self._begun = False
        """The answer's head is out."""
        self._answering = False
        """It, or what follows, is the relay's and no ping."""
        self._over = False
        """Everything has been sent, or will be at once."""
        self._left = False
        """The client hung up before that."""

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        # No task group: every call pays for it, and hardly one needs what it offers.
        here = cast("asyncio.Task[None]", asyncio.current_task())
        watch = asyncio.create_task(_until_gone(receive))
        watch.add_done_callback(lambda _: self._leave(here))
        pings: list[asyncio.Task[None]] = []
        begin = lambda: pings.append(asyncio.create_task(self._ping(send)))  # noqa: E731
        timer = asyncio.get_running_loop().call_later(self.quiet_s, begin)
        try:
            await self._pass_on(send)
        except asyncio.CancelledError:
            if not self._left or here.uncancel():
                raise
        finally:
            self._over = True
            timer.cancel()
            for task in (watch, *pings):
                task.cancel()

    def _leave(self, here: "asyncio.Task[None]") -> None:
        """The server tells that the client is gone, or that the answer is."""
        if not self._over:
            self._left = True
            here.cancel()

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
            if not (self._begun and self._answering):
                await self._send(_error(500, "Internal server error"), send)

    async def _send(self, outbound: Outbound, send: Send) -> None:
        """Pass an answer on; after a ping it can only be a stream, and an error an event of it."""
        self._answering = True
        as_event = self._begun and outbound.status != _OK
        if not self._begun:
            await self._start(outbound.status, outbound.headers, send)
        body = cast("AsyncGenerator[bytes, None]", outbound.body)
        async with aclosing(body):
            async for data in body:
                await _piece(b"event: error\ndata: %b\n\n" % data if as_event else data, send)
        self._over = True
        await _piece(b"", send, more=False)

    async def _ping(self, send: Send) -> None:
        if self._answering or not (self._inbound.is_call and self._inbound.request.get("stream")):
            return
        await self._start(_OK, (("content-type", "text/event-stream"),), send)
        while not self._answering:
            await _piece(_PING, send)
            await asyncio.sleep(self.ping_s)

    async def _start(self, status: int, headers: Headers, send: Send) -> None:
        self._begun = True
        pairs = [(name.encode(_ENCODING), value.encode(_ENCODING)) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": pairs})


def _error(status: int, message: str) -> Outbound:
    """An error of ours in the provider's form."""

    async def body() -> AsyncIterator[bytes]:
        yield json.dumps(error_body(status, message)).encode()

    return Outbound(status, (("content-type", "application/json"), _DONT_RETRY), body())


async def _piece(data: bytes, send: Send, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": more})


async def _until_gone(receive: Receive) -> None:
    """Wait for the client to hang up."""
    while (await receive())["type"] != "http.disconnect":
        pass

"""Passing a relay's answer on to the client: its bytes as they come, its end as it ends."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast

import anyio
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from gatebench.gateway.errors import Refusal, error_body
from gatebench.gateway.site import BrokenOff, Headers, Inbound, Outbound, Relay, Site

OnFault = Callable[[Site, Exception], None]
_ENCODING = "latin-1"
_DONT_RETRY = {"x-should-retry": "false"}


class Passing(Response):
    """One answer.

    A client that goes away ends the relay at once, and so the request upstream; an upstream that
    breaks off lets the client see a connection that breaks off.
    """

    def __init__(self, site: Site, relay: Relay, inbound: Inbound, on_fault: OnFault) -> None:
        super().__init__()
        self._site, self._relay, self._inbound = site, relay, inbound
        self._on_fault = on_fault
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            failed = await self._pass_on(send)
            group.cancel_scope.cancel()
        if failed is not None and not self._begun:
            await failed(scope, receive, send)

    async def _pass_on(self, send: Send) -> Response | None:
        """Relay the answer; gives what to say instead where there was none."""
        try:
            async with self._relay.relay(self._site, self._inbound) as outbound:
                await self._send(outbound, send)
        except Refusal as refusal:
            return JSONResponse(refusal.body(), refusal.status, _DONT_RETRY)
        except BrokenOff:
            # Ending without a last piece makes the server drop the connection.
            return None
        except Exception as error:  # noqa: BLE001  # the boundary to engines and sinks
            self._on_fault(self._site, error)
            return JSONResponse(error_body(500, "Internal server error"), 500)
        return None

    async def _send(self, outbound: Outbound, send: Send) -> None:
        headers = _encoded(outbound.headers)
        await send({"type": "http.response.start", "status": outbound.status, "headers": headers})
        self._begun = True
        body = cast("AsyncGenerator[bytes, None]", outbound.body)
        async with aclosing(body):
            async for data in body:
                await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Wait for the client to hang up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode(_ENCODING), value.encode(_ENCODING)) for name, value in headers]

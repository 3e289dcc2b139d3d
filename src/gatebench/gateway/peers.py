"""Which process a request comes from: the kernel says so of whoever connects to a unix socket."""

import asyncio
import socket
import struct
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PEER = "gatebench.peer"
"""In a request's scope: the pid, as this process sees it; absent where the system doesn't tell."""
_CREDENTIALS = struct.Struct("3i")


class PeerProtocol(HttpToolsProtocol):
    """Serves HTTP, and notes with each request who connected."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Ask the kernel once per connection: it is the connecting process that counts."""
        super().connection_made(transport)
        self._peer = _pid(transport.get_extra_info("socket"))

    def on_message_begin(self) -> None:
        """A request begins: its scope is there."""
        super().on_message_begin()
        if self._peer is not None:
            scope: dict[str, Any] = self.scope  # type: ignore[assignment]
            scope[PEER] = self._peer


def _pid(sock: Any) -> int | None:
    """The peer's pid; ``None`` where there is none to be had."""
    option = getattr(socket, "SO_PEERCRED", None)
    if sock is None or option is None or sock.family != socket.AF_UNIX:
        return None
    told = sock.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    pid: int = _CREDENTIALS.unpack(told)[0]
    return pid or None

"""The gateway: a Messages API on a unix socket, inside the running event loop."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
import uvicorn

from gatebench.errors import LookError
from gatebench.gateway.app import build_app
from gatebench.gateway.errors import Refusal
from gatebench.gateway.peers import PeerProtocol
from gatebench.gateway.site import Site, SiteSpec

_PATH_LIMIT = 107
"""Bytes that a unix socket's path may have on Linux."""
_GRACE_S = 1
"""How long open answers may take to end when the gateway closes."""


class _Server(uvicorn.Server):
    """A server that leaves signals to the program it runs in, and tells when it is up.

    It sleeps until it is told to end: looking ten times a second whether it should is a good part
    of what a gateway in front of a slow model would cost.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = anyio.Event()
        self._ended = anyio.Event()

    def end(self) -> None:
        """Serve no more."""
        self.should_exit = True
        self._ended.set()

    async def main_loop(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets=sockets)
        self.up.set()


class Gateway:
    """The loopback model endpoint that every model call of every role goes through.

    ::

        async with Gateway(path) as gateway:
            site = gateway.open_site(SiteSpec("T1-g3-r1/worker", Role.WORKER, engine))
            ...                     # ANTHROPIC_BASE_URL=site.base_url
            gateway.close_site(site)

    Args:
        socket_path: where the socket shall be; at most 107 bytes, the file must not exist.
    """

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.strays = 0
        """Requests with a token that no site ever had."""
        self.faults: list[tuple[str, Exception]] = []
        """(site's name, error) of what engines and sinks raised; clients were told HTTP 500."""
        self._sites: dict[str, Site] = {}
        self._closed: set[str] = set()
        self._owners: dict[str, int] = {}
        """By token: the process that called first, before any tool of it could."""
        self._life = self._run()

    async def __aenter__(self) -> Self:
        """Open the socket.

        Raises:
            LookError: it can't be opened there.
        """
        await self._life.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close every site, end open answers, remove the socket."""
        return await self._life.__aexit__(kind, error, trace)

    def open_site(self, spec: SiteSpec) -> Site:
        """A new site with a token of its own."""
        site = Site(spec, secrets.token_hex(16))
        self._sites[site.token] = site
        return site

    def close_site(self, site: Site) -> None:
        """Refuse the site's token from now on; closing twice is harmless."""
        self._owners.pop(site.token, None)
        if self._sites.pop(site.token, None):
            self._closed.add(site.token)

    def find(self, token: str) -> Site:
        """The open site of a token.

        Raises:
            Refusal: there is none (404), or it is closed (403).
        """
        site = self._sites.get(token)
        if site:
            return site
        if token in self._closed:
            raise Refusal(403, "This session has ended")
        self.strays += 1
        raise Refusal(404, "Not found")

    def is_foreign(self, site: Site, pid: int | None) -> bool:
        """Whether a call comes from another process than the site's first."""
        return pid is not None and self._owners.setdefault(site.token, pid) != pid

    def fault(self, site: Site, error: Exception) -> None:
        """Keep what went wrong behind a site."""
        self.faults.append((site.spec.name, error))

    @asynccontextmanager
    async def _run(self) -> AsyncIterator[None]:
        listener = _listen(self.socket_path)
        server = _Server(_config(self))
        # No task group: an error of the caller's must come out as it is, not in a group.
        serving = asyncio.create_task(server.serve([listener]))
        try:
            await _up(server, serving)
            yield
        finally:
            server.end()
            with anyio.CancelScope(shield=True):
                await serving
            listener.close()
            with suppress(OSError):
                self.socket_path.unlink()


async def _up(server: _Server, serving: "asyncio.Task[None]") -> None:
    """Wait until it serves; a server that can't start says why and isn't waited for."""
    up = asyncio.create_task(server.up.wait())
    await asyncio.wait({up, serving}, return_when=asyncio.FIRST_COMPLETED)
    up.cancel()
    if serving.done():
        serving.result()


def _config(gateway: Gateway) -> uvicorn.Config:
    return uvicorn.Config(
        build_app(gateway),
        loop="none",
        http=PeerProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        # An answer that a provider broke off is broken off for the client, which uvicorn calls an
        # error; faults of ours are kept by `Gateway.fault`.
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )


def _listen(path: Path) -> socket.socket:
    """A listening socket that any user whom the directory lets in may connect to.

    Raises:
        LookError: it can't be opened there.
    """
    if len(str(path).encode()) > _PATH_LIMIT:
        raise LookError(f"the socket path '{path}' is too long.", "Use a shorter directory.")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        # The agent may run under another user id; the directory decides who gets here.
        path.chmod(0o666)
        listener.listen(128)
    except OSError as error:
        listener.close()
        hint = "Use a directory of your own; something else is there."
        raise LookError(f"the socket '{path}' can't be opened: {error.strerror}.", hint) from error
    listener.setblocking(False)  # noqa: FBT003  # the standard library's own signature
    return listener

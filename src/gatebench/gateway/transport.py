"""Connections to an upstream: what is sent there, and the answer as it comes.

Nothing is read from the environment but where certificates are, nothing redirected, no cookie kept,
no header added but ``host`` and ``content-length``; a request is sent once.
"""

import asyncio
import io
import os
import ssl
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import aiohttp
import certifi
from multidict import CIMultiDict
from yarl import URL

from gatebench.gateway.patience import Patience
from gatebench.gateway.site import Headers

_IDLE_S = 5.0
"""Before an idle connection is closed: servers do so at about that time, and the one that closes
first never sees a request fall into the gap."""
_HEADER_LIMIT = 65_536
_LARGE = 1_000_000
"""Bytes of a body from which the library warns of one write that takes long."""
_NONE_OF_ITS_OWN = ("user-agent", "accept", "accept-encoding", "content-type")
"""Headers that the library would add where the agent sent none."""
_FAILURES = (aiohttp.ClientError, TimeoutError, OSError)


class Break(Enum):
    """How a connection failed."""

    GONE = "gone"
    """There is none, or none any more."""
    STALLED = "stalled"
    """The upstream was silent for too long."""
    GARBLED = "garbled"
    """What came back is no HTTP."""


class Broken(Exception):  # noqa: N818  # what happened to a connection; nobody's error
    """There is no answer, or no more of it.

    Args:
        why: in the library's word.
        how: what happened.
    """

    def __init__(self, why: str, how: Break) -> None:
        super().__init__(why)
        self.how = how


@dataclass(frozen=True)
class Peer:
    """Where an upstream is and how it is reached."""

    proxy: str | None = None
    """URL of a proxy to go through."""
    ca_file: Path | None = None
    """Certificates to trust instead of the usual ones."""
    socket: Path | None = None
    """A unix socket to reach it by; without encryption."""


@dataclass(frozen=True)
class Outgoing:
    """A request upstream."""

    method: str
    url: str
    """Already encoded: it is sent as it is."""
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """An answer whose head is here. To be closed."""

    response: aiohttp.ClientResponse
    headers: Mapping[str, str]
    """Names in lower case; of several with one name, all values."""
    watch: "_Watch"

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes: each piece is all that is here. Decoded, if it came encoded.

        Raises:
            Broken: it ended before its end.
        """
        read = self.response.content.readany
        try:
            while data := await read():
                yield data
        except _FAILURES as error:
            raise _broken(error) from error

    async def whole(self) -> bytes:
        """The body.

        Raises:
            Broken: it ended before its end.
        """
        try:
            return await self.response.read()
        except _FAILURES as error:
            raise _broken(error) from error

    def close(self) -> None:
        """Hang up, unless all of it was read: then the connection waits for the next request."""
        self.watch.end()
        self.response.close()


class _Watch:
    """Tells the reader of a body that its connection is gone.

    The library does so itself but for one case: where chunks stop being chunks in the middle of an
    answer it hangs up, and the reader would wait forever.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._content = response.content
        connection = response.connection
        protocol = None if connection is None else connection.protocol
        self._closed = None if protocol is None else protocol.closed
        if self._closed is not None:
            self._closed.add_done_callback(self._tell)
        elif protocol is not None:
            self._break_off()  # gone already

    def end(self) -> None:
        """Nobody reads any more; connections are kept for longer than that."""
        if self._closed is not None:
            self._closed.remove_done_callback(self._tell)

    def _tell(self, closed: "asyncio.Future[None]") -> None:
        if not closed.cancelled():
            closed.exception()  # looked at: it isn't reported as forgotten
        self._break_off()

    def _break_off(self) -> None:
        if not self._content.is_eof() and self._content.exception() is None:
            self._content.set_exception(aiohttp.ClientPayloadError())


class Transport:
    """A pool of connections to an upstream. To be made in the event loop, and closed.

    Args:
        peer: where it is.
        patience: with it.
    """

    def __init__(self, peer: Peer, patience: Patience) -> None:
        self._patience = patience
        self._session = aiohttp.ClientSession(
            connector=_connector(peer),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_NONE_OF_ITS_OWN,
            proxy=peer.proxy,
            max_line_size=_HEADER_LIMIT,
            max_field_size=_HEADER_LIMIT,
        )

    async def send(self, request: Outgoing, read_s: float | None = None) -> Answer:
        """Send, once; the answer's body is read by the caller.

        Args:
            request: what to send.
            read_s: seconds without a byte, where not the usual.

        Raises:
            Broken: there is no answer.
        """
        timeout = _timeout(self._patience, read_s)
        try:
            # The library times connecting and reading; an upstream may also take no request in.
            async with asyncio.timeout(_most_s(self._patience, read_s)):
                response = await self._session.request(
                    request.method,
                    URL(request.url, encoded=True),
                    headers=CIMultiDict((name, _text(value)) for name, value in request.headers),
                    data=_payload(request.body),
                    allow_redirects=False,
                    timeout=timeout,
                )
        except _FAILURES as error:
            raise _broken(error) from error
        return Answer(response, _readable(response.raw_headers), _Watch(response))

    async def aclose(self) -> None:
        """Hang up."""
        await self._session.close()


def _connector(peer: Peer) -> aiohttp.BaseConnector:
    if peer.socket is not None:
        return aiohttp.UnixConnector(str(peer.socket), limit=0, keepalive_timeout=_IDLE_S)
    return aiohttp.TCPConnector(
        limit=0,
        keepalive_timeout=_IDLE_S,
        ssl=_certificates(peer.ca_file),
        resolver=aiohttp.ThreadedResolver(),
    )


@cache
def _certificates(ca_file: Path | None) -> ssl.SSLContext:
    """Whom to trust: the file's, the environment's, or the usual ones. Takes 30 ms."""
    folder = os.environ.get("SSL_CERT_DIR")
    named = os.environ.get("SSL_CERT_FILE")
    if ca_file is not None or named:
        context = ssl.create_default_context(cafile=ca_file or named)
    elif folder:
        context = ssl.create_default_context(capath=folder)
    else:
        context = ssl.create_default_context(cafile=certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


@cache
def _timeout(patience: Patience, read_s: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=None, connect=patience.connect_s, sock_read=read_s or patience.stall_s
    )


def _most_s(patience: Patience, read_s: float | None) -> float:
    """Seconds until an answer's head must be here: to connect, to send, to wait."""
    return patience.connect_s + patience.stall_s + (read_s or patience.stall_s)


def _payload(body: bytes) -> bytes | io.BytesIO | None:
    return io.BytesIO(body) if len(body) > _LARGE else body or None


def _text(value: str) -> str:
    """A header's value from Latin-1, as which it was read, to text that is the same in UTF-8."""
    return value if value.isascii() else value.encode("latin-1").decode(errors="replace")


def _readable(raw: tuple[tuple[bytes, bytes], ...]) -> dict[str, str]:
    """Headers as text that is the same bytes again in Latin-1."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _broken(error: Exception) -> Broken:
    how = Break.GONE
    if isinstance(error, aiohttp.SocketTimeoutError):
        how = Break.STALLED
    elif type(error) is aiohttp.ClientResponseError:  # a proxy's refusal is one of another type
        how = Break.GARBLED
    return Broken(type(error).__name__, how)

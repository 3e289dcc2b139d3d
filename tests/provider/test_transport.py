"""What is sent upstream and what is made of answers that bend HTTP, down to the bytes."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

import httpx
import pytest

from gatebench.gateway.faults import Fault
from gatebench.gateway.patience import Patience
from gatebench.gateway.transport import Broken, Outgoing, Peer, Transport
from provider.ground import IMPATIENT, MODEL, QUICK, Ground, Setup, asked, on_ground

STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
START = (
    b'event: message_start\ndata: {"type": "message_start", "message": {"model": "%b",'
    b' "usage": {"input_tokens": 3, "output_tokens": 1}}}\n\n' % MODEL.encode()
)
CONTENT = b'event: content_block_start\ndata: {"type": "content_block_start", "index": 0}\n\n'


GAP = b"<a while>"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    sizes = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head + await reader.readexactly(int(sizes[0].split(b":")[1]) if sizes else 0)


async def kept(pieces: AsyncIterator[bytes], got: list[bytes]) -> None:
    """Read all; what came is kept when it breaks off."""
    async for data in pieces:
        got.append(data)  # noqa: PERF401


class Raw:
    """An upstream that says what it is told to, byte for byte."""

    def __init__(self, *answers: bytes | None, close: bool = False) -> None:
        self.answers = answers
        self.close = close
        self.seen: list[bytes] = []
        self.open: list[asyncio.Task[None]] = []

    async def end(self, server: asyncio.Server) -> None:
        """Every connection is done with."""
        server.close()
        await asyncio.gather(*self.open)
        await asyncio.sleep(0.05)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.append(cast("asyncio.Task[None]", asyncio.current_task()))
        await self.talk(reader, writer)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                self.seen.append(await read_request(reader))
                answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
                if answer is None:
                    break
                for piece in answer.split(GAP):
                    writer.write(piece)
                    await asyncio.sleep(0.05 if GAP in answer else 0)
                if self.close:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def through(tmp_path: Path, raw: Raw, act: Callable[[Ground], Awaitable[None]]) -> Ground:
    """Act on a gateway in front of it."""

    async def there(here: Ground) -> None:
        server = await asyncio.start_server(raw.handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        upstream = type(here.route.upstream)(f"http://127.0.0.1:{port}")
        here.route = type(here.route)(MODEL, upstream)
        here.open()
        try:
            await act(here)
        finally:
            server.close()

    return on_ground(tmp_path, there, Setup())


def sent(peer: Peer, raw: Raw, request: Outgoing, patience: Patience = QUICK) -> bytes:
    """The body that comes back when a request is sent there, without a gateway."""

    async def run() -> bytes:
        if peer.socket is not None:
            server = await asyncio.start_unix_server(raw.handle, str(peer.socket))
        else:
            server = await asyncio.start_server(raw.handle, "127.0.0.1", 0)
        at = server.sockets[0].getsockname()
        url = request.url if peer.socket else request.url.replace("PORT", str(at[1]))
        there = Peer(f"http://127.0.0.1:{at[1]}") if peer.proxy else peer
        transport = Transport(there, patience)
        try:
            answer = await transport.send(
                Outgoing(request.method, url, request.headers, request.body)
            )
            try:
                return await answer.whole()
            finally:
                answer.close()
        finally:
            await transport.aclose()
            await raw.end(server)

    return asyncio.run(run())


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
HERE = "http://127.0.0.1:PORT"


def test_nothing_is_added_to_a_request_and_nothing_rewritten() -> None:
    raw = Raw(OK)
    headers = (("x-two", "1"), ("a-first", "é".encode().decode("latin-1")), ("x-two", "2"))
    assert sent(Peer(), raw, Outgoing("POST", f"{HERE}/v1/m?b=%2f+%41&&c", headers, b"{}")) == b"ok"
    line, *lines = raw.seen[0].removesuffix(b"\r\n\r\n{}").split(b"\r\n")
    assert line == b"POST /v1/m?b=%2f+%41&&c HTTP/1.1"
    names = [name.lower() for name, _, _ in (text.partition(b": ") for text in lines)]
    assert sorted(names) == [b"a-first", b"content-length", b"host", b"x-two", b"x-two"]
    assert "a-first: é".encode() in lines
    assert [text for text in lines if text.startswith(b"x-two")] == [b"x-two: 1", b"x-two: 2"]


def test_a_large_body_arrives_whole() -> None:
    raw, body = Raw(OK), b"x" * 5_000_000
    assert sent(Peer(), raw, Outgoing("POST", f"{HERE}/", (), body)) == b"ok"
    assert raw.seen[0].endswith(b"\r\n\r\n" + body)


def test_by_a_socket_and_by_a_proxy(tmp_path: Path) -> None:
    by_socket, by_proxy = Raw(OK), Raw(OK)
    peer = Peer(socket=tmp_path / "up.sock")
    assert sent(peer, by_socket, Outgoing("GET", "http://localhost/a")) == b"ok"
    assert by_socket.seen[0].startswith(b"GET /a HTTP/1.1\r\n")
    peer = Peer(proxy="http://the-proxy")
    assert sent(peer, by_proxy, Outgoing("GET", "http://far.example/a")) == b"ok"
    assert by_proxy.seen[0].startswith(b"GET http://far.example/a HTTP/1.1\r\n")


def test_an_upstream_that_takes_no_request_in_is_given_up() -> None:
    class Deaf(Raw):
        async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            del reader
            await asyncio.sleep(2.5)
            writer.transport.abort()

    with pytest.raises(Broken):
        sent(Peer(), Deaf(), Outgoing("POST", f"{HERE}/", (), b"x" * 20_000_000), IMPATIENT)


def test_long_and_foreign_headers_come_back() -> None:
    long = b"HTTP/1.1 200 OK\r\nx-long: %b\r\nx-e: \xe9\r\ncontent-length: 2\r\n\r\nok" % (
        b"y" * 30_000
    )
    assert sent(Peer(), Raw(long), Outgoing("GET", f"{HERE}/")) == b"ok"


def test_a_kept_connection_that_dies_costs_a_try_that_is_told(tmp_path: Path) -> None:
    message = {"type": "message", "model": MODEL, "usage": {"input_tokens": 1, "output_tokens": 1}}
    body = json.dumps(message).encode()
    whole = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    raw = Raw(whole, None, whole)

    async def act(here: Ground) -> None:
        for _ in range(2):
            assert (await here.post(asked(stream=False))).status_code == 200

    here = through(tmp_path, raw, act)
    (first, _), (second, _) = here.calls
    assert (first.retries, second.retries) == (0, 1)
    assert [a.fault for a in second.attempts] == [Fault.CONNECTION]
    assert len(raw.seen) == 3


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (b"HTTP/1.1 what\r\n\r\n", Fault.MALFORMED),
        (b"SSH-2.0-OpenSSH\r\n", Fault.MALFORMED),
        (STREAM + b"zz\r\nno chunk", Fault.MALFORMED),
        (STREAM + GAP + chunk(START) + b"zz\r\nno chunk" + GAP, Fault.CUT),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", Fault.CUT),
    ],
)
def test_what_is_no_http_is_tried_again(tmp_path: Path, answer: bytes, fault: Fault) -> None:
    async def act(here: Ground) -> None:
        assert (await here.post()).status_code == 502

    raw = Raw(answer, close=True)
    here = through(tmp_path, raw, act)
    assert (here.call.fault, len(raw.seen)) == (fault, QUICK.tries)
    assert {a.fault for a in here.call.attempts} == {fault}


def test_a_stream_that_goes_wrong_in_its_middle_breaks_off_for_the_client(tmp_path: Path) -> None:
    got: list[bytes] = []

    async def act(here: Ground) -> None:
        url = f"{here.base}/v1/messages"
        async with here.client.stream("POST", url, json=asked()) as answer:
            with pytest.raises(httpx.RemoteProtocolError):
                await kept(answer.aiter_raw(), got)

    raw = Raw(STREAM + GAP + chunk(START + CONTENT) + GAP + b"zz\r\nno chunk" + GAP, close=True)
    here = through(tmp_path, raw, act)
    assert b"".join(got) == START + CONTENT
    assert (here.call.fault, here.call.status, here.call.uncertain) == (Fault.CUT, 200, True)
    assert here.call.usage.input_tokens == 3


def test_an_answer_that_came_encoded_after_all_is_passed_on_plain(tmp_path: Path) -> None:
    message = {"type": "message", "model": MODEL, "usage": {"input_tokens": 1, "output_tokens": 1}}
    body = gzip.compress(json.dumps(message).encode())
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(body)

    async def act(here: Ground) -> None:
        answer = await here.post(asked(stream=False))
        assert answer.json() == message
        assert "content-encoding" not in answer.headers

    here = through(tmp_path, Raw(head + body), act)
    assert here.call.usage.input_tokens == 1

"""One try at a call: send it, look at what comes until it is clear what that is."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field

from gatebench.gateway.echo import EchoGuard
from gatebench.gateway.errors import Refusal
from gatebench.gateway.faults import Fault, of_answer
from gatebench.gateway.reader import Event, Meter, Splitter
from gatebench.gateway.record import Log
from gatebench.gateway.routes import Line
from gatebench.gateway.secret import Hider
from gatebench.gateway.site import BrokenOff, Headers, Inbound, Outbound
from gatebench.gateway.transport import Answer, Break, Broken, Transport
from gatebench.gateway.upstream import Upstream, passed_back

_OK, _BAD_GATEWAY = 200, 502
_BREAKS = {Break.STALLED: Fault.STALLED, Break.GARBLED: Fault.MALFORMED}


@dataclass(frozen=True)
class Failure:
    """A try of which nothing is passed on."""

    fault: Fault
    status: int | None = None
    """``None`` where there was no answer."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    meter: Meter | None = None


@dataclass(frozen=True)
class Opened:
    """A try that is passed on: what has been read of it, and the rest."""

    status: int
    headers: Headers
    meter: Meter
    ttft_s: float
    whole: bytes | None = None
    """The whole answer, where it is no stream."""
    held: tuple[Event, ...] = ()
    splitter: Splitter = field(default_factory=Splitter)
    rest: AsyncIterator[bytes] | None = None


async def open_answer(
    line: Line, log: Log, stack: AsyncExitStack, whole_s: float
) -> Opened | Failure:
    """Send a call and read until its first content, its end or its failure.

    Args:
        line: where it goes.
        log: the call.
        stack: closes the answer at the end.
        whole_s: how long an answer that isn't streamed may take: it says nothing until it is done.
    """
    upstream = line.upstream
    request = upstream.request(log.inbound)
    streamed = bool(log.inbound.request.get("stream"))
    sent = time.monotonic()
    try:
        answer = await line.transport.send(request, None if streamed else whole_s)
    except Broken as error:
        return Failure(_of_transport(error, Fault.CONNECTION))
    stack.callback(answer.close)
    headers = _kept(answer, upstream.hider)
    if streamed and answer.status == _OK and _is_stream(answer):
        return await _begun(answer, headers, sent, stack)
    return await _whole(answer, headers, sent, upstream.hider)


async def _begun(
    answer: Answer, headers: Headers, sent: float, stack: AsyncExitStack
) -> Opened | Failure:
    """Hold a stream back until its first content: up to there the call can be made again."""
    meter, splitter = Meter(), Splitter()
    held: list[Event] = []
    rest = await stack.enter_async_context(aclosing(answer.pieces()))
    fault: Fault | None = None
    try:
        async for data in rest:
            events = splitter.feed(data)
            held += events
            if _has_content(events, meter):
                ttft_s = time.monotonic() - sent
                return Opened(200, headers, meter, ttft_s, None, tuple(held), splitter, rest)
            if meter.fault:
                break
    except Broken as error:
        fault = _of_transport(error, Fault.CUT)
    fault = fault or meter.fault or Fault.CUT
    return Failure(fault, 200, answer.headers, _said(held), meter)


def _has_content(events: list[Event], meter: Meter) -> bool:
    """Take events in; whether content came before anything was wrong with them."""
    content = False
    for event in events:
        meter.see(event)
        content |= event.is_content and meter.fault is None
        if meter.fault and not content:
            break  # given up: what follows isn't read, whether or not it is here already
    return content


def _said(held: list[Event]) -> bytes:
    """What an error event says, as an error answer would."""
    errors = [e.data for e in held if e.kind == "error"]
    return json.dumps(errors[-1]).encode() if errors else b""


async def _whole(answer: Answer, headers: Headers, sent: float, hider: Hider) -> Opened | Failure:
    status, meter = answer.status, Meter()
    try:
        body = await answer.whole()
    except Broken as error:
        return Failure(_of_transport(error, Fault.CUT), status, answer.headers)
    fault = of_answer(status, body)
    if fault is None:
        meter.see_whole(body)
        fault = meter.fault
    if fault is not None:
        return Failure(fault, status, answer.headers, body, meter)
    return Opened(status, headers, meter, time.monotonic() - sent, whole=hider.clean(body))


async def stream(opened: Opened, log: Log, hider: Hider) -> AsyncIterator[bytes]:
    """The bytes of an answer, as they come.

    Raises:
        BrokenOff: the upstream broke off; what had come was passed on.
    """
    if opened.rest is None:
        log.passed_bytes = len(opened.whole or b"")
        yield opened.whole or b""
        return
    guard, broke = EchoGuard(hider), False
    yield _noted(guard.feed(opened.held), log)
    try:
        async for data in opened.rest:
            events = opened.splitter.feed(data)
            for event in events:
                opened.meter.see(event)
            if ready := guard.feed(events):
                yield _noted(ready, log)
    except Broken as error:
        log.fault, broke = _of_transport(error, Fault.CUT), True
    if last := guard.flush(opened.splitter.rest):
        yield _noted(last, log)
    if broke:
        raise BrokenOff


async def plain(upstream: Upstream, transport: Transport, inbound: Inbound) -> Outbound:
    """Pass on what is no model call: a probe, a count of tokens. One try.

    Raises:
        Refusal: nobody answers.
    """
    try:
        answer = await transport.send(upstream.request(inbound))
        try:
            content = await answer.whole()
        finally:
            answer.close()
    except Broken as error:
        raise Refusal(_BAD_GATEWAY, "No answer from the provider") from error
    body = upstream.hider.clean(content)
    return Outbound(answer.status, _kept(answer, upstream.hider), _once(body))


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


def _noted(data: bytes, log: Log) -> bytes:
    log.passed_bytes += len(data)
    return data


def _kept(answer: Answer, hider: Hider) -> Headers:
    """The headers to pass back; bytes are passed on decoded if they came encoded after all."""
    encoded = answer.headers.get("content-encoding", "identity") != "identity"
    dropped = {"content-encoding", "content-length"} if encoded else set()
    return tuple(h for h in passed_back(answer.headers, hider) if h[0] not in dropped)


def _is_stream(answer: Answer) -> bool:
    kind: str = answer.headers.get("content-type", "")
    return kind.startswith("text/event-stream")


def _of_transport(error: Broken, other: Fault) -> Fault:
    return _BREAKS.get(error.how, other)

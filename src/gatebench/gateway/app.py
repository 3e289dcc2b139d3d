"""The routes of the Messages API, each behind a site's token."""

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gatebench.gateway.errors import Refusal, error_body
from gatebench.gateway.passing import Passing
from gatebench.gateway.peers import PEER
from gatebench.gateway.site import Engine, Inbound, Message, Relay, Request, Site
from gatebench.gateway.sse import events
from gatebench.gateway.translate import usage_of
from gatebench.model.usage import Call, Usage

BODY_LIMIT = 32_000_000
"""Bytes of a request, as the provider limits them."""
_GONE = 499
"""What servers note when the client went away in the middle; nobody gets to see it."""

Action = Callable[[Site, HttpRequest], Awaitable[Response]]


class Directory(Protocol):
    """Where the app finds its sites."""

    def find(self, token: str) -> Site:
        """The open site of a token.

        Raises:
            Refusal: there is none, or it is closed.
        """
        ...

    def is_foreign(self, site: Site, pid: int | None) -> bool:
        """Whether a process isn't the one that the site was opened for."""
        ...

    def fault(self, site: Site, error: Exception) -> None:
        """An engine or a sink raised what it should not have."""
        ...


def build_app(directory: Directory) -> ASGIApp:
    """The application; it keeps nothing of its own.

    Four paths need no router, and every layer in front of them costs each piece of each answer.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        http = HttpRequest(scope, receive)
        try:
            answer = await _answer(directory, http)
        except Refusal as refusal:
            answer = JSONResponse(refusal.body(), status_code=refusal.status)
        await answer(scope, receive, send)

    return app


async def _answer(directory: Directory, http: HttpRequest) -> ASGIApp:
    """Act for the token's site; what goes wrong there is kept, and told as HTTP 500."""
    token, path = _parted(http)
    methods, act = _ROUTES.get(path, (frozenset(), _probe)) if token else (frozenset(), _probe)
    if http.method not in methods:
        raise Refusal(405 if methods else 404, "Not found")
    site = directory.find(token)
    if http.method == "POST" and directory.is_foreign(site, http.scope.get(PEER)):
        site = _marked(site)
    engine = site.spec.engine
    try:
        if isinstance(engine, Relay):
            return Passing(site, engine, await _inbound(http), directory.fault)
        return await act(site, http)
    except Refusal:
        raise
    except Exception as error:  # noqa: BLE001  # the boundary to engines and sinks
        directory.fault(site, error)
        return JSONResponse(error_body(500, "Internal server error"), status_code=500)


def _parted(http: HttpRequest) -> tuple[str, str]:
    """The token and the path behind it."""
    token, slash, path = http.scope["path"].removeprefix("/").partition("/")
    return token, slash + path


def _marked(site: Site) -> Site:
    """The same site, whose calls are told to be another process's."""
    sink = site.spec.sink

    def mark(call: Call, request: Request) -> None:
        sink(call.model_copy(update={"foreign": True}), request)

    return replace(site, spec=replace(site.spec, sink=mark))


async def _messages(site: Site, http: HttpRequest) -> Response:
    """Answer one model call, and tell the site's sink whatever became of it."""
    started = time.monotonic()
    request: Request = {}
    answer: Message | None = None
    status = 500
    try:
        request = await _request(http)
        answer = await _engine(site).answer(site, request)
        status = 200
    except Refusal as refusal:
        status = refusal.status
        raise
    finally:
        wall_s = time.monotonic() - started
        site.spec.sink(_call(site, request, answer, (status, wall_s)), request)
    return _sent(answer, stream=bool(request.get("stream")))


async def _count(site: Site, http: HttpRequest) -> Response:
    """Tell how many input tokens a request has; no model call, so no record."""
    tokens = await _engine(site).count(site, await _request(http))
    return JSONResponse({"input_tokens": tokens})


async def _probe(_site: Site, _http: HttpRequest) -> Response:
    """Whoever asks whether we are there is told so."""
    return JSONResponse({})


def _engine(site: Site) -> Engine:
    engine = site.spec.engine
    if not isinstance(engine, Engine):
        raise TypeError(f"{type(engine).__name__} is no engine")
    return engine


async def _inbound(http: HttpRequest) -> Inbound:
    """The request as it came; its body must be what the provider would take."""
    body = await _body(http) if http.method == "POST" else b""
    return Inbound(
        method=http.method,
        path=_parted(http)[1] or "/",
        query=http.scope["query_string"].decode("latin-1"),
        headers=tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in http.headers.raw),
        body=body,
        request=_parsed(body) if http.method == "POST" else {},
    )


def _sent(answer: Message, *, stream: bool) -> Response:
    if not stream:
        # Not JSONResponse: it can't write half a surrogate pair, which a file's name may hold.
        return Response(json.dumps(answer), media_type="application/json")
    # Made before the first byte is sent: a fault must still become a 500.
    return StreamingResponse(_in_turn(list(events(answer))), media_type="text/event-stream")


async def _in_turn(pieces: list[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def _request(http: HttpRequest) -> Request:
    """The request's JSON, an object with a model.

    Raises:
        Refusal: too large, not JSON, or not an object with a model.
    """
    return _parsed(await _body(http))


def _parsed(data: bytes) -> Request:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "the request body is not valid JSON") from error
    if not isinstance(body, dict) or not _is_name(body.get("model")):
        raise Refusal(400, "model: Field required")
    if not isinstance(body.get("messages"), list):
        raise Refusal(400, "messages: Field required")
    return body


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


async def _body(http: HttpRequest) -> bytes:
    data = bytearray()
    try:
        async for chunk in http.stream():
            data += chunk
            if len(data) > BODY_LIMIT:
                raise Refusal(413, "Request exceeds the maximum size")
    except ClientDisconnect as error:
        raise Refusal(_GONE, "The client went away") from error
    return bytes(data)


def _call(site: Site, request: Request, answer: Message | None, outcome: tuple[int, float]) -> Call:
    status, wall_s = outcome
    return Call(
        site=site.spec.name,
        role=site.spec.role,
        stop=site.spec.stop,
        model_asked=str(request.get("model", "")),
        model_served=None if answer is None else answer["model"],
        stop_reason=None if answer is None else answer.get("stop_reason"),
        usage=Usage() if answer is None else usage_of(answer),
        status=status,
        wall_s=wall_s,
    )


_GET, _POST = frozenset(("GET", "HEAD")), frozenset(("POST",))
_ROUTES: Mapping[str, tuple[frozenset[str], Action]] = {
    "/v1/messages": (_POST, _messages),
    "/v1/messages/count_tokens": (_POST, _count),
    "": (_GET, _probe),
    "/": (_GET, _probe),
}
"""By what follows the token: the methods, and what they do where no relay stands behind."""

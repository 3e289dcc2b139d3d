"""A call site: one role's door to the model, with a token of its own."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gatebench.model.usage import Call, Role, Sent

Request = Mapping[str, Any]
"""A Messages API request, as the client sent it."""
Message = dict[str, Any]
"""A Messages API message: id, type, role, model, content, stop_reason, stop_sequence, usage."""
Sink = Callable[[Call, Request], None]
"""Gets every call with its request, at once, in the loop; keeps of it what it likes. An error that
it raises is a fault, and the client's HTTP 500."""


Waiting = Callable[[str], AbstractContextManager[Any]]
"""Gives what a relay enters while it makes the client wait for reasons that are not the model's. It
gets what is waited for, in a few words; a trial stops its worker's clock in there."""
Headers = tuple[tuple[str, str], ...]
"""Header names, lower case, and values, in order."""


@runtime_checkable
class Engine(Protocol):
    """What stands behind a site and makes whole messages: the scripted team."""

    async def answer(self, site: "Site", request: Request) -> Message:
        """The next message of the role that the site belongs to.

        Raises:
            Refusal: to answer with another HTTP status.
        """
        ...

    async def count(self, site: "Site", request: Request) -> int:
        """The input tokens of a request that is not made."""
        ...


@dataclass(frozen=True)
class Inbound:
    """A request as it came, token and host taken off."""

    method: str
    path: str
    """``/v1/messages``, ``/v1/messages/count_tokens`` or ``/``."""
    query: str
    """Without the question mark."""
    headers: Headers
    body: bytes
    request: Request
    """The body read as JSON; empty where there is none."""

    @property
    def is_call(self) -> bool:
        """Whether a model is asked for a message."""
        return self.method == "POST" and self.path == "/v1/messages"


@dataclass(frozen=True)
class Outbound:
    """An answer that is passed on as it comes."""

    status: int
    headers: Headers
    body: AsyncIterator[bytes]
    """Raises `BrokenOff` where the answer was broken off: the client shall see that too."""


class BrokenOff(Exception):  # noqa: N818  # what happened to a stream; nobody's error
    """The rest of an answer will not come."""


@runtime_checkable
class Relay(Protocol):
    """What stands behind a site and passes bytes on: a provider, or a recording."""

    def relay(self, site: "Site", inbound: Inbound) -> AbstractAsyncContextManager[Outbound]:
        """The answer to a request, open as long as the block; tells the site's sink at its end.

        Raises:
            Refusal: to answer with a provider's error of our own.
        """
        ...


def _nowhere(_call: Call, _request: Request) -> None:
    """The sink of a site that nobody listens to."""


def _untold(_sent: Sent) -> None:
    """Where nothing is kept of calls on their way."""


@dataclass(frozen=True)
class SiteSpec:
    """What a site is opened for."""

    name: str
    """Unique and telling, e.g. ``T1-g3-r1/reviewer_a/2/1``; for records, never for a client."""
    role: Role
    engine: Engine | Relay
    stop: int | None = None
    sink: Sink = _nowhere
    waiting: Waiting = nullcontext
    sent: Callable[[Sent], None] = _untold
    """Told of a call that costs, before it is sent for the first time; must not be slow."""


@dataclass(frozen=True)
class Site:
    """An open site."""

    spec: SiteSpec
    token: str
    """Random, opaque: all that a client needs and all that it learns."""

    @property
    def base_url(self) -> str:
        """For ``ANTHROPIC_BASE_URL``, together with the socket in ``ANTHROPIC_UNIX_SOCKET``."""
        return f"http://localhost/{self.token}"

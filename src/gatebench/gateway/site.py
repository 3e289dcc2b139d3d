"""A call site: one role's door to the model, with a token of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gatebench.model.usage import Call, Role

Request = Mapping[str, Any]
"""A Messages API request, as the client sent it."""
Message = dict[str, Any]
"""A Messages API message: id, type, role, model, content, stop_reason, stop_sequence, usage."""
Sink = Callable[[Call, Request], None]
"""Gets every call with its request, at once, in the loop; keeps of it what it likes. An error that
it raises is a fault, and the client's HTTP 500."""


class Engine(Protocol):
    """What stands behind a site: the scripted team, or a provider."""

    async def answer(self, site: "Site", request: Request) -> Message:
        """The next message of the role that the site belongs to.

        Raises:
            Refusal: to answer with another HTTP status.
        """
        ...

    async def count(self, site: "Site", request: Request) -> int:
        """The input tokens of a request that is not made."""
        ...


def _nowhere(_call: Call, _request: Request) -> None:
    """The sink of a site that nobody listens to."""


@dataclass(frozen=True)
class SiteSpec:
    """What a site is opened for."""

    name: str
    """Unique and telling, e.g. ``T1-g3-r1/reviewer_a/2/1``; for records, never for a client."""
    role: Role
    engine: Engine
    stop: int | None = None
    sink: Sink = _nowhere


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

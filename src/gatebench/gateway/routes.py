"""Where calls go: a route for each role, a line to each upstream; what the job hears of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gatebench.gateway.faults import Fault
from gatebench.gateway.lanes import Lanes, OnPause
from gatebench.gateway.transport import Transport
from gatebench.gateway.upstream import Upstream
from gatebench.model.usage import Role


@dataclass(frozen=True)
class Route:
    """Where a role's calls go."""

    model: str
    upstream: Upstream = field(default_factory=Upstream)
    pinned: bool = True
    """Refuse calls for any other model: whoever holds the token could make one."""


def routes(
    worker: Route, reviewer: Route | None = None, writer: Route | None = None
) -> Mapping[Role, Route]:
    """A route for every role; reviewers, the challenger and the writer default to the worker's."""
    review = reviewer or worker
    return {
        Role.WORKER: worker,
        Role.WRITER: writer or worker,
        Role.REVIEWER_A: review,
        Role.REVIEWER_B: review,
        Role.CHALLENGER: review,
    }


@dataclass(frozen=True)
class Hooks:
    """What a job wants to hear; called in the event loop, at once."""

    on_pause: OnPause = lambda _left_s, _why: None
    """The countdown of a usage limit."""
    on_hold: Callable[[float, str], None] = lambda _left_s, _why: None
    """A usage limit lifts in so many seconds, too late for a call and soon enough for the job."""
    on_drain: Callable[[Fault, str], None] = lambda _fault, _why: None
    """Nothing more should be started, and why; may come several times."""
    on_mismatch: Callable[[str], None] = lambda _what: None
    """A recording didn't fit at some site, which goes on live from there."""


@dataclass(frozen=True)
class Line:
    """One upstream, open for a job."""

    upstream: Upstream
    transport: Transport
    lanes: Lanes

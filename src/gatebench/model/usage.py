"""What a model call used, and who made it."""

from enum import StrEnum

from gatebench.model.base import Filed, Record


class Role(StrEnum):
    """The model's roles in a trial."""

    WORKER = "worker"
    WRITER = "writer"
    REVIEWER_A = "reviewer_a"
    REVIEWER_B = "reviewer_b"
    CHALLENGER = "challenger"


class Usage(Record):
    """Tokens of one call, as the provider counts them; unknown is ``None``."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    """Written to the cache, whatever for how long."""
    cache_creation_1h_input_tokens: int | None = None
    """The part of those that is kept for an hour, which costs more."""


class Attempt(Record):
    """A try at a call that came to nothing and was made again by the gateway, unseen."""

    fault: str
    """Its class, see ``gateway.faults``."""
    status: int | None
    """HTTP status of the upstream; ``None`` where there was no answer."""
    usage: Usage = Usage()
    """Tokens that it announced before it broke; whether they are charged isn't known."""


class Call(Filed):
    """One model call through the gateway."""

    site: str
    """Which call site made it, e.g. ``T1-g3-r1/worker`` or ``T1-g3-r1/reviewer_a/2/1``."""
    role: Role
    stop: int | None
    """The stop it belongs to; ``None`` for the worker and the writer."""
    model_asked: str
    model_served: str | None
    usage: Usage
    status: int
    """HTTP status the agent saw."""
    wall_s: float
    """From the request's arrival to the last byte, waits included."""
    ttft_s: float | None = None
    """From sending upstream to the first content, of the try that was passed on."""
    waited_s: float = 0.0
    """Of ``wall_s``: for a lane, between tries, for a usage limit to pass."""
    retries: int = 0
    """Tries of the gateway after the first."""
    attempts: tuple[Attempt, ...] = ()
    """Those that came to nothing, in order."""
    fault: str | None = None
    """What went wrong in the end, see ``gateway.faults``; ``None`` is nothing."""
    uncertain: bool = False
    """The tokens are a lower bound: a stream broke off before it had told all of them."""
    upstream: str | None = None
    """Where it went, without credentials; ``None`` in scripted mode."""
    at: float | None = None
    """When, in seconds since 1970: prices change. ``None`` in scripted mode."""
    charged_usd: float | None = None
    """To budgets: its cost, or a careful estimate where that isn't known. ``None`` where none."""
    foreign: bool = False
    """It came from another process than the site's first: the agent's tools have its token too."""
    stop_reason: str | None = None
    """Why the answer ended, in the provider's word; ``None`` where there was none."""


class Sent(Record):
    """A call on its way: what is known of it when it is sent. `Call.at` tells which one it is."""

    site: str
    role: Role
    stop: int | None
    model_asked: str
    upstream: str
    at: float
    """When it arrived, in seconds since 1970."""
    at_most_usd: float | None
    """All that it may cost, by its length and the most tokens it allows in answer; ``None`` where
    it doesn't say, or its model has no price."""

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
    stop_reason: str | None = None
    """Why the answer ended, in the provider's word; ``None`` where there was none."""

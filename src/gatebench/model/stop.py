"""One stop: what the gates said, what was decided, how it was delivered, what was true."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import AliasChoices, ConfigDict, Field

from gatebench.model.base import Filed, Record


class Decision(StrEnum):
    """The outcome of one stop."""

    ALLOW = "allow"
    BLOCK = "block"
    GIVE_UP = "give_up"


class GateStatus(StrEnum):
    """What one gate said. Only ``RED`` blocks; the last three are faults of machinery."""

    PASS = "pass"
    RED = "red"
    SKIPPED = "skipped"
    """Not run: an earlier gate was red."""
    ERROR = "error"
    TIMED_OUT = "timed_out"


class Delivery(StrEnum):
    """What became of the stop's answer on its way to the agent."""

    DELIVERED = "delivered"
    """The hook ended with exit 0 and printed exactly the answer."""
    UNDELIVERED = "undelivered"
    """The hook ended otherwise: it was killed, or something else was printed."""
    ERRORED = "errored"
    """The hook ended by an error of its own."""
    TIMED_OUT = "timed_out"
    """The CLI gave the hook up."""
    OVERRIDDEN = "overridden"
    """The CLI received a block and let the agent stop all the same."""


class Severity(StrEnum):
    """How bad a reviewer holds a finding to be."""

    BLOCKING = "blocking"
    MINOR = "minor"


class Finding(Record):
    """One defect a reviewer reports."""

    severity: Severity
    file: str
    line: int | None
    text: str


class Ruling(Record):
    """A challenger's word on one of the reviewer's findings."""

    id: int
    """Number of the finding, from 1."""
    ruling: Literal["upheld", "rejected"]
    reason: str


class ReviewerResult(Record):
    """One reviewer's (or challenger's) call at one stop."""

    id: str
    """``A`` or ``B``."""
    approve: bool | None
    """No blocking finding; ``None`` when the call failed."""
    approve_raw: bool | None
    """What it said itself."""
    findings: tuple[Finding, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    cost_usd: float | None = None
    turns: int | None = None
    wall_s: float | None = None
    error: str | None = None
    """Why the call failed, after its retry."""


class GateResult(Record):
    """One gate at one stop."""

    name: str
    status: GateStatus
    wall_s: float | None = None
    cached: bool = False
    reason: str = ""
    """What the agent is told when this gate blocks; not yet cut or cleaned."""
    detail: dict[str, Any] = Field(default_factory=dict)
    """The gate's own record; ``tests`` and ``review`` document theirs."""
    cost_usd: float | None = None
    error: str | None = None


class HiddenSummary(Record):
    """The oracle's verdict at one stop, in numbers of requirements."""

    passed: int = Field(validation_alias=AliasChoices("pass", "passed"), serialization_alias="pass")
    failed: int = Field(validation_alias=AliasChoices("fail", "failed"), serialization_alias="fail")
    unscorable: int
    failed_reqs: tuple[str, ...]

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", serialize_by_alias=True
    )


class StopRecord(Filed):
    """One line of ``gate.jsonl``."""

    ts: float
    """Seconds since the epoch at the snapshot."""
    n: int
    """From 1 inside the trial."""
    tree: str | None
    """Id of the snapshot's tree in the job's git store."""
    stop_hook_active: bool | None
    gates: tuple[GateResult, ...] = ()
    gate1: dict[str, Any] | None = None
    """View of the ``tests`` gate, where the config has it."""
    gate3: dict[str, Any] | None = None
    """View of the ``review`` gate, where the config has it."""
    shadow: tuple[GateResult, ...] = ()
    """What the shadow gates said, which nobody was told; empty until they have."""
    hidden: HiddenSummary | None = None
    """``None`` until the oracle has spoken."""
    suite_green: bool | None = None
    """Upstream's pristine suite on this snapshot; ``None`` where it wasn't needed."""
    decision: Decision | None = None
    delivery: Delivery | None = None
    forged: int = 0
    """Connections beyond the hook's own."""
    closed: bool | None = None
    """Whether the model had spoken the closing words that a stop comes after; where it hadn't, the
    stop is forged. ``None`` where no gateway serves the agent."""
    reason: str | None = None
    """What the agent was told."""
    wall_s: float | None = None

"""Gates on stored snapshots: the states, the gates as they are asked, and what each said.

A *state* is a tree whose truth is known: a stop of a recorded trial, or one that the suite's own
solutions were planted in. A *look* is one gate at one state, made once for each time index. Looks
are kept by the gate as it is asked (`Spec`) and not by config, so configs that share a gate share
its looks: that is what pairs them.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import Field

from gatebench.model.base import Filed, Record
from gatebench.model.matrix import Choice
from gatebench.model.stop import GateResult, GateStatus, HiddenSummary
from gatebench.model.task import PromptVariant
from gatebench.model.trial import Config

_UNSAFE = re.compile(r"[^A-Za-z0-9_.]")


class Kind(StrEnum):
    """Where a state comes from."""

    STOP = "stop"
    """A stop of a recorded trial; without a hook, the trial's end."""
    REFERENCE = "reference"
    SECOND = "second"
    """The second, independently written solution."""
    LATTICE = "lattice"
    """The reference with some requirements, or all, left out."""


GOLD = frozenset({Kind.REFERENCE, Kind.SECOND})
"""States that are right by construction."""


class Spec(Record):
    """One gate as it is asked; equal ones are asked once, whichever configs name them."""

    gate: str
    settings: dict[str, Any] = Field(default_factory=dict)
    profile: str | None = None
    """Of the simulated team; ``None`` with a real model."""
    prompt: PromptVariant | None = None
    """The config's own; a recorded stop keeps the one its worker was given."""
    reviewer_model: str | None = None
    writer_model: str | None = None

    @property
    def id(self) -> str:
        """Names it on disk."""
        digest = hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:8]
        return f"{_UNSAFE.sub('_', self.gate)}-{digest}"


def spec_of(config: Config, gate: str, choice: Choice) -> Spec:
    """A config's gate as it would be asked under a choice."""
    worker = config.model or choice.model
    return Spec(
        gate=gate,
        settings=config.settings.get(gate, {}),
        profile=(config.profile or choice.profile) if choice.scripted else None,
        prompt=config.prompt,
        reviewer_model=config.reviewer_model or choice.reviewer_model or worker,
        writer_model=config.writer_model or choice.writer_model or worker,
    )


def asks(config: Config, spec: Spec, choice: Choice) -> bool:
    """Whether a config of a job asks this very gate, in the open or as a shadow."""
    if spec.gate not in config.all_gates:
        return False
    own = spec_of(config, spec.gate, choice)
    return own.model_copy(update={"prompt": spec.prompt}) == spec


class Arm(Record):
    """A config that is replayed: its gates in order."""

    name: str
    specs: tuple[Spec, ...]
    run_all: bool = False
    """Whether a later gate speaks although an earlier one was red."""


class ReplayLock(Filed):
    """``replay/lock.json``: what the looks below it have in common."""

    product: str
    identity: dict[str, Any]
    """What must stay the same for old and new looks to stand in one table."""
    arms: tuple[Arm, ...]
    """As last extended."""


class State(Filed):
    """``replay/states/<id>.json``: a tree and its truth."""

    id: str
    """``T1-g3-r1/2``, ``T1-bare-r1/end``, ``T1/reference``, ``T1/R1+R3``."""
    kind: Kind
    task: str
    trial: str | None
    """The recorded one; ``None`` for a planted state."""
    n: int
    """The stop's number; 1 where there was none."""
    first: bool
    """Whether it is the first stop of its trial."""
    tree: str
    start_tree: str
    """What the work is compared with."""
    prompt: PromptVariant | None
    """What the worker was given; ``None`` for a planted state."""
    hidden: HiddenSummary | None
    """The recorded verdict of a stop; the oracle's of a planted state."""
    judged_by: str
    """Digest of the hidden tests that the verdict is of."""
    suite_green: bool | None = None
    """Upstream's pristine suite; ``None`` where a requirement fails, and nobody needs it."""

    @property
    def failing(self) -> bool | None:
        """Whether a requirement fails; ``None`` without a verdict."""
        if self.hidden is None or self.hidden.unscorable:
            return None
        return self.hidden.failed > 0


class Look(Filed):
    """``look.json``: one gate at one state, once."""

    state: str
    spec: str
    time: int
    """From 1; each time draws anew."""
    tree: str
    result: GateResult
    simulated: bool
    recorded: GateStatus | None = None
    """What the same gate said at this stop in the trial, at time 1; ``None`` where it didn't."""
    same: bool | None = None
    """Whether that was just the same: status, findings, failing tests."""
    apart_usd: float | None = None
    """Dollars of it that no kept call accounts for; ``None`` where they aren't known."""
    calls: dict[str, int] = Field(default_factory=dict)
    """Requests through the gateway, by role."""


class Prepared(Filed):
    """``prepared.json``: a gate's preparation, acceptance tests for one; written last."""

    subject: str
    """The trial, or the planted state, that it was made for."""
    spec: str
    time: int
    cost_usd: float | None
    """``None`` where it isn't known, or where the gate asks nobody."""


class Kept(Filed):
    """One role's call, all tries together: what equal questions are answered with from then on."""

    answer: dict[str, Any] | None
    error: str | None
    cost_usd: float | None
    turns: int | None
    wall_s: float


@dataclass(frozen=True)
class ReplayData:
    """What a job's replays have left, read back."""

    simulated: bool
    arms: tuple[Arm, ...]
    states: tuple[State, ...]
    looks: tuple[Look, ...]
    writer_usd: float | None
    """Of all preparations together, as far as known; ``None`` where there was none."""
    asked_in: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The job's own configs: by config and gate the `Spec.id` it was asked by."""

"""Placebos: gates that look at nothing.

A block changes what an agent does by itself: it gets another turn. What a gate is worth is what it
gains over a block that says nothing, at the same number of blocks. Nothing here reads the snapshot.
"""

from abc import ABC, abstractmethod

from pydantic import Field

from gatebench.gates.base import Ground, StopView
from gatebench.gates.settings import read_settings
from gatebench.model.base import Record
from gatebench.model.seeds import rng
from gatebench.model.stop import GateResult, GateStatus

NUDGE = "Please double-check your work before you stop."
NEUTRAL = "Not yet."
"""Says that the stop was refused, and nothing else."""


class Placebo(ABC):
    """What the placebos share: nothing to prepare, nothing to look at, nothing to say at the end.

    Args:
        ground: the trial's; of it only the settings, the prompt and the seed are used.
    """

    name: str

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._given = 0

    @abstractmethod
    def _blocks(self, n: int) -> bool:
        """Whether stop n is blocked."""

    @property
    @abstractmethod
    def _reason(self) -> str:
        """What the agent is told."""

    async def prepare(self) -> None:  # noqa: B027  # there is nothing to do
        """Nothing is needed."""

    async def recall(self) -> None:  # noqa: B027  # the same
        """Nothing was kept: an interrupted session is not taken up again."""

    async def check(self, stop: StopView) -> GateResult:
        """Block or not, whatever the snapshot holds."""
        blocks = self._blocks(stop.n)
        self._given += blocks
        return GateResult(
            name=self.name,
            status=GateStatus.RED if blocks else GateStatus.PASS,
            reason=self._reason if blocks else "",
            detail={"placebo": True},
        )

    async def last(self, tree: str) -> None:  # noqa: B027  # the same
        """Nothing more is to be said."""


class NoSettings(Record):
    """A gate without settings."""


class Nudge(Placebo):
    """The gate ``nudge``: blocks once, and asks the agent to double-check."""

    name = "nudge"

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        read_settings(NoSettings, self.name, ground.settings)

    def _blocks(self, _n: int) -> bool:
        return not self._given

    @property
    def _reason(self) -> str:
        return NUDGE


class BlockOnce(Nudge):
    """The gate ``block-once``: blocks once, and gives no reason."""

    name = "block-once"

    @property
    def _reason(self) -> str:
        return NEUTRAL


class RandomSettings(Record):
    """Settings of the gate ``random-block``."""

    rate: float = Field(default=0.5, ge=0, le=1)
    """Share of stops that are blocked."""


class RandomBlock(Placebo):
    """The gate ``random-block``: blocks by lot; the trial's seed and the stop decide."""

    name = "random-block"

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self._settings = read_settings(RandomSettings, self.name, ground.settings)

    def _blocks(self, n: int) -> bool:
        return rng(self._ground.seed, self.name, n).random() < self._settings.rate

    @property
    def _reason(self) -> str:
        return NEUTRAL


class RetrySettings(Record):
    """Settings of the gate ``retry``."""

    times: int = Field(default=2, ge=1)
    """How often the agent is sent to work again."""


class Retry(Placebo):
    """The gate ``retry``: the same budget without a gate.

    So many times the agent that wants to stop is given the task's own text once more: another
    attempt with all it has done before its eyes, and no feedback of any kind.
    """

    name = "retry"

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self._settings = read_settings(RetrySettings, self.name, ground.settings)

    def _blocks(self, _n: int) -> bool:
        return self._given < self._settings.times

    @property
    def _reason(self) -> str:
        return self._ground.prompt

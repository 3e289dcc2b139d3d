"""A usage limit that lifts soon enough to wait for, with no call open."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from gatebench.matrix.schedule import Drain

Tell = Callable[[float, str], None]
"""Gets the seconds left and why, about once a second."""


def _untold(_left_s: float, _why: str) -> None:
    """Nobody listens."""


@dataclass
class Hold:
    """Until when no trial is started; one for all trials of an invocation."""

    patience_s: float = 0.0
    """All that may be waited between two trials that went well."""
    tell: Tell = _untold
    times: int = 0
    """How often a trial met the limit."""
    _until: float = float("-inf")
    _why: str = ""
    _waited_s: float = 0.0
    _told: int = field(default=-1)

    def ask(self, left_s: float, why: str, drain: Drain) -> None:
        """Wait for so long; where that is more than patience has left, the job drains instead."""
        self.times += 1
        until = time.monotonic() + left_s
        if until <= self._until:
            return
        more = until - max(self._until, time.monotonic())
        if self._waited_s + more > self.patience_s:
            drain.ask(why)
            return
        self._waited_s += more
        self._until, self._why = until, why

    def pause(self, left_s: float, why: str) -> None:
        """Start nothing for so long: calls somewhere wait it out, which uses no patience up."""
        until = time.monotonic() + left_s
        if until > self._until:
            self._until, self._why = until, why

    def went_well(self) -> None:
        """A trial ended as it should: patience is whole again."""
        self._waited_s = 0.0

    async def over(self, drain: Drain) -> bool:
        """Wait until it is over; false where the job drained meanwhile."""
        while (left_s := self._until - time.monotonic()) > 0 and not drain.wanted:
            if self._told != int(left_s):
                self._told = int(left_s)
                self.tell(left_s, self._why)
            await anyio.sleep(min(left_s, 1.0))
        return not drain.wanted

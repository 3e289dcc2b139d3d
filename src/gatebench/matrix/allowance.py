"""What a job may spend; reached, no more trials are started."""

import time
from dataclasses import dataclass, field

from gatebench.matrix.schedule import Drain
from gatebench.model.score import Score


@dataclass
class Allowance:
    """Money and time of one invocation; ``None`` is no limit."""

    max_cost_usd: float | None = None
    """Over all trials of the job, those of earlier invocations included."""
    max_wall_s: float | None = None
    """Of this invocation."""
    spent_usd: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def take(self, score: Score, drain: Drain) -> None:
        """Count a trial that has ended, and drain when something is used up.

        A trial whose cost is unknown adds nothing: the limit is a floor then, not a promise.
        """
        self.spend((score.cost_total_usd or 0.0) + (score.cost_shadow_usd or 0.0), drain)

    def spend(self, cost_usd: float | None, drain: Drain) -> None:
        """Count what has been paid for; unknown adds nothing."""
        self.spent_usd += cost_usd or 0.0
        why = self.reached()
        if why:
            drain.ask(why)

    def reached(self) -> str:
        """What is used up, one sentence; empty while nothing is."""
        if self.max_cost_usd is not None and self.spent_usd >= self.max_cost_usd:
            return f"the job has cost ${self.spent_usd:.2f} of --max-cost {self.max_cost_usd:g}"
        passed = time.monotonic() - self.began
        if self.max_wall_s is not None and passed >= self.max_wall_s:
            return f"--max-wall {self.max_wall_s:g} s have passed"
        return ""

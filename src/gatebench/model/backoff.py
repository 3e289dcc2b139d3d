"""How long to wait before something that failed is tried again."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """Waits that double with each failure."""

    first_s: float
    most_s: float

    def wait_s(self, failures: int, draw: Callable[[], float] = random.random) -> float:
        """Seconds before the next try: doubled, capped, half of it drawn.

        Drawn, so that what failed together doesn't come back together.

        Args:
            failures: so far, at least 1.
            draw: gives a number from 0 to below 1.
        """
        whole: float = min(self.most_s, self.first_s * 2 ** (failures - 1))
        return whole * (0.5 + 0.5 * draw())

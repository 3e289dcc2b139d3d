"""Has the next stop's runs of pytest started while the agent works."""

import os

from gatebench.oracle import SHAPE
from gatebench.trial.run import Run


def stand_by(run: Run) -> None:
    """See that a process waits for each run that the next stop begins with; returns at once.

    Where the processors are busy anyway it would only take from others what it saves here, and
    more: a stop whose tree is known needs no run.
    """
    shapes = [shape for gate in run.gates for shape in getattr(gate, "runs", ())]
    if shapes and idle():
        # Nobody waits for the oracle's verdict but the trial's own end.
        run.waiters.want([*shapes, SHAPE])


def idle() -> bool:
    """Whether fewer tasks wanted to run in the last minute than there are processors."""
    return os.getloadavg()[0] < (os.cpu_count() or 1)

"""(e): seconds to analyze jobs of growing size: the shipped matrix, played many times."""

import time
from pathlib import Path

from figure import Figure

from gatebench.model.task import PromptVariant
from gatebench.report.results import results
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.suites import load_suite
from gatebench.team import load_profile

SIZES = (100, 1_000, 10_000)
BOUND_S = 20.0
"""At the largest."""


def analyzing(_scratch: Path) -> list[Figure]:
    """A job of each size: 5 tasks, 5 configs, and as many repetitions as it takes."""
    team = load_profile("mixed")
    tasks = [task for task in load_suite("tinydb").tasks if not task.spare]
    played = [SimTask.of(task, team, PromptVariant.TERSE) for task in tasks]
    return [_at(size, played) for size in SIZES]


def _at(size: int, tasks: list[SimTask]) -> Figure:
    job = play_job(tasks, reps=size // (5 * len(tasks)))
    began = time.monotonic()
    results(job)
    took = time.monotonic() - began
    bound = BOUND_S if size == SIZES[-1] else None
    how = f"{took / size * 1000:.2f} ms a trial"
    return Figure("e", f"analyze {len(job.trials):,} trials", took, "s", bound, how)

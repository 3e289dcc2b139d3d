"""(e): seconds to analyze jobs of growing size, made by multiplying a small one's trials."""

import time
from pathlib import Path

from figure import Figure, run

from gatebench.model.job import JobData, TrialData
from gatebench.model.trial import TrialId
from gatebench.report.results import results
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job

SIZES = (100, 1_000, 10_000)
BOUND_S = 20.0
"""At the largest."""


def analyzing(scratch: Path) -> list[Figure]:
    """A job of four real trials, at each size."""
    run("T1,T2", "--configs", "bare,g1", "--reps", "1", "--out", str(scratch / "e"))
    job = load_job(JobDir(scratch / "e"))
    return [_at(size, job) for size in SIZES]


def _at(size: int, job: JobData) -> Figure:
    reps = -(-size // (len(job.tasks) * len(job.configs)))
    trials = tuple(
        TrialData(TrialId(t.id.task, t.id.config, rep), t.score, t.stops)
        for rep in range(1, reps + 1)
        for t in job.trials
        if t.id.rep == 1
    )
    bigger = JobData(**{**vars(job), "reps": reps, "trials": trials})
    began = time.monotonic()
    results(bigger)
    took = time.monotonic() - began
    bound = BOUND_S if size == SIZES[-1] else None
    how = f"{took / len(trials) * 1000:.2f} ms a trial"
    return Figure("e", f"analyze {len(trials):,} trials", took, "s", bound, how)

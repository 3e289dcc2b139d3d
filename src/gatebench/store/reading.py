"""Read a job back for analysis, without anything that made it."""

from pathlib import Path

from gatebench.errors import JobMismatch
from gatebench.model.job import JobData, TrialData
from gatebench.store.job_dir import JobDir
from gatebench.store.triage import read_triage


def open_job(path: Path) -> JobDir:
    """The job at a path.

    Raises:
        JobMismatch: there is none.
    """
    job = JobDir(path)
    if not path.is_dir() or job.lock() is None:
        raise JobMismatch(
            f"{path} is no job directory.", "'gatebench ls' shows the jobs there are."
        )
    return job


def load_job(job: JobDir) -> JobData:
    """Everything a job holds, in the matrix's order; tagged trials left out."""
    lock = job.lock()
    if lock is None:
        raise JobMismatch(f"{job.path} has no lock.json.", "It is no job; give a job directory.")
    matrix = lock.matrix
    trials = []
    for planned in matrix.trials():
        if planned.tag:
            continue
        home = job.trial(planned)
        trials.append(TrialData(planned, home.score(), home.stops(), read_triage(home)))
    return JobData(
        name=job.path.name,
        suite=matrix.choice.suite,
        tasks=matrix.tasks,
        configs=tuple(c.name for c in matrix.configs),
        reps=matrix.reps,
        requirements={task: len(ids) for task, ids in lock.requirements.items()},
        simulated=matrix.choice.simulated,
        trials=tuple(trials),
        kept=lock.kept,
    )

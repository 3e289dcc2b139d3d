"""Find the job or trial that a person means."""

from pathlib import Path

from gatebench.cli import place
from gatebench.errors import UnknownName, UsageError
from gatebench.model.trial import TrialId
from gatebench.store.job_dir import LOCK, JobDir
from gatebench.store.reading import open_job
from gatebench.store.trial_dir import TrialDir

LATEST = "latest"


def all_jobs() -> list[Path]:
    """The job directories below ``jobs``, the one used last first."""
    found = [lock.parent for lock in place.jobs().glob(f"*/{LOCK}")]
    return sorted(found, key=_used, reverse=True)


def _used(job: Path) -> float:
    log = job / "matrix.log"
    return (log if log.exists() else job).stat().st_mtime


def find_job(text: str) -> JobDir:
    """A path, the name of a job below ``jobs``, or ``latest``.

    Raises:
        UnknownName: there is none.
        UsageError: there are no jobs at all.
    """
    if text == LATEST:
        return _latest()
    for path in (Path(text), place.jobs() / text):
        if path.is_dir():
            return open_job(path)
    raise UnknownName("job", text, tuple(p.name for p in all_jobs()))


def _latest() -> JobDir:
    jobs = all_jobs()
    if not jobs:
        raise UsageError(
            f"there are no jobs below {place.jobs()}/ here.",
            "'gatebench run' makes the first one; a job elsewhere is named by its path.",
        )
    return JobDir(jobs[0])


def find_trial(job: JobDir, name: str) -> TrialDir:
    """A trial of a job by name.

    Raises:
        UsageError: the name is none.
        UnknownName: the job has no such trial.
    """
    trial = job.trial(TrialId.parse(name))
    if not trial.path.is_dir():
        raise UnknownName("trial", name, tuple(t.path.name for t in job.trial_dirs()))
    return trial


def find_either(text: str) -> tuple[JobDir, TrialDir | None]:
    """A job, or one trial of it by its directory's path."""
    path = Path(text)
    if path.is_dir() and (path.parent / LOCK).exists():
        try:
            TrialId.parse(path.resolve().name)
        except UsageError:
            return find_job(text), None
        return JobDir(path.parent), TrialDir(path)
    return find_job(text), None

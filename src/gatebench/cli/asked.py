"""Sort what stands on the command line of ``run`` into a matrix and a place for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gatebench.agents.program import AGENTS
from gatebench.cli import place
from gatebench.errors import UsageError
from gatebench.gates.registry import gate_names
from gatebench.matrix.examples import examples
from gatebench.matrix.file import MatrixFile, read_matrix_file
from gatebench.matrix.resolve import Known, Request, choose, default_name, resolve
from gatebench.model.matrix import Matrix
from gatebench.model.trial import TrialId
from gatebench.store.job_dir import LOCK, JobDir
from gatebench.suites import Suite, load_suite, shipped_suites
from gatebench.team import SHIPPED as PROFILES
from gatebench.trial.bench import check_via

PLAYBACK = "playback"


@dataclass(frozen=True)
class Words:
    """What the positional arguments turned out to be."""

    file: MatrixFile
    suite: str | None = None
    job: Path | None = None
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """The command line, sorted."""

    words: Words
    tasks: tuple[str, ...]
    configs: tuple[str, ...]
    flags: dict[str, Any]

    def request(self, *, reps: int | None, give_up: int | None, tag: str) -> Request:
        """What it comes to for the matrix."""
        choices = dict(self.flags)
        if self.words.suite:
            choices["suite"] = self.words.suite
        return Request(
            file=self.words.file,
            tasks=self.tasks or self.words.tasks,
            configs=self.configs,
            reps=reps,
            give_up=give_up,
            tag=tag,
            choices=choices,
        )


def listed(text: str) -> tuple[str, ...]:
    """The words of a comma-separated list."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def words_of(target: list[str]) -> Words:
    """A suite, a matrix file, a job, or tasks."""
    if not target:
        return Words(MatrixFile())
    first = target[0]
    single = _single(first)
    if single is None:
        return Words(MatrixFile(), tasks=tuple(t for word in target for t in listed(word)))
    if len(target) > 1:
        raise UsageError(
            f"'{first}' stands alone; '{target[1]}' is too much.", "Name tasks with --tasks."
        )
    return single


def _single(word: str) -> Words | None:
    path = Path(word)
    if word.endswith(".toml"):
        return Words(read_matrix_file(path))
    for job in (path, place.jobs() / word, examples() / word):
        if (job / LOCK).exists():
            return Words(MatrixFile(), job=job)
    if word in shipped_suites() or (path / "suite.toml").exists():
        return Words(MatrixFile(), suite=word)
    if "/" in word:
        raise UsageError(
            f"'{word}' is no suite, no matrix file and no job.",
            "A suite holds suite.toml, a job lock.json.",
        )
    return None


def matrix_of(asked: Asked, request: Request) -> tuple[Matrix, Suite]:
    """The matrix meant, and its suite.

    Raises:
        UsageError: a name or value that isn't there.
        SuiteError: the suite is broken.
    """
    TrialId("T1", "bare", 1, request.tag)  # refuses a tag that no directory could be named by
    if asked.words.job is not None:
        return _locked(asked.words.job, request)
    choice = choose(request)
    check_via(choice)
    suite = load_suite(choice.suite)
    return resolve(request, choice, suite.tasks, _known(suite)), suite


def _locked(job: Path, request: Request) -> tuple[Matrix, Suite]:
    """The matrix of a job that is to go on; only its extent may be changed here."""
    lock = JobDir(job).lock()
    assert lock is not None  # noqa: S101  # it was there a moment ago
    if request.choices == {"via": PLAYBACK}:
        return _played(lock.matrix, request), load_suite(lock.matrix.choice.suite)
    if request.choices or request.give_up is not None:
        raise UsageError(
            f"{job} is locked to its matrix; flags that change it have no place here.",
            "Leave them out, or start another job.",
        )
    old = lock.matrix
    suite = load_suite(old.choice.suite)
    wanted = request.tasks or old.tasks
    names = request.configs or tuple(c.name for c in old.configs)
    known = {c.name: c for c in old.configs}
    extent = Request(tasks=wanted, configs=tuple(n for n in names if n not in known))
    added = resolve(extent, old.choice, suite.tasks, _known(suite)) if extent.configs else None
    for config in added.configs if added else ():
        known[config.name] = config
    return old.model_copy(
        update={
            "tasks": wanted,
            "configs": tuple(known[n] for n in names),
            "reps": request.reps or old.reps,
            "tag": request.tag,
        }
    ), suite


def _played(old: Matrix, request: Request) -> Matrix:
    """A recorded job's matrix, to be played back into a job of its own."""
    choice = old.choice.model_copy(update={"via": PLAYBACK})
    return old.model_copy(update={"choice": choice, "tag": request.tag})


def _known(suite: Suite) -> Known:
    return Known(gate_names(), AGENTS, PROFILES, tuple(suite.injections))


def home_of(
    asked: Asked, matrix: Matrix, out: Path | None, give_up: int | None, *, new: bool
) -> Path:
    """Where the job lies: where it was, where asked for, or where the same command puts it."""
    if asked.words.job is not None and matrix.choice.via == PLAYBACK:
        job, name = asked.words.job, f"{asked.words.job.name}-{PLAYBACK}"
        shipped = job.parent == examples()
        return out or (place.jobs() / name if shipped else job.with_name(name))
    if asked.words.job is not None:
        return asked.words.job
    path = out or place.jobs() / default_name(matrix, give_up)
    if not new:
        return path
    number = 2
    while path.exists():
        path = path.with_name(f"{path.name.split('+')[0]}+{number}")
        number += 1
    return path

"""Tie a job directory to its matrix: make the lock, compare it, extend it."""

from dataclasses import dataclass

from gatebench import __version__
from gatebench.errors import JobMismatch
from gatebench.model.matrix import Kept, Lock, Matrix
from gatebench.model.task import Task


def make_lock(matrix: Matrix, digests: dict[str, str], tasks: tuple[Task, ...]) -> Lock:
    """The lock of a matrix about to run.

    Args:
        matrix: resolved.
        digests: content digests by what they are of.
        tasks: the suite's tasks.
    """
    return Lock(
        product=__version__,
        matrix=matrix.model_copy(update={"tag": ""}),
        digests=digests,
        requirements={t.id: t.requirement_ids for t in tasks if t.id in matrix.tasks},
    )


@dataclass(frozen=True)
class Past:
    """What a job's directory holds already."""

    lock: Lock
    where: str
    """The directory, for messages."""
    finished: tuple[str, ...] = ()
    """Trials with a valid score."""
    keep: bool = False
    """Whether trials of another lock may stay, marked."""


def reconcile(past: Past | None, new: Lock) -> Lock:
    """The lock that holds both what was there and what is asked for now.

    More tasks, configs or reps extend a job; whatever else differs would mix two experiments, and
    is only done on request, and marked.

    Raises:
        JobMismatch: something differs; the message shows each difference.
    """
    if past is None:
        return new
    differences = _differences(past.lock, new)
    if not differences:
        return _extended(past.lock, new, past.lock)
    if past.keep:
        kept = (*past.lock.kept, *_kept(past, differences))
        return _extended(past.lock, new, new.model_copy(update={"kept": kept}))
    raise JobMismatch(
        f"{past.where} belongs to another matrix: {'; '.join(differences)}.",
        "Nothing was changed. --keep-old keeps its finished trials, marked, and goes on; --new "
        "begins a job beside it; another --out, or the old command, leaves it alone.",
    )


def _kept(past: Past, differences: list[str]) -> list[Kept]:
    """The finished trials that the old lock itself had run."""
    before = {name for kept in past.lock.kept for name in kept.trials}
    own = tuple(name for name in past.finished if name not in before)
    number = 1 + len(past.lock.kept)
    return [Kept(lock=f"lock-{number}.json", differences=tuple(differences), trials=own)]


def _extended(old: Lock, new: Lock, base: Lock) -> Lock:
    """One of the two, with all that either covers; where both define a thing, it decides."""
    other = new if base is old else old
    return base.model_copy(
        update={
            "matrix": _union(base.matrix, old.matrix, new.matrix),
            "digests": {**_of_configs(other.digests), **base.digests},
            "requirements": {**other.requirements, **base.requirements},
        }
    )


def _differences(old: Lock, new: Lock) -> list[str]:
    before, after = old.identity(), new.identity()
    shared = [key for key in before if key in after]
    gone = [key for key in {**before, **after} if (key in before) != (key in after)]
    changed = [
        f"{key}: was {before[key]}, is {after[key]}" for key in shared if before[key] != after[key]
    ]
    # A config on one side only is an extension, or a job asked for in part.
    partial = ("config.", "digest.config.")
    return changed + [f"{key}: on one side only" for key in gone if not key.startswith(partial)]


def _of_configs(digests: dict[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name.startswith("config.")}


def _union(base: Matrix, old: Matrix, new: Matrix) -> Matrix:
    """All tasks, configs and reps of both, in the order in which they came."""
    configs = {c.name: c for c in (*old.configs, *new.configs, *base.configs)}
    return base.model_copy(
        update={
            "tasks": tuple(dict.fromkeys(old.tasks + new.tasks)),
            "configs": tuple(configs.values()),
            "reps": max(old.reps, new.reps),
        }
    )

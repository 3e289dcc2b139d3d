"""Tie a job directory to its matrix: make the lock, compare it, extend it."""

from gatebench import __version__
from gatebench.errors import JobMismatch
from gatebench.model.matrix import Lock, Matrix
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


def reconcile(old: Lock | None, new: Lock, where: str) -> Lock:
    """The lock that holds both what was there and what is asked for now.

    More tasks, configs or reps extend a job; whatever else differs would mix two experiments.

    Raises:
        JobMismatch: something differs; the message shows each difference.
    """
    if old is None:
        return new
    differences = _differences(old, new)
    if differences:
        raise JobMismatch(
            f"{where} belongs to another matrix: {'; '.join(differences)}.",
            "Nothing was changed. Give the new matrix another --out (or --new), or issue the old "
            "command.",
        )
    return old.model_copy(
        update={
            "matrix": _union(old.matrix, new.matrix),
            "digests": {**old.digests, **new.digests},
            "requirements": {**old.requirements, **new.requirements},
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


def _union(old: Matrix, new: Matrix) -> Matrix:
    """All tasks, configs and reps of both, in the order in which they came."""
    names = {c.name for c in old.configs}
    return old.model_copy(
        update={
            "tasks": tuple(dict.fromkeys(old.tasks + new.tasks)),
            "configs": old.configs + tuple(c for c in new.configs if c.name not in names),
            "reps": max(old.reps, new.reps),
        }
    )

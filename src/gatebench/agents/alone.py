"""One error of a task group as itself."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alone() -> Iterator[None]:
    """Raise what a task group wraps as itself where it is the only one.

    Callers match on the error tree; that something ran in a group of tasks is none of theirs.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if error is group:
            raise
        raise error from error.__cause__

"""What a full disk looks like, however deep in an error it lies."""

import errno
import os
import shutil
from collections.abc import Iterator

from gatebench.errors import DiskFull, StoreError

_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT})
_WORDS = tuple(map(os.strerror, _NUMBERS))
"""What git and `shutil.copytree` say: they keep no number."""


def out_of_room(error: BaseException) -> bool:
    """Whether a full disk, or a quota that is used up, is behind an error."""
    return any(map(_is_full, _behind(error)))


def raise_if_full(error: BaseException) -> None:
    """Raise what a full disk is behind of as that; come back where it is something else.

    Raises:
        DiskFull: it is.
    """
    cause = next(filter(_is_full, _behind(error)), None)
    if isinstance(cause, DiskFull):
        raise cause
    if cause is not None:
        raise DiskFull(
            f"a disk is full: {' '.join(str(cause).split())[:300]}",
            "Make room, then run the same command again: it resumes.",
        ) from error


def _is_full(error: BaseException) -> bool:
    if isinstance(error, DiskFull):
        return True
    if isinstance(error, OSError) and error.errno in _NUMBERS:
        return True
    told = isinstance(error, (shutil.Error, StoreError))
    return told and any(words in str(error) for words in _WORDS)


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The error, what a group holds, and what each was raised from or amid."""
    todo: list[BaseException | None] = [error]
    seen: set[int] = set()
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            todo.extend(one.exceptions)
        todo += [one.__context__, one.__cause__]

"""A full disk is known by whatever it turns into on its way up."""

import errno
import os
import shutil

import pytest

from gatebench.errors import DiskFull, SpawnFailed, StoreError
from gatebench.model.room import out_of_room, raise_if_full

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/some/file")


def caused() -> Exception:
    error = StoreError("/some/file can't be written.")
    error.__cause__ = FULL
    return error


@pytest.mark.parametrize(
    "error",
    [
        FULL,
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
        caused(),
        ExceptionGroup("", [ValueError(), ExceptionGroup("", [caused()])]),
        shutil.Error([("/a", "/b", str(FULL))]),
        StoreError("git diff-tree failed in /x: fatal: write error: No space left on device"),
        DiskFull("the disk of /x is full."),
    ],
)
def test_a_full_disk_is_seen(error: Exception) -> None:
    assert out_of_room(error)
    with pytest.raises(DiskFull, match=r"full|No space left|quota"):
        raise_if_full(error)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EACCES, os.strerror(errno.EACCES)),
        ValueError("No space left on device"),  # whoever says so may be an agent
        SpawnFailed("bwrap failed: No space left on device"),  # of namespaces
    ],
)
def test_nothing_else_is_taken_for_one(error: Exception) -> None:
    assert not out_of_room(error)
    raise_if_full(error)

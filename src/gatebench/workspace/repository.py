"""The work copy: a repository of one commit without a past, a future or an owner."""

import os
import shutil
from pathlib import Path

import anyio

from gatebench.errors import StoreError, SuiteError
from gatebench.workspace.git import run_git
from gatebench.workspace.objects import Objects
from gatebench.workspace.scan import Bounds, scan

_EPOCH_S = 1_577_836_800
_PERSON = f"dev <dev@example.com> {_EPOCH_S} +0000"
_UNBOUNDED = Bounds(2**40, 2**40, 2**40, 2**40)
_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = dev
\temail = dev@example.com
"""


async def make_repository(files: Path, dest: Path) -> str:
    """Make a repository of one commit from a directory's files.

    The commit (2020-01-01, by dev, "Initial import", on main) depends on nothing but the files:
    all its objects are written here, byte for byte, whatever ``.gitattributes`` say. There is no
    remote and no reflog. Files get the commit's date, so that listings tell nothing either.

    Args:
        files: a directory without a ``.git``.
        dest: absent or empty.

    Returns:
        The commit's id.

    Raises:
        StoreError: ``dest`` isn't empty or can't be written.
    """
    commit = await anyio.to_thread.run_sync(_write_repository, files, dest)
    await run_git(("read-tree", commit), dest)
    await run_git(("update-index", "-q", "--refresh"), dest)
    return commit


def _write_repository(files: Path, dest: Path) -> str:
    if dest.exists() and any(dest.iterdir()):
        raise StoreError(f"{dest} is not empty.", "Make the repository in a new directory.")
    skip = shutil.ignore_patterns(".git", "__pycache__", ".pytest_cache")
    shutil.copytree(files, dest, symlinks=True, dirs_exist_ok=True, ignore=skip)
    _settle(dest)
    git = dest / ".git"
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags", "info"):
        (git / folder).mkdir(parents=True)
    objects = Objects(git / "objects")
    tree = scan(objects, dest, _UNBOUNDED).tree
    text = f"tree {tree}\nauthor {_PERSON}\ncommitter {_PERSON}\n\nInitial import\n"
    commit = objects.put("commit", text.encode())
    (git / "config").write_text(_CONFIG)
    (git / "info" / "exclude").write_text("")
    (git / "refs" / "heads" / "main").write_text(f"{commit}\n")
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    return commit


def _settle(dest: Path) -> None:
    """Give everything the commit's date, and the modes that git would."""
    for folder, folders, names in os.walk(dest, topdown=False):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        for name in (*names, *folders):
            os.utime(Path(folder, name), (_EPOCH_S, _EPOCH_S), follow_symlinks=False)


def make_work_copy(pristine: Path, dest: Path) -> None:
    """Copy a prepared repository, ``.git`` included; nothing is shared with it (no hard links).

    Args:
        pristine: what `make_repository` made.
        dest: absent or empty.

    Raises:
        StoreError: ``dest`` isn't empty.
    """
    if dest.exists() and any(dest.iterdir()):
        raise StoreError(f"{dest} is not empty.", "Copy into a new directory.")
    shutil.copytree(pristine, dest, symlinks=True, dirs_exist_ok=True)


async def apply_patch(work: Path, patch: bytes) -> None:
    """Apply a patch to a work copy, uncommitted; its index is left alone.

    Raises:
        SuiteError: it doesn't apply; nothing is changed then.
    """
    try:
        await run_git(("apply", "--whitespace=nowarn", "-"), work, stdin=patch)
    except StoreError as error:
        raise SuiteError(
            f"A patch doesn't apply to the work copy: {error.message}",
            "Make it anew against the pinned version of the library.",
        ) from error

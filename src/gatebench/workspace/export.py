"""Lay a tree out as plain files."""

import os
from pathlib import Path

from gatebench.errors import StoreError
from gatebench.workspace.objects import Objects
from gatebench.workspace.trees import LINK, PROGRAM, Entry, read_tree

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def lay_out(objects: Objects, tree: str, dest: Path) -> None:
    """Write a tree's files into an empty or absent directory.

    Links come last, so that nothing is ever written through one.

    Raises:
        StoreError: the directory isn't empty, or the tree can't be read.
    """
    dest.mkdir(parents=True, exist_ok=True)
    if any(dest.iterdir()):
        raise StoreError(f"{dest} is not empty.", "Check out into a new directory.")
    root = os.fsencode(dest)
    os.chmod(root, 0o755)  # noqa: S103  # readable for the id that commands have
    flat = read_tree(objects, tree)
    made = {root}
    for path, entry in sorted(flat.items(), key=lambda item: item[1].mode == LINK):
        target = os.path.join(root, path)
        _make_folders(os.path.dirname(target), made)
        _write(target, entry, objects.get(entry.blob, "blob"))


def _make_folders(folder: bytes, made: set[bytes]) -> None:
    if folder not in made:
        _make_folders(os.path.dirname(folder), made)
        os.mkdir(folder)
        os.chmod(folder, 0o755)  # noqa: S103  # whatever the umask is
        made.add(folder)


def _write(target: bytes, entry: Entry, data: bytes) -> None:
    if entry.mode == LINK:
        os.symlink(data, target)
        return
    mode = 0o755 if entry.mode == PROGRAM else 0o644
    with open(os.open(target, _WRITE, mode), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)

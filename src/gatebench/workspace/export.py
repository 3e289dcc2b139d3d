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
    dest.chmod(0o755)
    flat = read_tree(objects, tree)
    made = {dest}
    for path, entry in sorted(flat.items(), key=lambda item: item[1].mode == LINK):
        target = dest / os.fsdecode(path)
        _make_folders(target.parent, made)
        _write(target, entry, objects.get(entry.blob, "blob"))


def _make_folders(folder: Path, made: set[Path]) -> None:
    if folder not in made:
        _make_folders(folder.parent, made)
        folder.mkdir()
        folder.chmod(0o755)  # whatever the umask is: commands may have another id
        made.add(folder)


def _write(target: Path, entry: Entry, data: bytes) -> None:
    if entry.mode == LINK:
        target.symlink_to(os.fsdecode(data))
        return
    mode = 0o755 if entry.mode == PROGRAM else 0o644
    with os.fdopen(os.open(target, _WRITE, mode), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)

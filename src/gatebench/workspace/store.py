"""The git store of a job: every snapshot's tree, and the differences between them."""

import os
from collections.abc import Mapping
from pathlib import Path

import anyio

from gatebench.workspace.export import lay_out
from gatebench.workspace.git import run_git
from gatebench.workspace.objects import Objects
from gatebench.workspace.scan import Bounds, Snapshot, scan
from gatebench.workspace.trees import FILE, LINK, Entry, check_path, place, read_tree, write_tree

_CONFIG = b"""[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[gc]
\tauto = 0
"""
_DIFF = (
    "diff-tree",
    "-r",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


class TreeStore:
    """A bare git store of ours; never the agent's ``.git``.

    Objects are written and read here, without git; git only computes differences, between trees,
    in a store without HEAD, index, attributes and configuration of anyone else's. Safe for any
    number of tasks and processes at once.

    Args:
        git_dir: where it lives.
        bounds: how much of a work copy a snapshot takes.
    """

    def __init__(self, git_dir: Path, bounds: Bounds | None = None) -> None:
        self._dir = git_dir
        self._bounds = bounds or Bounds()
        self._objects = Objects(git_dir / "objects")

    async def create(self) -> None:
        """Make the store where there is none yet."""
        await anyio.to_thread.run_sync(self._create)

    def _create(self) -> None:
        for folder in ("objects/pack", "objects/info", "refs/heads"):
            (self._dir / folder).mkdir(parents=True, exist_ok=True)
        for name, data in (("config", _CONFIG), ("HEAD", b"ref: refs/heads/main\n")):
            if not (self._dir / name).exists():
                (self._dir / name).write_bytes(data)

    async def snapshot(self, work: Path, start: str | None = None) -> Snapshot:
        """Capture a work copy: all of it but ``.git`` and byte-code caches, within bounds.

        Args:
            work: the work copy.
            start: the tree it began with, whose files are captured before all others.

        Raises:
            StoreError: the store can't be written.
        """
        return await anyio.to_thread.run_sync(self._snapshot, work, start)

    def _snapshot(self, work: Path, start: str | None) -> Snapshot:
        first = read_tree(self._objects, start) if start else ()
        return scan(self._objects, work, self._bounds, first)

    async def add_files(self, base: str | None, files: Mapping[str, bytes | None]) -> str:
        """A tree with files replaced or, for ``None``, deleted; gives its id.

        What stands in a new file's way (a file or link where it needs a directory) goes. A file
        that is there keeps its mode.

        Args:
            base: the tree to start from; ``None`` for an empty one.
            files: content by path.

        Raises:
            StoreError: a path that would leave the tree.
        """
        return await anyio.to_thread.run_sync(self._add_files, base, files)

    def _add_files(self, base: str | None, files: Mapping[str, bytes | None]) -> str:
        flat = read_tree(self._objects, base) if base else {}
        for name, data in files.items():
            path = os.fsencode(name)
            check_path(path)
            if data is None:
                flat.pop(path, None)
                continue
            old = flat.get(path)
            mode = FILE if old is None or old.mode == LINK else old.mode
            place(flat, path, Entry(mode, self._objects.put("blob", data)))
        return write_tree(self._objects, flat)

    async def checkout(self, tree: str, dest: Path) -> None:
        """Lay a tree out: exact bytes, links as links, into an empty or absent directory.

        Raises:
            StoreError: the directory isn't empty, or the tree can't be read.
        """
        await anyio.to_thread.run_sync(lay_out, self._objects, tree, dest)

    async def diff(self, old: str, new: str) -> bytes:
        """A patch that ``git apply`` turns ``old`` into ``new`` with, byte for byte."""
        return await self._git(*_DIFF, "-p", "--binary", "--full-index", old, new)

    async def numstat(self, old: str, new: str) -> bytes:
        """Lines added and deleted per file, as ``git diff --numstat`` prints them."""
        return await self._git(*_DIFF, "--numstat", old, new)

    async def changed(self, old: str, new: str) -> tuple[str, ...]:
        """Paths that differ, sorted; bytes that are no UTF-8 as surrogates."""
        return await anyio.to_thread.run_sync(self._changed, old, new)

    def _changed(self, old: str, new: str) -> tuple[str, ...]:
        before, after = read_tree(self._objects, old), read_tree(self._objects, new)
        paths = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        return tuple(map(os.fsdecode, paths))

    async def paths(self, tree: str) -> frozenset[str]:
        """Every path of a tree; bytes that are no UTF-8 as surrogates."""
        flat = await anyio.to_thread.run_sync(read_tree, self._objects, tree)
        return frozenset(map(os.fsdecode, flat))

    async def since(self, known: set[str]) -> dict[str, bytes]:
        """The objects that aren't among those known, for another store; they are known then."""
        return await anyio.to_thread.run_sync(self._since, known)

    def _since(self, known: set[str]) -> dict[str, bytes]:
        fresh = {name: self._objects.packed(name) for name in self._objects.names() - known}
        known.update(fresh)
        return fresh

    async def take(self, objects: Mapping[str, bytes]) -> None:
        """Store what another store gave.

        Raises:
            StoreError: something arrived damaged, or can't be written.
        """
        await anyio.to_thread.run_sync(self._take, objects)

    def _take(self, objects: Mapping[str, bytes]) -> None:
        for name, packed in objects.items():
            self._objects.take(name, packed)

    async def read(self, tree: str, path: str) -> bytes | None:
        """A file's content; ``None`` where the tree has no such file, or a link."""
        return await anyio.to_thread.run_sync(self._read, tree, path)

    def _read(self, tree: str, path: str) -> bytes | None:
        entry = read_tree(self._objects, tree).get(os.fsencode(path))
        if entry is None or entry.mode == LINK:
            return None
        return self._objects.get(entry.blob, "blob")

    async def _git(self, *arguments: str) -> bytes:
        return await run_git(arguments, self._dir, {"GIT_DIR": str(self._dir.absolute())})

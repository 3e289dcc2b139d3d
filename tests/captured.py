"""A prepared work copy, what an agent may do to it, and what a store makes of that."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.workspace import Snapshot, TreeStore, make_repository, make_work_copy

PRISTINE = {
    "f.py": b"one\ntwo\nthree\n",
    "crlf.txt": b"a\r\nb\r\n",
    "open.txt": b"no newline at the end",
    "lib/deep/g.py": b"g\n",
    ".gitignore": b"*.log\nbuild/\n",
}


@dataclass(frozen=True)
class Ground:
    """One store, one work copy of a small library, and the tree it began with."""

    root: Path
    work: Path
    store: TreeStore
    base: Snapshot

    def shell(self, text: str) -> None:
        """Do something in the work copy as an agent would."""
        done = subprocess.run(["sh", "-c", text], cwd=self.work, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the work copy."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def snapshot(self) -> Snapshot:
        """Capture the work copy."""
        return anyio.run(self.store.snapshot, self.work, self.base.tree)

    def changed(self, snapshot: Snapshot) -> set[str]:
        """Paths that differ from the beginning."""
        return set(anyio.run(self.store.changed, self.base.tree, snapshot.tree))

    def diff(self, snapshot: Snapshot) -> bytes:
        """The patch from the beginning."""
        return anyio.run(self.store.diff, self.base.tree, snapshot.tree)

    def read(self, snapshot: Snapshot, name: str) -> bytes | None:
        """A file of a snapshot."""
        return anyio.run(self.store.read, snapshot.tree, name)

    def reapplied(self, snapshot: Snapshot) -> str:
        """The tree that plain ``git apply`` makes of the beginning and the patch."""
        place = self.root / f"again-{os.urandom(4).hex()}"
        anyio.run(self.store.checkout, self.base.tree, place)
        patch = self.diff(snapshot)
        if patch:
            env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.root)}
            command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
            subprocess.run(command, cwd=place, input=patch, check=True, env=env)
        return anyio.run(self.store.snapshot, place).tree


def ground(root: Path, prepare: Callable[[Path], None] = lambda _: None) -> Ground:
    """Make one in an empty directory."""
    files = root / "files"
    for name, data in PRISTINE.items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_bytes(data)
    prepare(files)
    store = TreeStore(root / "store")

    async def make() -> Snapshot:
        await make_repository(files, root / "pristine")
        await store.create()
        make_work_copy(root / "pristine", root / "work")
        return await store.snapshot(root / "work")

    return Ground(root, root / "work", store, anyio.run(make))

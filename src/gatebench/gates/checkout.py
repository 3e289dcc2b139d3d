"""Private checkouts for gates; a gate that changes what it looks at is broken."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio

from gatebench.errors import GateFault
from gatebench.suites.stand import tree_place
from gatebench.workspace import TreeStore

Place = AbstractAsyncContextManager[Path]
"""Gives an absent or empty directory for a tree."""


@asynccontextmanager
async def private_directory() -> AsyncIterator[Path]:
    """A directory in a short place whose name tells nothing; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="t"))
    try:
        yield folder
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, folder)


@asynccontextmanager
async def scratch_copy(
    trees: TreeStore, tree: str, place: Place | None = None
) -> AsyncIterator[Path]:
    """A copy to be used up; in a place of its own unless one is given."""
    async with place or tree_place() as copy:
        await trees.checkout(tree, copy)
        yield copy


@asynccontextmanager
async def checkout(trees: TreeStore, tree: str, place: Place | None = None) -> AsyncIterator[Path]:
    """A copy to look at; in a place of its own unless one is given.

    Raises:
        GateFault: on leaving, the copy's files had been changed.
    """
    async with scratch_copy(trees, tree, place) as copy:
        yield copy
        if (await trees.snapshot(copy)).tree != tree:
            raise GateFault(
                "the gate changed files of the snapshot it was looking at.",
                "A gate works on copies of its own; see docs/gates.md.",
            )


async def unchanged(trees: TreeStore, tree: str, copy: Path) -> None:
    """Make sure that nothing of a snapshot was changed in a copy; what was added is let be.

    Raises:
        GateFault: a file was changed or is gone.
    """
    after = (await trees.snapshot(copy)).tree
    there = await trees.paths(tree)
    changed = [path for path in await trees.changed(tree, after) if path in there]
    if changed:
        raise GateFault(
            f"the gate changed files of the snapshot it was looking at: {', '.join(changed[:5])}.",
            "A gate looks; it doesn't mend (docs/gates.md).",
        )


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)

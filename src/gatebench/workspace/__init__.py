"""Work copies, and what is captured of them: a git store of our own, never the agent's."""

from gatebench.workspace.repository import apply_patch, make_repository, make_work_copy
from gatebench.workspace.scan import Bounds, Cut, Snapshot
from gatebench.workspace.store import TreeStore

__all__ = [
    "Bounds",
    "Cut",
    "Snapshot",
    "TreeStore",
    "apply_patch",
    "make_repository",
    "make_work_copy",
]

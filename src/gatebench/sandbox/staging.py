"""Makes what root binds reachable for the id that root's commands run under.

bwrap resolves the path of every bind, of one given by descriptor too, and the other id may not pass
a directory like ``/root``. So where a source lies behind such a directory, an outer bwrap, still
root's, mounts all sources at short neutral paths in a mount namespace of its own; then the id is
dropped and the sandbox proper is made of those. It costs one more process and about 4 ms, and only
where it is needed.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatebench.sandbox.program import Program
from gatebench.sandbox.spec import Bind

STAGE = Path("/mnt")
"""Covered by an empty tmpfs in the outer namespace; no system directory that commands need."""


@dataclass(frozen=True)
class Stage:
    """The binds of one command on their stage."""

    uid: int
    """Id to drop to."""
    sources: tuple[Bind, ...]
    """As the caller gave them."""

    @property
    def binds(self) -> tuple[Bind, ...]:
        """The same, from the stage."""
        return tuple(replace(b, source=STAGE / str(n)) for n, b in enumerate(self.sources))

    def prefix(self, program: Program) -> tuple[str, ...]:
        """What stands before the inner bwrap's argv."""
        mounts: list[str] = []
        for bind, staged in zip(self.sources, self.binds, strict=True):
            flag = "--bind" if bind.writable else "--ro-bind"
            mounts += [flag, str(bind.source), str(staged.source)]
        outer = (program.path, "--dev-bind", "/", "/", "--tmpfs", str(STAGE), *mounts)
        drop = ("--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups")
        return (*outer, "--die-with-parent", "--", "setpriv", *drop, "--")


def stage_for(uid: int | None, binds: Sequence[Bind]) -> Stage | None:
    """The stage that binds need under an id; ``None`` where they are reachable as they are."""
    if uid is None or all(reachable(bind.source) for bind in binds):
        return None
    return Stage(uid, tuple(binds))


def reachable(path: Path) -> bool:
    """Whether everybody may pass every directory above a path, links resolved."""
    real = Path(os.path.realpath(path))
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in real.parents)

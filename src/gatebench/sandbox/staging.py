"""Makes what root binds reachable for the id that root's commands run under.

bwrap resolves the path of every bind, of one given by descriptor too, and the other id may not pass
a directory like ``/root``. So where a source lies behind such a directory, it is mounted at a short
neutral path in a mount namespace of its own; then the id is dropped and the sandbox proper is made.

A few lines of shell do it and then *become* bwrap. No process of another id may stand between us
and bwrap: when we die the kernel signals bwrap in the name of its dying parent, and root without
capabilities (which an outer bwrap would be) may not signal another id. It costs about a millisecond
a mount, and only where it is needed.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatebench.sandbox.spec import Bind

STAGE = Path("/mnt")
"""Covered by an empty tmpfs in the stage's namespace; no system directory that commands need."""
NEEDED = ("unshare", "mount", "setpriv")
"""Programs that setting a stage takes; every Debian has them."""
_SCRIPT = """\
set -e
stage=$1 uid=$2; shift 2
mount -n -t tmpfs -o mode=755,size=1m none "$stage"
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir "$2"; else : > "$2"; fi
    mount -n --bind "$1" "$2"
    shift 2
done
shift
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups -- "$@"
"""


@dataclass(frozen=True)
class Stage:
    """The binds of one command, those that need it on their stage."""

    uid: int
    """Id to drop to."""
    sources: tuple[Bind, ...]
    """As the caller gave them."""

    @property
    def binds(self) -> tuple[Bind, ...]:
        """The same, the unreachable ones from the stage."""
        return tuple(
            b if reachable(b.source) else replace(b, source=STAGE / str(n))
            for n, b in enumerate(self.sources)
        )

    def prefix(self) -> tuple[str, ...]:
        """What stands before bwrap's argv."""
        pairs = zip(self.sources, self.binds, strict=True)
        mounts = [
            str(place) for a, b in pairs if a is not b for place in (a.source.resolve(), b.source)
        ]
        shell = ("/bin/sh", "-c", _SCRIPT, "stage", str(STAGE), str(self.uid))
        return ("unshare", "--mount", "--propagation", "private", "--", *shell, *mounts, "--")


def stage_for(uid: int | None, binds: Sequence[Bind]) -> Stage | None:
    """The stage that binds need under an id; ``None`` where they are reachable as they are."""
    if uid is None or all(reachable(bind.source) for bind in binds):
        return None
    return Stage(uid, tuple(binds))


def reachable(path: Path) -> bool:
    """Whether everybody may pass every directory above a path, links resolved."""
    real = Path(os.path.realpath(path))
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in real.parents)

"""Whose id a sandboxed command has on the host, and how it gets at what it was given.

An ordinary user's commands run under that user's id. Root's commands run under an unprivileged
id of their own (`HOST_ID`): the kernel exempts root from RLIMIT_NPROC even in a user namespace,
and a hole in the sandbox should not be a hole into root. The same id serves all commands at once,
because since Linux 5.14 the kernel counts processes per user *and user namespace*, and each
command has a namespace of its own.

What this costs: the command must be able to reach and open what is bound. `staging` makes sources
behind a closed directory reachable; here the source itself is handed over before each start: a
writable tree is given to `HOST_ID`, a read-only file, directory or socket that others can't use
gets `HOST_ID` as its group, with the owner's rights but for writing. Where the id can't be dropped
(no ``setpriv``, an old bwrap, no user namespaces for ordinary users) root's commands run as root,
shut in all the same but without a limit on processes; ``doctor`` says so.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatebench.sandbox.spec import Bind

HOST_ID = 60_900
"""User and group on the host of root's commands; from the range that systemd leaves unused."""


@dataclass(frozen=True)
class Identity:
    """The id a command has on the host."""

    uid: int | None
    """``None``: the caller's own."""

    @property
    def description(self) -> str:
        """For people."""
        if self.uid is not None:
            return f"unprivileged id {self.uid} (dropped from root)"
        if os.geteuid() == 0:
            return "root: limits on processes don't hold"
        return f"the caller's own id {os.geteuid()}"


OWN = Identity(None)
DROPPED = Identity(HOST_ID)


class Handover:
    """Makes binds usable for another id; remembers read-only trees it has been through."""

    def __init__(self, uid: int) -> None:
        self._uid = uid
        self._seen: set[tuple[int, int, int]] = set()

    def give(self, binds: tuple[Bind, ...]) -> None:
        """Hand each source over; what can't be changed is left, the command will say so."""
        self.give_anew(tuple(bind for bind in binds if not self._done(bind)))

    def give_anew(self, binds: tuple[Bind, ...]) -> None:
        """The same for sources that were filled since, whatever is remembered of them."""
        for bind in binds:
            change = self._own if bind.writable else self._share
            for path, info in _tree(bind.source):
                with contextlib.suppress(OSError):
                    change(path, info)

    def _done(self, bind: Bind) -> bool:
        """Whether a read-only directory is as it was when it was last handed over."""
        with contextlib.suppress(OSError):
            info = bind.source.stat()
            key = (info.st_dev, info.st_ino, info.st_ctime_ns)
            if not bind.writable and key in self._seen:
                return True
            self._seen.add(key)
        return False

    def _own(self, path: Path, info: os.stat_result) -> None:
        if info.st_uid != self._uid or info.st_gid != self._uid:
            os.chown(path, self._uid, self._uid, follow_symlinks=False)

    def _share(self, path: Path, info: os.stat_result) -> None:
        owner = (info.st_mode & stat.S_IRWXU) >> 6
        wanted = owner if stat.S_ISSOCK(info.st_mode) else owner & ~stat.S_IWOTH
        if stat.S_ISLNK(info.st_mode) or info.st_mode & wanted == wanted:
            return
        os.chown(path, -1, self._uid, follow_symlinks=False)
        path.chmod(stat.S_IMODE(info.st_mode) | wanted << 3)


def _tree(source: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """A path and all below it, links not followed below the source itself."""
    root = source.resolve()
    with contextlib.suppress(OSError):
        yield root, root.lstat()
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            with contextlib.suppress(OSError):
                yield path, path.lstat()

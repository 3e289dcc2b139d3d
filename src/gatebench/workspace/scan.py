"""Read a work copy into a store, whatever is in it: bounded, no link followed, nothing run.

The agent's ``.git`` isn't read, and neither git nor its attributes, filters and ignore files have
a say: every file is read as the bytes it holds.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gatebench.workspace.objects import Objects
from gatebench.workspace.trees import FILE, LINK, PROGRAM, Entry, is_git_dir, write_tree

_CACHES = frozenset({b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache"})
_VENDORED = frozenset({b".venv", b"venv", b"env", b".tox", b".nox", b"node_modules"})
_DEPTH = 60
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Bounds:
    """How much of a work copy is captured."""

    file_bytes: int = 5_000_000
    """A larger file is left out."""
    files: int = 5_000
    """Nothing is captured beyond so many files,"""
    total_bytes: int = 50_000_000
    """and so many bytes together."""
    vendored_files: int = 2_000
    """A directory of installed packages with more files is left out as a whole."""


@dataclass(frozen=True)
class Cut:
    """Something that a snapshot left out."""

    path: str
    """Printable; bytes that are no UTF-8 are escaped."""
    reason: str
    """One clause for people."""
    size: int | None
    """Bytes, for a file."""


@dataclass(frozen=True)
class Snapshot:
    """A work copy at one moment."""

    tree: str
    """Id of the tree in the store."""
    cut: tuple[Cut, ...] = ()
    """What it lacks."""


def scan(objects: Objects, work: Path, bounds: Bounds, first: Iterable[bytes] = ()) -> Snapshot:
    """Capture a work copy.

    Args:
        objects: where its files go.
        work: the work copy.
        bounds: how much is captured.
        first: paths that are captured before all others, so that no number of new files can crowd
            them out.
    """
    run = _Scan(objects, bounds, _with_folders(first))
    with _opened(os.fsencode(work), None) as folder:
        if run.known:
            run.folder(folder, b"", 0)
            run.all = True
        run.folder(folder, b"", 0)
    return Snapshot(write_tree(objects, run.flat), tuple(run.cut))


def _with_folders(paths: Iterable[bytes]) -> frozenset[bytes]:
    """The paths, and every directory above them."""
    found: set[bytes] = set()
    for path in paths:
        while path and path not in found:
            found.add(path)
            path = path.rpartition(b"/")[0]  # noqa: PLW2901  # upwards
    return frozenset(found)


@contextmanager
def _opened(name: bytes, parent: int | None) -> Iterator[int]:
    """A directory, never reached through a link (the work copy's own path may be one)."""
    nofollow = 0 if parent is None else os.O_NOFOLLOW
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | nofollow, dir_fd=parent)
    try:
        yield fd
    finally:
        os.close(fd)


@dataclass
class _Scan:
    objects: Objects
    bounds: Bounds
    known: frozenset[bytes] = frozenset()
    """Paths that come first, and the directories they are in."""
    all: bool = field(init=False)
    """Whether the others are captured too, in this round."""
    flat: dict[bytes, Entry] = field(default_factory=dict)
    cut: list[Cut] = field(default_factory=list)
    bytes_read: int = 0
    full: bool = False
    left_out: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.all = not self.known

    def folder(self, folder: int, prefix: bytes, depth: int) -> None:
        """Capture a directory and all below it: what is known first, then in the order of names."""
        names = map(os.fsencode, os.listdir(folder))
        for name in sorted(names, key=lambda n: (prefix + n not in self.known, n)):
            if self.full:
                return
            if is_git_dir(name) or name in _CACHES or self._settled(prefix + name):
                continue
            try:
                self._one(folder, name, prefix + name, depth)
            except OSError as error:
                self._leave_out(prefix + name, _reason(error))

    def _settled(self, path: bytes) -> bool:
        """Whether a path was dealt with before, or isn't the business of this round."""
        done = path in self.flat or path in self.left_out
        return done or not (self.all or path in self.known)

    def _one(self, folder: int, name: bytes, path: bytes, depth: int) -> None:
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(info.st_mode):
            self._below(folder, name, path, depth)
        elif stat.S_ISLNK(info.st_mode):
            self._keep(path, LINK, os.fsencode(os.readlink(name, dir_fd=folder)))
        elif not stat.S_ISREG(info.st_mode):
            self._leave_out(path, "no file, directory or link")
        elif info.st_size > self.bounds.file_bytes:
            self._leave_out(path, "larger than what is captured of one file", info.st_size)
        else:
            self._file(folder, name, path)

    def _below(self, folder: int, name: bytes, path: bytes, depth: int) -> None:
        if depth >= _DEPTH:
            self._leave_out(path, "nested too deep")
            return
        with _opened(name, folder) as below:
            limit = self.bounds.vendored_files
            if _is_vendored(below, name) and _count(below, limit + 1, 0) > limit:
                self._leave_out(path, f"installed packages, more than {limit} files")
            else:
                self.folder(below, path + b"/", depth + 1)

    def _file(self, folder: int, name: bytes, path: bytes) -> None:
        with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
            info = os.fstat(file.fileno())
            sound = stat.S_ISREG(info.st_mode) and info.st_size <= self.bounds.file_bytes
            data = file.read(info.st_size) if sound else b""
        if not sound:
            self._leave_out(path, "changed while it was read", info.st_size)
        else:
            self._keep(path, PROGRAM if info.st_mode & stat.S_IXUSR else FILE, data)

    def _keep(self, path: bytes, mode: bytes, data: bytes) -> None:
        bounds = self.bounds
        too_many = len(self.flat) >= bounds.files
        if too_many or self.bytes_read + len(data) > bounds.total_bytes:
            what = f"{bounds.files} files" if too_many else f"{bounds.total_bytes} bytes"
            self._leave_out(path, f"this and all that follows: beyond {what} in total")
            self.full = True
            return
        self.bytes_read += len(data)
        self.flat[path] = Entry(mode, self.objects.put("blob", data))

    def _leave_out(self, path: bytes, reason: str, size: int | None = None) -> None:
        if path in self.known:
            self.left_out.add(path)
        if len(self.cut) < self.bounds.files:
            self.cut.append(Cut(path.decode("utf-8", "backslashreplace"), reason, size))


def _reason(error: OSError) -> str:
    if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENOTDIR}:
        return "changed while it was read"
    return f"can't be read: {error.strerror}"


def _is_vendored(folder: int, name: bytes) -> bool:
    return name in _VENDORED or "pyvenv.cfg" in os.listdir(folder)


def _count(folder: int, enough: int, depth: int) -> int:
    """Files below a directory, counted no further than ``enough``."""
    found = 0
    for name in os.listdir(folder):
        if found >= enough:
            break
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISDIR(info.st_mode) and depth < _DEPTH:
            with _opened(os.fsencode(name), folder) as below:
                found += _count(below, enough - found, depth + 1)
        else:
            found += 1
    return found

"""Trees as flat maps from path to entry, and as git's tree objects."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gatebench.errors import StoreError
from gatebench.workspace.objects import Objects

FILE = b"100644"
PROGRAM = b"100755"
LINK = b"120000"
_FOLDER = b"40000"
_KINDS = frozenset({FILE, PROGRAM, LINK})


@dataclass(frozen=True)
class Entry:
    """A file or link of a tree."""

    mode: bytes
    """`FILE`, `PROGRAM` or `LINK`."""
    blob: str
    """Id of its content, or of the link's target."""


Flat = Mapping[bytes, Entry]
"""Entries by path, bytes as the file system has them, ``/`` between the parts."""


def is_git_dir(name: bytes) -> bool:
    """Whether git would take a name for its own directory."""
    return name.lower() == b".git"


def check_path(path: bytes) -> None:
    """Refuse a path that would leave its tree or reach into a git directory.

    Raises:
        StoreError: it does.
    """
    for part in path.split(b"/"):
        if part in {b"", b".", b".."} or b"\0" in part or is_git_dir(part):
            raise StoreError(f"The path {path!r} has no place in a tree.")


def write_tree(objects: Objects, flat: Flat) -> str:
    """Store a tree; gives its id."""
    folders: dict[bytes, dict[bytes, Entry]] = {}
    lines: list[tuple[bytes, bytes]] = []
    for path, entry in flat.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            folders.setdefault(name, {})[rest] = entry
        else:
            lines.append((name, _line(entry.mode, name, entry.blob)))
    for name, below in folders.items():
        # git orders a directory as if its name ended with a slash.
        lines.append((name + b"/", _line(_FOLDER, name, write_tree(objects, below))))
    return objects.put("tree", b"".join(line for _, line in sorted(lines)))


def _line(mode: bytes, name: bytes, blob: str) -> bytes:
    return b"%s %s\0%s" % (mode, name, bytes.fromhex(blob))


def read_tree(objects: Objects, tree: str) -> dict[bytes, Entry]:
    """All entries of a tree, by path.

    Raises:
        StoreError: a tree that can't be read, or holds what a work copy can't.
    """
    flat = dict(_walk(objects, tree, b""))
    for path in flat:
        check_path(path)
    return flat


def _walk(objects: Objects, tree: str, prefix: bytes) -> Iterator[tuple[bytes, Entry]]:
    data = objects.get(tree, "tree")
    while data:
        head, _, rest = data.partition(b"\0")
        mode, _, name = head.partition(b" ")
        blob, data = rest[:20].hex(), rest[20:]
        if mode == _FOLDER:
            yield from _walk(objects, blob, prefix + name + b"/")
        elif mode in _KINDS:
            yield prefix + name, Entry(mode, blob)
        else:
            raise StoreError(f"The tree {tree} holds {name!r} of the unknown mode {mode!r}.")


def place(flat: dict[bytes, Entry], path: bytes, entry: Entry) -> None:
    """Put an entry into a map; whatever stands in its way goes."""
    parts = path.split(b"/")
    for depth in range(1, len(parts)):
        flat.pop(b"/".join(parts[:depth]), None)
    below = path + b"/"
    for other in [other for other in flat if other.startswith(below)]:
        del flat[other]
    flat[path] = entry

"""Files of the user's that a gate needs: found, digested, shown to its command read-only."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gatebench.errors import UsageError

FILES = "files"
"""The setting that names them, of any gate; a matrix file's are relative to it."""


def files_in(settings: Mapping[str, Any]) -> tuple[Path, ...]:
    """The files that a gate's settings name.

    Raises:
        UsageError: one isn't there, or two have the same name.
    """
    given = settings.get(FILES, ())
    paths = tuple(Path(str(name)) for name in given) if isinstance(given, list | tuple) else ()
    for path in paths:
        if not path.exists():
            raise UsageError(
                f"the gate's file '{path}' is not there.",
                "'files' are relative to the matrix file that names them.",
            )
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two of the gate's files have the same name: {', '.join(sorted(names))}.",
            "Put them into one directory and name that.",
        )
    return paths


def files_digest(paths: Iterable[Path]) -> str:
    """What the files hold: names, contents and whether they can be run."""
    found = hashlib.sha256()
    for path in paths:
        for name, file in _below(path):
            runs = bool(file.stat().st_mode & 0o111)
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{name}\0{runs:d}\0{content}\n".encode())
    return found.hexdigest()[:16]


def _below(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield path.name, path
        return
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        yield f"{path.name}/{file.relative_to(path)}", file


def copy_files(paths: Iterable[Path], folder: Path) -> None:
    """Copy them into a directory whose path tells nothing of where they come from."""
    folder.mkdir()
    for path in paths:
        target = folder / path.name
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            shutil.copy(path, target)
    for place in (folder, *folder.rglob("*")):
        place.chmod(place.stat().st_mode | (0o755 if place.is_dir() else 0o444))

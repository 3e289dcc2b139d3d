"""Git objects written and read without git: loose ones, content-addressed, safe side by side."""

import contextlib
import hashlib
import secrets
import zlib
from pathlib import Path

from gatebench.errors import StoreError

_LEVEL = 1


class Objects:
    """The ``objects`` directory of a git store.

    An object is written beside and renamed, so that a reader sees all of it or nothing, and two
    writers of one object write the same.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, kind: str, data: bytes) -> str:
        """Store an object unless it is there; gives its id."""
        whole = b"%s %d\0%s" % (kind.encode(), len(data), data)
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        path = self._path(name)
        if not path.exists():
            self._write(path, zlib.compress(whole, _LEVEL))
        return name

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _write(self, path: Path, data: bytes) -> None:
        part = self._folder / f"tmp_obj_{secrets.token_hex(8)}"
        try:
            part.write_bytes(data)
            path.parent.mkdir(exist_ok=True)
            part.chmod(0o444)
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise StoreError(
                f"An object could not be written to {self._folder}: {error.strerror}.",
                "Make room or check the permissions, then run the same command again.",
            ) from error

    def names(self) -> set[str]:
        """The ids of all that is there."""
        folders = (f for f in self._folder.glob("[0-9a-f][0-9a-f]") if f.is_dir())
        return {f.name + path.name for f in folders for path in f.iterdir()}

    def packed(self, name: str) -> bytes:
        """An object as it lies on the disk, for another store.

        Raises:
            StoreError: it isn't there.
        """
        try:
            return self._path(name).read_bytes()
        except OSError as error:
            raise StoreError(f"The object {name} can't be read from {self._folder}.") from error

    def take(self, name: str, packed: bytes) -> None:
        """Store an object that another store gave, unless it is there.

        Raises:
            StoreError: it isn't what its name says, or can't be written.
        """
        try:
            whole = zlib.decompress(packed)
        except zlib.error:
            whole = b""
        if hashlib.sha1(whole, usedforsecurity=False).hexdigest() != name:
            raise StoreError(f"The object {name} arrived damaged.", "Run the same command again.")
        path = self._path(name)
        if not path.exists():
            self._write(path, packed)

    def get(self, name: str, kind: str) -> bytes:
        """The content of an object.

        Raises:
            StoreError: there is none, it is damaged, or of another kind.
        """
        try:
            whole = zlib.decompress(self._path(name).read_bytes())
        except (OSError, zlib.error) as error:
            raise StoreError(f"The {kind} {name} can't be read from {self._folder}.") from error
        head, _, data = whole.partition(b"\0")
        if head != b"%s %d" % (kind.encode(), len(data)):
            raise StoreError(f"The object {name} in {self._folder} is no sound {kind}.")
        return data

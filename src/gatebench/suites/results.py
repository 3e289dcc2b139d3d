"""Results of test runs by what decides them: equal trees aren't tested again.

Within a job always, across jobs on request. A green result is kept at once, a red one only when a
second run was red in the same way: a test that fails now and then must not stay red for ever. What
is kept keeps the time that it took when it was made.
"""

import contextlib
import hashlib
import tempfile
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import anyio
from pydantic import TypeAdapter, ValidationError

from gatebench.model.matrix import PROTOCOL

T = TypeVar("T")
MOST = 512
"""Results in memory; a job may have thousands of trees."""


@dataclass(frozen=True)
class Kind(Generic[T]):
    """One kind of result."""

    name: str
    adapter: TypeAdapter[T]
    red: Callable[[T], Hashable | None]
    """What is red about a result; ``None`` where nothing is."""
    sound: Callable[[T], bool] = lambda _: True
    """Whether it is a result at all, and no fault of ours."""
    confirmed: Callable[[T], bool] = lambda _: False
    """Whether a red one has been run twice already."""


class Results:
    """The results of a job, shared by all that run tests.

    Args:
        folder: where results are kept for other jobs; ``None``: nowhere.
        fresh: give nothing that was there before.
    """

    def __init__(self, folder: Path | None = None, *, fresh: bool = False) -> None:
        self._folder = folder
        self.fresh = fresh
        """Nothing that was there before is given."""
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._reds: OrderedDict[str, Hashable] = OrderedDict()
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def get(
        self, kind: Kind[T], key: tuple[str, ...], make: Callable[[], Awaitable[T]]
    ) -> tuple[T, bool]:
        """A result, and whether it was there already; the second to ask waits for the first.

        Args:
            kind: of what kind.
            key: everything that decides it: tree, tests, environment, limits.
            make: runs the tests.
        """
        if self.fresh:
            return await make(), False
        name = _digest(kind.name, key)
        lock = self._locks.setdefault(name, anyio.Lock())
        async with lock:
            known = await self._known(kind, name)
            if known is not None:
                return known, True
            result = await make()
            if self._lasts(kind, name, result):
                await self._keep(kind, name, result)
            return result, False

    async def _known(self, kind: Kind[T], name: str) -> T | None:
        if name in self._kept:
            self._kept.move_to_end(name)
            found: T = self._kept[name]
            return found
        if self._folder is None:
            return None
        stored = await anyio.to_thread.run_sync(_read, kind, _path(self._folder, kind, name))
        if stored is not None:
            _put(self._kept, name, stored)
        return stored

    def _lasts(self, kind: Kind[T], name: str, result: T) -> bool:
        """Whether a result is to be kept: green, or red in the same way as the last time."""
        if not kind.sound(result):
            return False
        red = kind.red(result)
        if red is None or kind.confirmed(result) or self._reds.get(name) == red:
            return True
        _put(self._reds, name, red)
        return False

    async def _keep(self, kind: Kind[T], name: str, result: T) -> None:
        _put(self._kept, name, result)
        if self._folder is not None:
            path = _path(self._folder, kind, name)
            await anyio.to_thread.run_sync(_write, path, kind.adapter.dump_json(result))


def _put(into: OrderedDict[str, Any], name: str, value: object) -> None:
    into[name] = value
    if len(into) > MOST:
        into.popitem(last=False)


def _digest(kind: str, key: tuple[str, ...]) -> str:
    parts = (str(PROTOCOL), kind, *key)
    return hashlib.sha256("".join(f"{len(p)}:{p}" for p in parts).encode()).hexdigest()


def _path(folder: Path, kind: Kind[Any], name: str) -> Path:
    return folder / kind.name / name[:2] / f"{name[2:]}.json"


def _read(kind: Kind[T], path: Path) -> T | None:
    """What another job kept; ``None`` where there is none, or none that can be read."""
    try:
        return kind.adapter.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all; a cache that can't be written is none, and no fault."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(data)
        Path(part.name).replace(path)

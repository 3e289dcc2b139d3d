"""Does each thing once, however many ask for it at the same time."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class Once(Generic[T]):
    """Results by key; the second to ask for a key waits for the first.

    Args:
        keep: whether a result is to be kept; one that isn't is made anew for the next.
    """

    def __init__(self, keep: Callable[[T], bool] = lambda _: True) -> None:
        self._keep = keep
        self._done: dict[Hashable, T] = {}
        self._locks: dict[Hashable, anyio.Lock] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """The result, and whether it was there already."""
        async with self._locks.setdefault(key, anyio.Lock()):
            if key in self._done:
                return self._done[key], True
            result = await make()
            if self._keep(result):
                self._done[key] = result
            return result, False

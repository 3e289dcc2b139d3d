"""A few things at a time, in order."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

A = TypeVar("A")
B = TypeVar("B")
LANES = 3


async def in_lanes(items: Sequence[A], work: Callable[[A], Awaitable[B]]) -> tuple[B, ...]:
    """The result of each item, in the items' order; `LANES` are worked on at a time."""
    done: dict[int, B] = {}
    waiting = iter(enumerate(items))

    async def lane() -> None:
        for number, item in waiting:
            done[number] = await work(item)

    async with anyio.create_task_group() as group:
        for _ in range(LANES):
            group.start_soon(lane)
    return tuple(done[number] for number in range(len(items)))

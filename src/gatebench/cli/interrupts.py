"""Ctrl-C once drains, twice stops at once."""

import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from gatebench.agents.alone import alone
from gatebench.matrix.schedule import Drain

ASKED = "you asked"
T = TypeVar("T")


async def interruptible(drain: Drain, work: Callable[[], Awaitable[T]], what: str) -> T | None:
    """Do the work; ``None`` where it was stopped at once.

    Args:
        drain: asked to start no more at the first Ctrl-C.
        work: the whole of it.
        what: of what it is made, for the message: ``trials``.
    """
    result: T | None = None
    with alone():
        async with anyio.create_task_group() as group:
            group.start_soon(_listen, drain, group.cancel_scope, what)
            result = await work()
            group.cancel_scope.cancel()
    return result


async def _listen(drain: Drain, everything: anyio.CancelScope, what: str) -> None:
    times = 0
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            times += 1
            if times > 1:
                everything.cancel()
                return
            drain.ask(ASKED)
            print(f"\nFinishing the running {what}; once more stops them at once.", file=sys.stderr)

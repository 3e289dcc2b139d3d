"""A command that the machine has no room for at the moment is started a little later."""

import errno
import os
from collections.abc import Awaitable, Callable

import anyio

from gatebench.errors import SpawnFailed
from gatebench.model.backoff import Backoff
from gatebench.sandbox.launched import Launched

TRIES = 6
"""Of one start; all told it is waited for 8 to 16 seconds."""
_PAUSE = Backoff(first_s=0.5, most_s=8.0)
_PASSING = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Too many processes, memory, or descriptors in use: others will end."""
_WORDS = tuple(os.strerror(number) for number in (*_PASSING, errno.ENOSPC, errno.EUSERS))
"""What bwrap says of that; the last two are the kernel's for too many namespaces."""


async def patiently(launch: Callable[[], Awaitable[Launched]]) -> Launched:
    """Start a command, again after a while where the machine refused.

    Raises:
        SpawnFailed: it refused to the last, or something else is wrong.
    """
    for failures in range(1, TRIES):
        try:
            return await launch()
        except SpawnFailed as error:
            if not passing(error):
                raise
        await anyio.sleep(_PAUSE.wait_s(failures))
    return await launch()


def passing(error: SpawnFailed) -> bool:
    """Whether a start failed for something that passes by itself."""
    cause = error.__cause__
    if isinstance(cause, OSError):
        return cause.errno in _PASSING
    return any(words in error.message for words in _WORDS)

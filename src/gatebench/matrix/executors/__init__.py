"""Where trials run: in this process (`local`), or on a cluster (`ray`)."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from gatebench.errors import LookError
from gatebench.matrix.executors.base import Executor, Here, Where
from gatebench.matrix.executors.local import Local
from gatebench.matrix.hold import Hold
from gatebench.matrix.schedule import Drain
from gatebench.trial.lifecycle import Job

__all__ = ["Executor", "Here", "Where", "opener_of"]


Opener = Callable[[Where, Job, Drain, Hold], AbstractAsyncContextManager[Executor]]
"""Opens an executor for a job; drain and hold are asked where another machine says to start no
more, for good or for a while."""


def opener_of(name: str) -> Opener:
    """What opens the executor of that name.

    Raises:
        LookError: what it needs isn't installed.
    """
    if name == "local":
        return _open_local
    try:
        # Slow to load, and installed only by those who want it.
        from gatebench.matrix.executors.ray import open_ray  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise LookError(
            f"--executor ray needs Ray, which is not installed here ({error.name}).",
            "Install the extra: pip install 'gate-bench[ray]'.",
        ) from error
    return open_ray


@asynccontextmanager
async def _open_local(
    _where: Where, job: Job, _drain: Drain, _hold: Hold
) -> AsyncIterator[Executor]:
    yield Local(job)

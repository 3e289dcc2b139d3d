"""Where trials run: in this process (`local`), or on a cluster (`ray`)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gatebench.errors import LookError
from gatebench.matrix.executors.base import Executor, Here, Where
from gatebench.matrix.executors.local import Local
from gatebench.matrix.schedule import Drain
from gatebench.trial.lifecycle import Job

EXECUTORS = ("local", "ray")

__all__ = ["EXECUTORS", "Executor", "Here", "Where", "open_executor"]


@asynccontextmanager
async def open_executor(where: Where, job: Job, drain: Drain) -> AsyncIterator[Executor]:
    """An executor of that name.

    Args:
        where: which, and where it is found.
        job: whose trials it is to run.
        drain: asked where a machine says that nothing more should be started.

    Raises:
        LookError: what it needs isn't installed, or can't be reached.
    """
    if where.name == "local":
        yield Local(job)
        return
    try:
        # Slow to load, and installed only by those who want it.
        from gatebench.matrix.executors.ray import open_ray  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise LookError(
            f"--executor ray needs Ray, which is not installed here ({error.name}).",
            "Install the extra: pip install 'gate-bench[ray]'.",
        ) from error
    async with open_ray(where, job, drain) as cluster:
        yield cluster

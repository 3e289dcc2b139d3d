"""The patch that every work copy starts with, where one is asked for."""

from pathlib import Path

import anyio

from gatebench.errors import SuiteError, UsageError
from gatebench.suites import Suite
from gatebench.workspace import apply_patch, make_work_copy


async def read_injection(
    name: str | None, suite: Suite, upstream: Path, scratch: Path
) -> bytes | None:
    """The patch of an injection by name, or a patch file by path; tried before any trial.

    Raises:
        UnknownName: the suite has none of that name.
        UsageError: there is no such file.
        SuiteError: it doesn't apply to upstream.
    """
    if name is None:
        return None
    if "/" in name or name.endswith((".patch", ".diff")):
        path = Path(name)
        if not path.is_file():  # noqa: ASYNC240  # one look before anything runs
            raise UsageError(f"the patch '{name}' is not there.", "Check the path after --inject.")
    else:
        path = suite.injection(name)
    patch = await anyio.to_thread.run_sync(path.read_bytes)
    await _try_patch(path, patch, upstream, scratch / "i")
    return patch


async def _try_patch(path: Path, patch: bytes, upstream: Path, copy: Path) -> None:
    await anyio.to_thread.run_sync(make_work_copy, upstream, copy)
    try:
        await apply_patch(copy, patch)
    except SuiteError as error:
        said = error.message.rpartition("error: ")[2].rstrip(".\n")
        raise SuiteError(
            f"the patch {path} doesn't apply to the library: {said}.", error.hint
        ) from error

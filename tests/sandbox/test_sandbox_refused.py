"""The machine refuses to start another command: it is started later, unless that won't help."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest
from shutin import TWENTY_S, opened, script

from gatebench.errors import SpawnFailed
from gatebench.sandbox import Command, Sandbox, open_sandbox, patient


@pytest.fixture(params=["bwrap", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return opened() if request.param == "bwrap" else open_sandbox("none")


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """No file, pipe or process can be opened inside the block: EMFILE."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_it_is_started_when_there_is_room_again(sandbox: Sandbox) -> None:
    async def main() -> tuple[bytes, float]:
        await sandbox.run(script("true"))  # what is opened once is open
        began = time.monotonic()
        found = []

        async def run() -> None:
            found.append((await sandbox.run(script("echo up"))).stdout)

        async with anyio.create_task_group() as group:
            with no_descriptor_left():
                group.start_soon(run)
                await anyio.sleep(0.4)
                assert found == []
        return found[0], time.monotonic() - began

    said, took_s = anyio.run(main)
    assert said == b"up\n"
    assert took_s > 0.4


def test_in_the_end_it_is_said(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "TRIES", 2)

    async def main() -> None:
        await sandbox.run(script("true"))
        with no_descriptor_left():
            await sandbox.run(script("true"))

    with pytest.raises(SpawnFailed, match="Too many open files"):
        anyio.run(main)


def test_what_isnt_there_is_not_waited_for() -> None:
    began = time.monotonic()
    with pytest.raises(SpawnFailed, match="No such file"):
        anyio.run(open_sandbox("none").run, Command(("/no/such",), TWENTY_S))
    assert time.monotonic() - began < 0.4

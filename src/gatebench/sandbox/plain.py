"""Commands without a sandbox: for other systems than Linux, and where it was asked for.

Paths inside are the sources themselves, the network is open, other processes are in reach.
Limits are laid on the command's first process by no one: only the deadline and the cap on output
hold. Whoever uses this says so.
"""

import secrets
from contextlib import AbstractAsyncContextManager
from subprocess import DEVNULL, PIPE
from typing import Literal

import anyio

from gatebench.errors import SpawnFailed
from gatebench.sandbox.keeper import keeper
from gatebench.sandbox.launched import Launched, run_to_end
from gatebench.sandbox.patient import patiently
from gatebench.sandbox.process import Process, hold
from gatebench.sandbox.spec import Bind, Command, Completed
from gatebench.sandbox.tree import MARKER, LooseTree


class PlainSandbox:
    """Runs commands as the caller would, each in a session of its own."""

    kind: Literal["bwrap", "none"] = "none"

    def inside(self, bind: Bind) -> str:
        """The path at which a command sees a bind: its source."""
        return str(bind.source)

    async def run(self, command: Command) -> Completed:
        """Run a command to its end; never raises for what the command does.

        Raises:
            SpawnFailed: it can't be started.
        """
        return await run_to_end(await self._launch(command, PIPE), command)

    def start(self, command: Command) -> AbstractAsyncContextManager[Process]:
        """Start a long-lived command; its deadline is its caller's.

        Raises:
            SpawnFailed: on entering, it can't be started.
        """
        return hold(self._launch, command)

    async def prepare(self, command: Command) -> None:
        """None: who isn't shut in could reach what waits, and fill it before its time."""

    async def _launch(self, command: Command, stdout: int) -> Launched:
        return await patiently(lambda: self._try(command, stdout))

    async def _try(self, command: Command, stdout: int) -> Launched:
        tag = secrets.token_hex(8)
        try:
            process = await anyio.open_process(
                command.argv,
                stdin=DEVNULL if command.stdin is None else PIPE,
                stdout=stdout,
                stderr=PIPE,
                cwd=command.cwd,
                env={**command.env, **keeper().mark, MARKER: tag},
                start_new_session=True,
            )
        except OSError as error:
            raise SpawnFailed(
                f"{command.argv[0]} could not be started: {error}.", "Check that it is there."
            ) from error

        async def exit_code() -> int | None:
            code = await process.wait()
            return 128 - code if code < 0 else code

        return Launched(process, LooseTree(process.pid, tag), exit_code)

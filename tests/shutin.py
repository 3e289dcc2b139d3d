"""Shell scripts as sandboxed commands."""

from typing import Protocol

from gatebench.sandbox import Bind, Command, Completed, Limits

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/dev", "LC_ALL": "C"}


class Shell(Protocol):
    """Runs a script in the sandbox, from a plain test."""

    def __call__(
        self,
        text: str,
        limits: Limits = ...,
        binds: tuple[Bind, ...] = ...,
        stdin: bytes | None = ...,
    ) -> Completed: ...


def script(
    text: str,
    limits: Limits = Limits(wall_s=20),  # noqa: B008  # frozen
    binds: tuple[Bind, ...] = (),
    stdin: bytes | None = None,
) -> Command:
    """A shell script as a command."""
    return Command(("/bin/sh", "-c", text), limits, binds, ENV, stdin=stdin)

"""A sandbox, and a way to run a shell script in it from a plain test."""

import anyio
import pytest
from shutin import Shell, script

from gatebench.sandbox import Bind, Completed, Limits, Sandbox, open_sandbox, probe


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    found = probe()
    if not found.works:
        pytest.skip(f"no sandbox here: {found.reason} {found.remedy}")
    return open_sandbox("bwrap")


@pytest.fixture
def shell(sandbox: Sandbox) -> Shell:
    def run(
        text: str,
        limits: Limits = Limits(wall_s=20),  # noqa: B008  # frozen
        binds: tuple[Bind, ...] = (),
        stdin: bytes | None = None,
    ) -> Completed:
        return anyio.run(sandbox.run, script(text, limits, binds, stdin))

    return run

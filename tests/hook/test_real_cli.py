"""The real CLI, gated."""

import anyio
import pytest

from gatebench.model.stop import Delivery
from gated import Session, blocks, real_cli
from loopback import bash, text


@pytest.mark.cli
@pytest.mark.parametrize("which", ["new", "old"])
def test_first(which: str) -> None:
    async def go():
        s = Session(judge=blocks(2, "No such file or directory: x"), model=lambda n, r: [bash("echo hi > a.txt")] if n == 0 else [text(f"done {n}")])
        r = await s.run(await real_cli(which))
        print(r); print(s.deliveries, s.feedback, s.stops)
        assert s.outcomes == [Delivery.DELIVERED]*3
    anyio.run(go)

"""What a pytest that was started before it is needed could save at a stop.

    python bench/prestarted.py [rounds]

Four things in turn, so that a drift of the machine falls on all alike; medians of wall time:

* an empty command in the sandbox,
* the test environment's interpreter in it, which does nothing,
* the same with pytest imported: all that could be had before the tree is there,
* one whole run of one trivial test, as gates and oracle run it.

And the processor time that the import of pytest takes inside: on a busy machine the honest figure.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from gatebench.cli import place
from gatebench.sandbox import Command, Limits, open_sandbox
from gatebench.suites import build_environment, load_suite
from gatebench.suites.testing import Bench, PytestJob, run_pytest

OWN = "import time; a = time.process_time(); import pytest; print(time.process_time() - a)"
ENV = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}


async def measure(rounds: int) -> None:
    """Take every figure so often, and print the medians."""
    sandbox = open_sandbox("auto")
    environment = await build_environment(load_suite("tinydb"), place.cache())
    python = environment.interpreter(sandbox)
    bench = Bench(sandbox, environment)

    async def command(*argv: str) -> bytes:
        limits = Limits(60.0)
        command = Command(argv=argv, binds=environment.binds, env=ENV, limits=limits)
        return (await sandbox.run(command)).stdout

    with tempfile.TemporaryDirectory() as name:
        tree = Path(name)
        (tree / "test_it.py").write_text("def test_it():\n    assert True\n")
        job = PytestJob(tree=tree, limit_s=60.0, targets=("test_it.py",), options=("-q",))

        async def whole() -> None:
            run = await run_pytest(bench, job)
            if not run.green:
                raise SystemExit(run.log)

        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "empty command in the sandbox": lambda: command("/bin/true"),
            "interpreter": lambda: command(python, "-I", "-c", "pass"),
            "interpreter and pytest imported": lambda: command(python, "-I", "-c", "import pytest"),
            "whole run of one trivial test": whole,
        }
        found: dict[str, list[float]] = {what: [] for what in ways}
        own: list[float] = []
        for _ in range(rounds):
            for what, way in ways.items():
                found[what].append(await timed(way))
            own.append(float(await command(python, "-I", "-c", OWN)))
    for what, seconds in found.items():
        print(f"{what:<34} {statistics.median(seconds) * 1000:6.0f} ms")
    print(f"{'processor time of the import':<34} {statistics.median(own) * 1000:6.0f} ms")


async def timed(way: Callable[[], Awaitable[object]]) -> float:
    """Wall time, seconds."""
    began = time.monotonic()
    await way()
    return time.monotonic() - began


if __name__ == "__main__":
    anyio.run(measure, int(sys.argv[1]) if len(sys.argv) > 1 else 15)

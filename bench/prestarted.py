"""What a pytest that was started before it is needed saves.

    python bench/prestarted.py [rounds]

Three kinds of run as gates and oracle make them, each started when the tree is there, and let go
where a process has waited for it; medians of wall time, taken in turns so that a drift of the
machine falls on all alike:

* `whole`, one trivial test as the suite and the acceptance tests are run;
* `each`, the same as hidden tests are run;
* `verdict`, the oracle's on a finished T1, from the snapshot's id to the verdict.

Beside them an empty command in the sandbox, and a bare cold ``python -I -m pytest``, without the
sandbox and without plugins, of the trivial test and of the hidden tests.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio

from gatebench.cli import place
from gatebench.oracle import SHAPE, Oracle, OracleSetup
from gatebench.sandbox import Command, Limits, open_sandbox
from gatebench.suites import build_environment, fetch_upstream, load_suite
from gatebench.suites.hidden import Hidden, load_hidden
from gatebench.suites.results import Results
from gatebench.suites.stand import Shape
from gatebench.suites.testing import Bench, PytestJob, run_pytest
from gatebench.suites.waiting import Waiters, open_waiters
from gatebench.workspace import TreeStore

TEST = "def test_it():\n    assert True\n"
FILE = "test_it.py"
PYTEST = ("-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=/", "-c", "/dev/null")
SHAPES = {"whole": Shape("whole", writable=False), "each": SHAPE, "verdict": SHAPE}
READY_S = 3.0
"""So long a process may take to be ready; the wait is no part of any figure."""
ENV = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
BARE = {**ENV, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@dataclass(frozen=True)
class Arena:
    """What is measured on."""

    bench: Bench
    oracle: Oracle
    tree: str
    """Id of a finished T1."""
    bare: Mapping[str, tuple[str, ...]]
    """Commands of bare pytest by the kind of run that they stand against."""

    async def run(self, kind: str, waiters: Waiters | None) -> None:
        """Make one run of a kind."""
        if kind == "verdict":
            verdict = (await self.oracle.judge(self.tree, "T1", waiters)).verdict
            if verdict.summary().failed:
                raise SystemExit("a finished T1 fails its hidden tests")
        else:
            await once(replace(self.bench, waiters=waiters), SHAPES[kind])


@asynccontextmanager
async def arena() -> AsyncIterator[Arena]:
    """The shipped suite made ready."""
    suite, cache = load_suite("tinydb"), place.cache()
    sandbox = open_sandbox("auto")
    upstream = await fetch_upstream(suite, cache)
    environment = await build_environment(suite, cache)
    hidden = load_hidden(suite, upstream)
    with tempfile.TemporaryDirectory() as name:
        store = TreeStore(Path(name, "git"))
        await store.create()
        base = (await store.snapshot(upstream)).tree
        files = await hidden.solution_files("T1", suite.task("T1").requirement_ids)
        tree = await store.add_files(base, {path: text.encode() for path, text in files.items()})
        await store.checkout(tree, Path(name, "w"))
        fresh = Results(fresh=True)
        setup = OracleSetup(hidden, upstream, environment, sandbox, store, cache, results=fresh)
        start = (str(environment.root / "bin/python"), *PYTEST)
        bare = {"whole": (*start, _trivial(name)), "verdict": (*start, _hidden(hidden, name))}
        bench = Bench(sandbox, environment)
        yield Arena(bench, Oracle(setup), tree, bare)


def _trivial(folder: str) -> str:
    path = Path(folder, FILE)
    path.write_text(TEST)
    return str(path)


def _hidden(hidden: Hidden, folder: str) -> str:
    """The hidden tests, beside a link to the library: `-I` takes no path from outside."""
    path = Path(folder, "hidden", FILE)
    path.parent.mkdir()
    path.write_bytes(hidden.tests("T1").file.read_bytes())
    (path.parent / "tinydb").symlink_to(Path(folder, "w", "tinydb"))
    return str(path)


async def measure(rounds: int) -> None:
    """Take every figure so often, and print the medians."""
    found: dict[str, list[float]] = defaultdict(list)

    async def note(what: str, way: Callable[[], Awaitable[object]]) -> None:
        began = time.monotonic()
        await way()
        found[what].append(time.monotonic() - began)

    async with arena() as ground:
        bench = ground.bench
        await ground.run("verdict", None)  # the expected tests are collected once
        for _ in range(rounds):
            empty = Command(argv=("/bin/true",), env=ENV, limits=Limits(60.0))
            await note("an empty command in the sandbox", partial(bench.sandbox.run, empty))
            for kind, argv in ground.bare.items():
                await note(f"bare pytest, {kind}", partial(_bare, argv))
            for kind, shape in SHAPES.items():
                await note(f"{kind}, started anew", partial(ground.run, kind, None))
                async with open_waiters(bench.sandbox, bench.environment) as waiters:
                    waiters.want([shape])
                    await anyio.sleep(READY_S)
                    await note(f"{kind}, had waited", partial(ground.run, kind, waiters))
    show(found)


async def _bare(argv: tuple[str, ...]) -> None:
    await anyio.run_process(argv, stdout=subprocess.DEVNULL, cwd="/", env=BARE)


async def once(bench: Bench, shape: Shape) -> None:
    """Lay a tree out and test it."""
    async with bench.place(shape) as tree:
        tree.mkdir(exist_ok=True)
        texts = ((FILE, TEST),)
        options = ("-q",)
        job = PytestJob(tree, 60.0, shape.mode, texts=texts, targets=(FILE,), options=options)
        run = await run_pytest(bench, job)
    if not run.green:
        raise SystemExit(f"the test failed: {run.log}")


def show(found: dict[str, list[float]]) -> None:
    """Print medians, and what waiting makes of each run."""
    medians = {what: statistics.median(seconds) for what, seconds in found.items()}
    for what, median in medians.items():
        print(f"{what:<34} {median * 1000:6.0f} ms")
    for kind in SHAPES:
        anew, waited = medians[f"{kind}, started anew"], medians[f"{kind}, had waited"]
        bare = medians.get(f"bare pytest, {kind}", medians["bare pytest, whole"])
        print(
            f"{kind}: {waited / anew:.2f} of a run started anew; to bare pytest "
            f"{anew / bare:.2f} anew, {waited / bare:.2f} where it had waited"
        )


if __name__ == "__main__":
    anyio.run(measure, int(sys.argv[1]) if len(sys.argv) > 1 else 15)

"""(c): from a snapshot to its stored verdict, against a bare cold pytest of the same file."""

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import anyio
from figure import Figure

from gatebench.cli import place
from gatebench.oracle import Oracle, OracleSetup
from gatebench.sandbox import open_sandbox
from gatebench.store.atomic import write_json
from gatebench.suites import build_environment, fetch_upstream, load_suite
from gatebench.suites.hidden import load_hidden
from gatebench.suites.results import Results
from gatebench.workspace import TreeStore, make_work_copy

BOUND = 1.25
TASKS = ("T1", "T3", "T5")
WARM = 2


@dataclass(frozen=True)
class Ground:
    """What both ways run on."""

    oracle: Oracle
    store: TreeStore
    python: Path
    hidden: Path
    """Directory of the hidden tests."""


async def open_ground(scratch: Path) -> tuple[Ground, dict[str, Path]]:
    """An oracle that keeps nothing, and a finished work copy for each task."""
    suite, cache = load_suite("tinydb"), place.cache()
    upstream = await fetch_upstream(suite, cache)
    environment = await build_environment(suite, cache)
    hidden = load_hidden(suite, upstream)
    store = TreeStore(scratch / "git")
    await store.create()
    setup = OracleSetup(
        hidden,
        upstream,
        environment,
        open_sandbox("auto"),
        store,
        cache,
        results=Results(fresh=True),
    )
    ground = Ground(
        Oracle(setup), store, environment.root / "bin" / "python", suite.root / "hidden"
    )
    copies = {}
    for name in TASKS:
        copies[name] = scratch / name
        make_work_copy(upstream, copies[name])
        every = suite.task(name).requirement_ids
        for path, text in (await hidden.solution_files(name, every)).items():
            (copies[name] / path).write_text(text)
    return ground, copies


async def ours(ground: Ground, task: str, work: Path) -> float:
    """Seconds from the beginning of the snapshot to the verdict on disk."""
    began = time.perf_counter()
    snapshot = await ground.store.snapshot(work)
    judgement = await ground.oracle.judge(snapshot.tree, task)
    write_json(work.parent / f"{task}.json", judgement.verdict.model_dump(mode="json"))
    took = time.perf_counter() - began
    if judgement.verdict.summary().failed:
        raise SystemExit(f"the reference of {task} fails:\n{judgement.log}")
    return took


async def unguarded(ground: Ground, task: str, work: Path) -> float:
    """Seconds of the same, each test run once and all in one process: what the guards cost."""
    began = time.perf_counter()
    snapshot = await ground.store.snapshot(work)
    await ground.oracle.glance(snapshot.tree, task)
    return time.perf_counter() - began


async def floor(ground: Ground, task: str, work: Path) -> float:
    """Seconds of a bare pytest of the same file on the same tree."""
    test = ground.hidden / f"test_{task}.py"
    place = ("-o", f"pythonpath={work}", f"--rootdir={test.parent}")
    options = ("-q", "-p", "no:cacheprovider", *place)
    env = {"PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    argv = (ground.python, "-I", "-B", "-m", "pytest", *options, test)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as cwd:
        await anyio.run_process([str(word) for word in argv], env=env, cwd=cwd)
    return time.perf_counter() - began


async def measure(rounds: int, scratch: Path) -> list[Figure]:
    """Both ways in turn, task by task."""
    ground, copies = await open_ground(scratch)
    figures = []
    for task, work in copies.items():
        ways = (ours, floor, unguarded)
        turns = [[await way(ground, task, work) for way in ways] for _ in range(rounds + WARM)]
        medians = (statistics.median(times) for times in zip(*turns[WARM:], strict=True))
        mine, bare, alone = medians
        how = f"{rounds} in turn: median {mine:.3f} s, bare {bare:.3f} s"
        name = f"snapshot to verdict over a bare pytest, {task}"
        figures.append(Figure("c", name, mine / bare, "x", BOUND, how))
        how = f"median {alone:.3f} s"
        figures.append(Figure("c", f"{name}, unguarded", alone / bare, "x", how=how))
    return figures


def verdicts(rounds: int, scratch: Path) -> list[Figure]:
    """The ratio of the medians for each task's reference."""
    return anyio.run(measure, rounds, scratch)

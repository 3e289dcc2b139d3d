"""Runs pytest on a tree inside the sandbox; gates and oracle share it.

Results never come from the output. A small program of ours (`suites.inside`) runs in the test
environment, imports pytest before the tree can be imported, and writes sealed records to a
channel; docs/oracle.md says what that prevents and what it only detects.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import anyio

from gatebench.sandbox import Bind, Command, Completed, Limits, Sandbox, clean_text, refuse_crowded
from gatebench.suites import inside
from gatebench.suites.environment import TestEnvironment
from gatebench.suites.inside.channel import KEY_BYTES, Receiver
from gatebench.suites.pytest_run import PytestRun, from_records

TREE = "/home/dev/project"
"""Where the tree is seen inside."""
TOOLS = "/run/tests"
"""Where tests from outside the tree, and our program, are seen inside."""
LOG_CHARS = 60_000
_OUTPUT_BYTES = 16_000_000
_FILE_BYTES = 64_000_000
_MARGIN_S = 5.0
_BOOT = (
    "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
    "from inside.main import main; del sys.path[0]; main()"
)
_ALWAYS = ("-p", "no:cacheprovider", "-p", "no:faulthandler", "--color=no")


@dataclass(frozen=True)
class Bench:
    """Where tests can be run."""

    sandbox: Sandbox
    environment: TestEnvironment


@dataclass(frozen=True)
class PytestJob:
    """One run of pytest on one tree."""

    tree: Path
    """The tree's files on the host; a copy nobody else uses where ``writable``."""
    limit_s: float
    mode: Literal["whole", "each"] = "whole"
    """``whole``: one session in one process. ``each``: every test by itself in a process forked
    from one that never imports the tree, twice, once as a control that must fail."""
    files: tuple[tuple[Path, str], ...] = ()
    """Tests from outside the tree: (file or directory, its name below the run's root)."""
    texts: tuple[tuple[str, str], ...] = ()
    """Further tests from outside the tree: (name below the run's root, source)."""
    targets: tuple[str, ...] = ()
    """What to run: paths below the tree, or, with ``files`` or ``texts``, below the run's root."""
    options: tuple[str, ...] = ()
    """Further pytest options."""
    conftest: bool = False
    """Whether ``conftest.py`` beside the tests is loaded."""
    writable: bool = False
    each_s: float = 10.0
    """Seconds for one test in ``each``."""
    mark: str = ""
    """A mark whose arguments are to be told."""
    watch: tuple[str, ...] = ()
    """Modules the tests compare with, watched for changes besides those always watched."""
    controls: str = ""
    """Name of a module of control tests; their outcome is told, but neither shown nor counted."""
    calibrate: str = ""
    """Name of a test that touches nothing of the tree: what changes during it is pytest's own."""

    @property
    def outside(self) -> bool:
        """Whether the tests come from outside the tree."""
        return bool(self.files or self.texts)


async def run_pytest(bench: Bench, job: PytestJob) -> PytestRun:
    """Run pytest; never raises for what the tests or the code under test do.

    Raises:
        SpawnFailed: the command can't be started.
        DiskFull: the disk of temporary files was as good as full; what came of it says nothing.
    """
    with _laid_out(job) as folder:
        key = os.urandom(KEY_BYTES)
        done = await bench.sandbox.run(_command(bench, job, folder, key))
        places = _places(bench, job, folder)
        refuse_crowded(folder)
    run = await anyio.to_thread.run_sync(_read, done, key, job)
    return _tidied(run, _prefixes(bench, places))


@contextmanager
def _laid_out(job: PytestJob) -> Iterator[Path]:
    """A directory with our program and the tests; its name and its copies tell nothing."""
    with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        program = Path(inside.__file__).parent
        shutil.copytree(program, folder / "inside", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "root").mkdir()
        (folder / "scratch").mkdir()
        (folder / "root" / "pytest.ini").write_text("[pytest]\n")
        for source, target in job.files:
            _copy(source, folder / "root" / target)
        for target, text in job.texts:
            place = folder / "root" / target
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        yield folder


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, symlinks=True, ignore=ignore)
    else:
        shutil.copyfile(source, target)


@dataclass(frozen=True)
class _Places:
    """The run's paths as the command sees them."""

    tree: str
    tools: str
    binds: tuple[Bind, ...] = field(repr=False)

    @property
    def root(self) -> str:
        return f"{self.tools}/root"


def _places(bench: Bench, job: PytestJob, folder: Path) -> _Places:
    tree = Bind(job.tree, TREE, writable=job.writable)
    tools = Bind(folder, TOOLS)
    inside_of = bench.sandbox.inside
    return _Places(inside_of(tree), inside_of(tools), (*bench.environment.binds, tree, tools))


def _command(bench: Bench, job: PytestJob, folder: Path, key: bytes) -> Command:
    places = _places(bench, job, folder)
    python = bench.environment.interpreter(bench.sandbox)
    order = json.dumps(_order(job, places)).encode()
    return Command(
        # Not -I: that would ignore PYTHONHASHSEED. The environment is ours anyway.
        argv=(python, "-s", "-B", "-X", "utf8", "-c", _BOOT, places.tools),
        binds=places.binds,
        env=_env(bench, folder),
        cwd=places.root if job.mode == "each" else places.tree,
        stdin=key + order,
        limits=Limits(job.limit_s, output_bytes=_OUTPUT_BYTES, file_bytes=_FILE_BYTES),
    )


def _env(bench: Bench, folder: Path) -> dict[str, str]:
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/dev",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "100",
    }
    if bench.sandbox.kind == "none":
        env |= {"TMPDIR": str(folder / "scratch"), "HOME": str(folder / "scratch")}
    return env


def _order(job: PytestJob, places: _Places) -> dict[str, Any]:
    base = places.root if job.outside else places.tree
    roots = [places.root, places.tree] if job.outside else [places.tree]
    return {
        "mode": job.mode,
        # The tree comes last: nothing in it can stand before a module of Python or of pytest.
        "roots": roots,
        "tree": places.tree,
        "args": [*_args(job, places), *(f"{base}/{target}" for target in job.targets)],
        "mark": job.mark,
        "watch": list(job.watch),
        "controls": job.controls,
        "calibrate": job.calibrate,
        "each_s": job.each_s,
        "wall_s": max(job.limit_s - _MARGIN_S, job.limit_s / 2),
    }


def _args(job: PytestJob, places: _Places) -> list[str]:
    """Options; tests from outside the tree run under our own, empty configuration."""
    options = [*_ALWAYS, *job.options]
    if job.outside:
        options += ["-c", f"{places.root}/pytest.ini", f"--confcutdir={places.root}"]
        options += [f"--rootdir={places.root}"]
    else:
        options += [f"--rootdir={places.tree}", f"--confcutdir={places.tree}", "-o", "addopts="]
    if not job.conftest:
        options.append("--noconftest")
    if job.mode == "each":
        return [*options, "--import-mode=importlib", "--assert=plain", "-s"]
    return [*options, "--import-mode=append"]


def _prefixes(bench: Bench, places: _Places) -> dict[str, str]:
    """Paths that the tests' output may name, and how they are shown."""
    relative = os.path.relpath(places.root, places.tree)
    shown = {f"{relative}/": "", f"{places.root}/": "", f"{places.tree}/": ""}
    binds = bench.environment.binds
    return shown | {f"{bench.sandbox.inside(bind)}/": f"{bind.target}/" for bind in binds}


def _tidied(run: PytestRun, prefixes: dict[str, str]) -> PytestRun:
    """The run with the mount points gone from its texts: what is left are the tests' own paths."""

    def tidy(text: str) -> str:
        for prefix, shown in prefixes.items():
            text = text.replace(prefix, shown)
        return text

    return replace(
        run,
        log=tidy(run.log),
        reports=tuple(replace(r, text=tidy(r.text)) for r in run.reports),
        collect_errors={name: tidy(text) for name, text in run.collect_errors.items()},
    )


def _read(done: Completed, key: bytes, job: PytestJob) -> PytestRun:
    receiver = Receiver(key)
    records = receiver.feed(done.stdout)
    receiver.close()
    strays = (f"{receiver.strays} forged lines on the report channel",) if receiver.strays else ()
    process = PytestRun(
        reports=(),
        collected=(),
        collect_errors={},
        exit_code=done.exit_code,
        ended=False,
        log=clean_text(done.stderr, LOG_CHARS),
        timed_out=done.timed_out,
        wall_s=done.wall_s,
        tampered=strays,
        proofs=job.mode == "each",
        controls=job.controls,
        limit=done.limit,
    )
    return from_records(records, process)

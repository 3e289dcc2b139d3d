"""The hidden tests' node ids, known before any agent's tree is judged.

They are collected once, from the hidden file alone against the reference tree, in the test
environment inside a sandbox, and cached by the digests of everything they depend on.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import TypeAdapter, ValidationError

from gatebench.errors import SuiteError
from gatebench.sandbox import Bind, Command, Limits, Sandbox
from gatebench.suites.caching import Place, cached
from gatebench.suites.environment import TestEnvironment
from gatebench.suites.hidden import Hidden

_LAYOUT = "1"
_FILE = "ids.json"
_TREE, _CHECKS = "/home/dev/project", "/run/checks"
_LIMIT_S = 60.0
_MARK = "=====collected====="
_IDS = TypeAdapter(list[tuple[str, list[str]]])
COLLECTOR = f"""
import json, sys
tree, checks, name = sys.argv[1:]
sys.path.insert(0, tree)
import pytest
class Collector:
    def pytest_configure(self, config):
        config.addinivalue_line("markers", "requirement(id): the promise a test is about")
    def pytest_collection_finish(self, session):
        self.found = [
            (item.nodeid, [mark.args[0] for mark in item.iter_markers("requirement")])
            for item in session.items
        ]
collector = Collector()
options = ["-q", "--collect-only", "-p", "no:cacheprovider", "-c", "/dev/null", "--noconftest"]
options += ["--rootdir", checks, "--confcutdir", checks, f"{{checks}}/{{name}}"]
code = pytest.main(options, plugins=[collector])
print({_MARK!r})
print(json.dumps(collector.found if code == 0 else []))
"""


@dataclass(frozen=True)
class Bench:
    """Where a suite's tests can be run."""

    environment: TestEnvironment
    sandbox: Sandbox
    cache: Path


async def expected_tests(hidden: Hidden, task_id: str, bench: Bench) -> Mapping[str, str]:
    """Requirement by pytest node id (``test_T1.py::test_name[param]``), in collection order.

    Node ids are relative to the directory of the hidden file (pytest's ``--rootdir``).

    Raises:
        SuiteError: the file doesn't collect on the reference, an id occurs twice, or a test
            isn't marked with exactly one requirement.
    """
    place = Place(bench.cache, "collected", _key(hidden, task_id, bench.environment))

    async def build(part: Path) -> None:
        ids = await _collect(hidden, task_id, bench)
        (part / _FILE).write_text(json.dumps(ids))

    root = await cached(place, build)
    return dict(json.loads((root / _FILE).read_text()))


def _key(hidden: Hidden, task_id: str, environment: TestEnvironment) -> str:
    """Everything that the ids depend on."""
    blueprint = hidden.blueprint(task_id).model_dump_json()
    parts = (
        _LAYOUT,
        COLLECTOR,
        hidden.tests(task_id).digest,
        hidden.suite.upstream.sha256,
        blueprint,
        environment.digest,
    )
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


async def _collect(hidden: Hidden, task_id: str, bench: Bench) -> dict[str, str]:
    """Collect on the reference tree."""
    tests = hidden.tests(task_id)
    requirements = hidden.suite.task(task_id).requirement_ids
    changed = await hidden.solution_files(task_id, requirements)
    with tempfile.TemporaryDirectory(prefix="tree-") as scratch:
        tree = Path(scratch, "project")
        await anyio.to_thread.run_sync(_write, hidden.suite.library.package, hidden.upstream, tree)
        for name, text in changed.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
        output = await _run(bench, tree, tests.file)
    return _checked(tests.file, output, requirements)


def _write(package: str, upstream: Path | None, tree: Path) -> None:
    """The library's pristine code."""
    if upstream is not None:
        shutil.copytree(upstream / package, tree / package)


async def _run(bench: Bench, tree: Path, file: Path) -> str:
    """The collector's output."""
    library, checks = Bind(tree, _TREE), Bind(file.parent, _CHECKS)
    inside = bench.sandbox.inside
    python = bench.environment.interpreter(bench.sandbox)
    command = Command(
        argv=(python, "-I", "-B", "-c", COLLECTOR, inside(library), inside(checks), file.name),
        limits=Limits(wall_s=_LIMIT_S),
        binds=(*bench.environment.binds, library, checks),
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        cwd=inside(library),
    )
    done = await bench.sandbox.run(command)
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def _checked(file: Path, output: str, requirements: tuple[str, ...]) -> dict[str, str]:
    """Requirement by node id; every id once, every test with one known mark."""
    head, _, tail = output.partition(f"{_MARK}\n")
    try:
        found = _IDS.validate_json(tail.partition("\n")[0])
    except ValidationError:
        found = []
    if not found:
        lines = [line for line in head.splitlines() if line.strip()]
        raise SuiteError(
            f"{file}: doesn't collect on the reference: {' / '.join(lines[-5:])}",
            "It must collect under plain pytest, with the imports inside the tests.",
        )
    ids: dict[str, str] = {}
    for node, marks in found:
        if node in ids:
            raise SuiteError(
                f"{file}: two tests have the id '{node}'.", "Give them ids of their own."
            )
        if len(marks) != 1 or marks[0] not in requirements:
            said = ", ".join(marks) or "nothing"
            raise SuiteError(
                f"{file}: '{node}' is marked with {said}.", "Mark it with exactly one."
            )
        ids[node] = marks[0]
    return ids

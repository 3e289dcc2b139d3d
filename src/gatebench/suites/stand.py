"""Where one run of pytest takes place: directories, mounts and the command, but no order yet.

A run has two directories of its own. One is the tree's; the other holds our program, and the tests
that come from outside the tree. What a run is to do is told on stdin, so the command can be started
before either is filled (`waiting`).
"""

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio

from gatebench.sandbox import Bind, Command, Limits, Sandbox
from gatebench.suites import inside
from gatebench.suites.environment import TestEnvironment

TREE = "/home/dev/project"
"""Where the tree is seen inside."""
TOOLS = "/run/tests"
"""Where tests from outside the tree, and our program, are seen inside."""
Mode = Literal["whole", "each"]
_OUTPUT_BYTES = 16_000_000
_FILE_BYTES = 64_000_000
_BOOT = (
    "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
    "from inside.main import main; del sys.path[0]; main()"
)


@dataclass(frozen=True)
class Shape:
    """What of a run must be known when its command is started."""

    mode: Mode
    """As in `PytestJob`."""
    writable: bool
    """Whether the tests may write into the tree."""


@dataclass(frozen=True)
class Stand:
    """One run's place."""

    sandbox: Sandbox
    environment: TestEnvironment
    shape: Shape
    tree: Path
    """The tree's directory on the host."""
    folder: Path = field(repr=False)
    """Our program's and the tests' on the host; its name and its copies tell nothing."""

    @property
    def own(self) -> tuple[Bind, ...]:
        """The run's own directories as mounts."""
        return Bind(self.tree, TREE, writable=self.shape.writable), Bind(self.folder, TOOLS)

    @property
    def tree_inside(self) -> str:
        """The tree as the command sees it."""
        return self.sandbox.inside(self.own[0])

    @property
    def tools_inside(self) -> str:
        """Our program's directory as the command sees it."""
        return self.sandbox.inside(self.own[1])

    @property
    def root_inside(self) -> str:
        """The root of tests from outside the tree as the command sees it."""
        return f"{self.tools_inside}/root"

    def command(self, wall_s: float, stdin: bytes | None = None) -> Command:
        """Our program, which takes its order from stdin."""
        mode = self.shape.mode
        python = self.environment.interpreter(self.sandbox)
        return Command(
            # Not -I: that would ignore PYTHONHASHSEED. The environment is ours anyway.
            argv=(python, "-s", "-B", "-X", "utf8", "-c", _BOOT, self.tools_inside, mode),
            binds=(*self.environment.binds, *self.own),
            env=self._env(),
            cwd=self.root_inside if mode == "each" else self.tree_inside,
            stdin=stdin,
            limits=Limits(wall_s, output_bytes=_OUTPUT_BYTES, file_bytes=_FILE_BYTES),
        )

    def _env(self) -> dict[str, str]:
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
        if self.sandbox.kind == "none":
            scratch = str(self.folder / "scratch")
            env |= {"TMPDIR": scratch, "HOME": scratch}
        return env

    def shown(self) -> dict[str, str]:
        """Paths that the tests' output may name, and how they are shown."""
        root, tree = self.root_inside, self.tree_inside
        shown = {f"{os.path.relpath(root, tree)}/": "", f"{root}/": "", f"{tree}/": ""}
        binds = self.environment.binds
        return shown | {f"{self.sandbox.inside(bind)}/": f"{bind.target}/" for bind in binds}


@contextmanager
def tools() -> Iterator[Path]:
    """A directory with our program and room for tests; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="t", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        program = Path(inside.__file__).parent
        shutil.copytree(program, folder / "inside", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "root").mkdir()
        (folder / "scratch").mkdir()
        (folder / "root" / "pytest.ini").write_text("[pytest]\n")
        yield folder


@asynccontextmanager
async def tree_place() -> AsyncIterator[Path]:
    """An absent directory for a tree in a short place whose name tells nothing; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="t"))
    try:
        yield folder / "w"
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)

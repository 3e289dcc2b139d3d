"""Any command as a gate: a linter, a type checker, a script, or a Stop hook somebody has."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio
from pydantic import Field

from gatebench.agents.paths import WORK
from gatebench.errors import GateFault
from gatebench.gates.base import Ground, StopView
from gatebench.gates.checkout import private_directory, unchanged
from gatebench.gates.files import copy_files, files_in
from gatebench.gates.settings import read_settings
from gatebench.gates.stop_contract import Answer, hook_input, read_answer
from gatebench.model.base import Record
from gatebench.model.stop import GateResult, GateStatus
from gatebench.sandbox import Bind, Command, Completed, Limits, clean_text

FILES = "/opt/gate"
"""Where the user's files are seen."""
SLOT = "{files}"
"""Stands for that directory in a command's words."""
TAIL_LINES = 40
NOT_STARTED = frozenset({126, 127})
"""What a shell and ``env`` end with where the command isn't there or can't be run."""
_LOG_CHARS = 60_000
_HOME = "/home/dev"
_TMP = "/tmp"  # noqa: S108  # inside the sandbox


class CommandSettings(Record):
    """Settings of the gate ``command``."""

    command: tuple[str, ...] = Field(min_length=1)
    """The program and its arguments; ``{files}`` is where the files are seen."""
    files: tuple[str, ...] = ()
    """Files and directories it needs, relative to the matrix file; seen read-only, and on PATH."""
    contract: Literal["exit", "stop-hook"] = "exit"
    """``exit``: anything but exit 0 is red; ``stop-hook``: as Claude Code's Stop hook answers."""
    limit_s: float = Field(default=300.0, gt=0)
    """Limit of one run, seconds."""


@dataclass(frozen=True)
class _Places:
    """What the command sees, and where."""

    tree: Bind
    files: Bind
    environment: tuple[Bind, ...]
    scratch: Path
    """For HOME and temporary files where no sandbox has its own."""


class CommandGate:
    """The gate ``command``; made for one trial."""

    name = "command"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._settings = read_settings(CommandSettings, self.name, ground.settings)
        self._files = files_in(ground.settings)

    async def prepare(self) -> None:
        """Nothing is needed."""

    async def recall(self) -> None:
        """Nothing was kept."""

    async def check(self, stop: StopView) -> GateResult:
        """Run the command on a copy of the snapshot.

        Raises:
            GateFault: it can't be run, or it changed files of the snapshot.
            SpawnFailed: the sandbox could not be started.
        """
        async with private_directory() as folder:
            await self._ground.trees.checkout(stop.tree, folder / "w")
            await anyio.to_thread.run_sync(copy_files, self._files, folder / "f")
            (folder / "s").mkdir()
            places = _Places(
                Bind(folder / "w", WORK, writable=True),
                Bind(folder / "f", FILES),
                self._ground.environment.binds,
                folder / "s",
            )
            done = await self._ground.sandbox.run(self._command(stop, places))
            shown = self._shown(places)
            said = (clean_text(part, _LOG_CHARS) for part in (done.stdout, done.stderr))
            out, err = (_tidy(part, shown) for part in said)
            self._ground.write(f"command-{stop.n}.txt", f"{out}\n--- stderr ---\n{err}\n")
            result = self._result(done, out, err)
            await unchanged(self._ground.trees, stop.tree, folder / "w")
        return result

    async def last(self, tree: str) -> None:
        """Nothing more is to be said."""

    def _command(self, stop: StopView, places: _Places) -> Command:
        inside = self._ground.sandbox.inside
        files, cwd = inside(places.files), inside(places.tree)
        hook = self._settings.contract == "stop-hook"
        words = (word.replace(SLOT, files) for word in self._settings.command)
        return Command(
            argv=("/usr/bin/env", *words),
            limits=Limits(min(self._settings.limit_s, stop.limit_s)),
            binds=(*places.environment, places.tree, places.files),
            env=self._env(places, files, cwd),
            cwd=cwd,
            stdin=hook_input(stop.hook_input, stop.n, cwd) if hook else None,
        )

    def _env(self, places: _Places, files: str, cwd: str) -> Mapping[str, str]:
        """Caches of well-known tools go to a place of their own: they are no change."""
        sandbox = self._ground.sandbox
        scratch = str(places.scratch) if sandbox.kind == "none" else None
        python = Path(self._ground.environment.interpreter(sandbox)).parent
        return {
            "PATH": f"{python}:{files}:/usr/local/bin:/usr/bin:/bin",
            "HOME": scratch or _HOME,
            "TMPDIR": scratch or _TMP,
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RUFF_NO_CACHE": "true",
            "MYPY_CACHE_DIR": "/dev/null",
            "CLAUDE_PROJECT_DIR": cwd,
        }

    def _shown(self, places: _Places) -> dict[str, str]:
        """How paths of the bench are shown to the agent."""
        inside = self._ground.sandbox.inside
        environment = {f"{inside(b)}/": f"{b.target}/" for b in places.environment}
        return {
            f"{inside(places.tree)}/": "",
            inside(places.tree): ".",
            f"{inside(places.files)}/": "",
            str(places.scratch): "",
            **environment,
        }

    def _result(self, done: Completed, out: str, err: str) -> GateResult:
        if done.timed_out:
            why = f"the command did not end within {done.wall_s:.0f} s"
            answer = Answer(GateStatus.TIMED_OUT, error=why)
        elif self._settings.contract == "stop-hook":
            answer = read_answer(done.exit_code, out, err)
        else:
            answer = _by_exit(done.exit_code, out, err)
        return GateResult(
            name=self.name,
            status=answer.status,
            reason=answer.reason,
            error=answer.error,
            detail={"exit_code": done.exit_code, "contract": self._settings.contract},
        )


def _by_exit(exit_code: int | None, out: str, err: str) -> Answer:
    """Zero passes, anything else is red.

    Raises:
        GateFault: there was no command to run.
    """
    if exit_code in NOT_STARTED:
        raise GateFault(f"the command could not be started: {' '.join(err.split())[-300:]}.")
    if exit_code == 0:
        return Answer(GateStatus.PASS)
    said = "\n".join(part.strip() for part in (err, out) if part.strip())
    tail = "\n".join(said.splitlines()[-TAIL_LINES:])
    return Answer(GateStatus.RED, tail or f"A check of the work failed (exit code {exit_code}).")


def _tidy(text: str, shown: Mapping[str, str]) -> str:
    """The text without the bench's paths, longer ones first."""
    for path in sorted(shown, key=len, reverse=True):
        text = text.replace(path, shown[path])
    return text

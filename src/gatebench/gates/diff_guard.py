"""What did the change do to the tests that should judge it? From the diff alone, nothing is run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatebench.errors import GateFault
from gatebench.gates.base import Ground, StopView
from gatebench.gates.placebo import NoSettings
from gatebench.gates.settings import read_settings
from gatebench.gates.weakening import findings as weakening
from gatebench.gates.words import place
from gatebench.model.stop import Finding, GateResult, GateStatus, Severity
from gatebench.sandbox import Bind, Command, Limits, clean_text

PACKAGE = "/opt/gate/weakening"
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from weakening.findings import main; main()"
LIMIT_S = 60.0
MOST_SHOWN = 12
"""Findings that the reason lists; all are on record."""
_WORDS = 300
_REQUEST = "Please undo this, re-run the tests and stop."
Files = Mapping[str, tuple[str | None, str | None]]
"""Before and after by path; texts as latin-1 of the bytes."""


class DiffGuard:
    """The gate ``diff-guard``; made for one trial."""

    name = "diff-guard"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        read_settings(NoSettings, self.name, ground.settings)

    async def prepare(self) -> None:
        """Nothing is needed."""

    async def recall(self) -> None:
        """Nothing was kept."""

    async def check(self, stop: StopView) -> GateResult:
        """Compare the snapshot with the tree the worker found.

        Raises:
            GateFault: the comparison did not end in time.
            SpawnFailed: the sandbox could not be started.
        """
        files = await self._changed(stop.tree)
        findings, unread = await self._look(files, stop)
        return GateResult(
            name=self.name,
            status=GateStatus.RED if findings else GateStatus.PASS,
            reason=reason_of(findings) if findings else "",
            detail={
                "findings": [f.model_dump(mode="json") for f in findings],
                "unread": unread,
            },
        )

    async def last(self, tree: str) -> None:
        """Nothing more is to be said."""

    async def _changed(self, tree: str) -> Files:
        """The changed files that could matter."""
        trees, start = self._ground.trees, self._ground.start_tree
        paths = await trees.changed(start, tree)
        return {
            path: (_text(await trees.read(start, path)), _text(await trees.read(tree, path)))
            for path in paths
            if path.endswith((".py", ".pth")) or Path(path).name in weakening.CONFIGS
        }

    async def _look(self, files: Files, stop: StopView) -> tuple[tuple[Finding, ...], list[str]]:
        """All files at once; where one of them crashes Python itself, each by itself."""
        said = await self._run(files, stop)
        if said is not None:
            return _findings(said), said["unread"]
        findings: list[Finding] = []
        unread: list[str] = []
        for path, texts in files.items():
            said = await self._run({path: texts}, stop)
            if said is None:
                unread.append(path)
                findings.append(_finding(path, None, "Python crashes when it reads this file"))
            else:
                findings += _findings(said)
                unread += said["unread"]
        return tuple(findings), unread

    async def _run(self, files: Files, stop: StopView) -> dict[str, Any] | None:
        """One run in the sandbox; ``None`` where it crashed."""
        ground = self._ground
        package = Bind(Path(weakening.__file__).parent, PACKAGE)
        folder = str(Path(ground.sandbox.inside(package)).parent)
        python = ground.environment.interpreter(ground.sandbox)
        order = {"tests": ground.suite.library.tests, "files": files}
        done = await ground.sandbox.run(
            Command(
                argv=(python, "-I", "-B", "-c", _BOOT, folder),
                limits=Limits(min(LIMIT_S, stop.limit_s), output_bytes=50_000_000),
                binds=(*ground.environment.binds, package),
                env={"PATH": "/usr/bin:/bin"},
                stdin=json.dumps(order).encode(),
            )
        )
        if done.timed_out:
            raise GateFault("the change could not be looked through in time.")
        if done.exit_code != 0:
            return None
        said: dict[str, Any] = json.loads(done.stdout)
        return said


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("latin-1")


def _findings(said: Mapping[str, Any]) -> tuple[Finding, ...]:
    return tuple(_finding(*found) for found in said["findings"])


def _finding(path: str, line: int | None, words: str) -> Finding:
    """Names come from the agent: clean, and no longer than they need be."""
    file, text = (clean_text(w.encode(errors="replace"), _WORDS) for w in (path, words))
    return Finding(severity=Severity.BLOCKING, file=file, line=line, text=text)


def reason_of(findings: tuple[Finding, ...]) -> str:
    """What the agent is told."""
    head = f"The change weakens what should check it, in {len(findings)} place(s):"
    shown = [f"{n}. {place(f)} {f.text}" for n, f in enumerate(findings[:MOST_SHOWN], start=1)]
    rest = [f"… and {len(findings) - MOST_SHOWN} more."] if len(findings) > MOST_SHOWN else []
    return "\n".join([head, *shown, *rest, "", _REQUEST])

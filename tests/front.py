"""The front door: the program as its users start it, and what it leaves, read back."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("gatebench")
PATIENCE_S = 240.0
Json = dict[str, Any]

CARELESS = """\
title = "leaves out what the prompt doesn't say, and mends what it is told"

[worker]
first_unstated = 0.0

[reviewer]
minor = 1.0
"""
"""On T1: hidden 2/5 at first, one right block by any gate, 5/5 after it."""


def environment(cache: Path) -> dict[str, str]:
    """A wide terminal's width without a terminal, the tests' own cache, and nobody's key."""
    kept = (n for n in os.environ if "ANTHROPIC" not in n and n != "GATEBENCH_PROGRAM")
    ours = {name: os.environ[name] for name in kept}
    return {**ours, "COLUMNS": "200", "NO_COLOR": "1", "GATEBENCH_CACHE": str(cache)}


@dataclass(frozen=True)
class Front:
    """The program, started below one directory."""

    cwd: Path
    cache: Path
    extra: Mapping[str, str] = field(default_factory=dict)
    """Variables on top."""
    patience_s: float = PATIENCE_S
    before: tuple[str, ...] = ()
    """A program that starts it."""

    @property
    def env(self) -> dict[str, str]:
        return {**environment(self.cache), **self.extra}

    def __call__(self, *args: str | Path) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        argv = [*self.before, str(PROGRAM), *map(str, args)]
        return subprocess.run(
            argv,
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.patience_s,
            check=False,
        )

    def start(self, *args: str | Path) -> "subprocess.Popen[str]":
        """Start it in a process group of its own, as a shell does."""
        argv = [*self.before, str(PROGRAM), *map(str, args)]
        return subprocess.Popen(
            argv,
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )


@dataclass(frozen=True)
class Job:
    """A job that was run, and what the program said."""

    front: Front
    args: tuple[str, ...]
    """Without ``run`` and ``--out``."""
    path: Path
    done: subprocess.CompletedProcess[str]

    def trial(self, name: str) -> "Trial":
        return Trial(self.path / name)

    @property
    def trials(self) -> list["Trial"]:
        return [self.trial(name) for name in (self.path / "matrix.txt").read_text().split()]

    @property
    def journal(self) -> list[Json]:
        return lines(self.path / "journal.jsonl")

    def again(self, *more: str, out: Path | None = None) -> subprocess.CompletedProcess[str]:
        """The same command, and what is added to it."""
        return self.front("run", *self.args, *more, "--out", out or self.path)


@dataclass(frozen=True)
class Trial:
    """One trial's directory."""

    path: Path

    @property
    def score(self) -> Json:
        return self.json("score.json")

    @property
    def stops(self) -> list[Json]:
        return lines(self.path / "gate.jsonl")

    @property
    def stream(self) -> list[Json]:
        return lines(self.path / "stream.jsonl")

    @property
    def decisions(self) -> list[str]:
        return [stop["decision"] for stop in self.stops]

    def json(self, name: str) -> Json:
        found: Json = json.loads((self.path / name).read_bytes())
        return found

    def told(self) -> list[str]:
        """Every text that the worker was shown in the session: tool results and feedback."""
        return [text for event in self.stream if event["type"] == "user" for text in _texts(event)]

    def feedback(self) -> list[str]:
        return [text for text in self.told() if text.startswith("Stop hook feedback:")]


def _texts(event: Json) -> Iterator[str]:
    content = event["message"]["content"]
    if isinstance(content, str):
        yield content
        return
    for part in content:
        inner = part.get("text", part.get("content", ""))
        if isinstance(inner, str):
            yield inner
        else:
            yield from (piece.get("text", "") for piece in inner)


def lines(path: Path) -> list[Json]:
    """A file of JSON lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def run_job(front: Front, out: Path, *args: str) -> Job:
    """Run a job that must succeed."""
    done = front("run", *args, "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return Job(front, args, out, done)


def equal_but_for_times(one: Json, other: Json) -> bool:
    """Whether two scores are the same; keys ending in ``wall_s`` may differ."""
    return without_times(one) == without_times(other)


def without_times(score: Mapping[str, Any]) -> Json:
    return {key: value for key, value in score.items() if not key.endswith("wall_s")}


def digest(root: Path) -> dict[str, str]:
    """Every file below a directory, by content; who claimed it last is no content."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".claim"
    }


def table(said: str) -> str:
    """The table of results in what the program printed."""
    return said[said.index("SIMULATED ·") : said.index("Job:")]


def complaint(done: subprocess.CompletedProcess[str], code: int) -> str:
    """What it said when it refused: one sentence, the next step, and no traceback."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    said, *hint = done.stderr.strip().splitlines()
    assert said.startswith("gatebench: ")
    assert said.endswith(".")
    assert [line for line in hint if line.strip()], "no next step"
    return done.stderr

"""The resolved matrix, and the lock that ties a job directory to it."""

from typing import Any

from pydantic import Field

from gatebench.model.base import Filed, Record
from gatebench.model.task import PromptVariant
from gatebench.model.trial import SHIPPED_CONFIGS, Config, TrialId

PROTOCOL = 1
"""Raised whenever the same inputs would give other results; part of every job's identity."""


class Choice(Record):
    """Everything that decides what a trial of a config does, whichever matrix it stands in."""

    suite: str = "tinydb"
    """Name of a shipped suite, or path of a suite directory."""
    agent: str = "claude-code"
    via: str = "scripted"
    model: str | None = None
    """``None`` in scripted mode, where no model is asked."""
    reviewer_model: str | None = None
    writer_model: str | None = None
    upstream: str | None = None
    """The server that models are asked at; ``None`` is the provider's public address."""
    reviewer_upstream: str | None = None
    """``None``: where the worker's is asked."""
    writer_upstream: str | None = None
    rehearsal: bool = False
    """The upstream is no model but a script: everything that comes of it is marked simulated."""
    profile: str | None = "mixed"
    prompt: PromptVariant = PromptVariant.TERSE
    seed: int = 1
    inject: str | None = None
    """Name of the suite's injection, or path of a patch."""
    max_turns: int = 60
    tools: str = "Bash,Edit,Write,Read,Grep,Glob"

    @property
    def scripted(self) -> bool:
        """Whether the simulated team speaks, and no upstream is asked."""
        return self.via == "scripted"

    @property
    def simulated(self) -> bool:
        """Whether a script and not a model speaks, here or at the upstream."""
        return self.scripted or self.rehearsal

    @property
    def exposed(self) -> bool:
        """Whether the agent has the user's own login."""
        return self.via == "direct"


class Matrix(Record):
    """Tasks × configs × reps under one choice."""

    name: str = "matrix"
    choice: Choice = Field(default_factory=Choice)
    tasks: tuple[str, ...]
    configs: tuple[Config, ...] = SHIPPED_CONFIGS
    reps: int = 2
    tag: str = ""

    def config(self, name: str) -> Config:
        """The config of that name."""
        return next(c for c in self.configs if c.name == name)

    def trials(self) -> tuple[TrialId, ...]:
        """Every trial in the order it is started.

        Odd reps go through the configs in order, even ones in reverse, so that a drift over time
        (of a provider, of a machine) falls on all configs alike; tasks rotate by one per block.
        """
        order: list[TrialId] = []
        for rep in range(1, self.reps + 1):
            blocks = self.configs if rep % 2 else tuple(reversed(self.configs))
            for shift, config in enumerate(blocks):
                turn = shift % len(self.tasks)
                tasks = self.tasks[turn:] + self.tasks[:turn]
                order += [TrialId(task, config.name, rep, self.tag) for task in tasks]
        return tuple(order)


class Kept(Record):
    """Trials that were run under another lock and kept on purpose (``--keep-old``)."""

    lock: str
    """Name of the file that holds that lock, in the job's directory."""
    differences: tuple[str, ...]
    """What was other then, one clause each."""
    trials: tuple[str, ...]


class Lock(Filed):
    """``lock.json``: what this job's trials are made of."""

    protocol: int = PROTOCOL
    product: str
    """Version of gate-bench that made it; for information, not compared."""
    matrix: Matrix
    """As last extended."""
    digests: dict[str, str]
    """Content digests: ``suite``, ``hidden``, ``environment``, ``agent``, ``profile``, …"""

    requirements: dict[str, tuple[str, ...]]
    """Ids of each task's requirements, so that an analysis needs no suite."""
    kept: tuple[Kept, ...] = ()
    """What was run under earlier locks."""

    def identity(self) -> dict[str, Any]:
        """What must stay the same for old and new trials to belong together.

        Tasks, configs and reps may be added; a config that is there already must not change.
        """
        return {
            "protocol": self.protocol,
            **{f"choice.{k}": v for k, v in self.matrix.choice.model_dump(mode="json").items()},
            **{f"digest.{k}": v for k, v in self.digests.items()},
            **{f"config.{c.name}": c.model_dump(mode="json") for c in self.matrix.configs},
        }

"""What a gate is, and what it is given."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gatebench.agents.program import AgentProgram
from gatebench.model.stop import GateResult
from gatebench.model.task import Task
from gatebench.model.usage import Role
from gatebench.sandbox import Bind, Sandbox
from gatebench.suites import Suite, TestEnvironment
from gatebench.suites.results import Results
from gatebench.workspace import Cut, TreeStore


class Door(Protocol):
    """An open way to the model for one call."""

    @property
    def base_url(self) -> str:
        """For ``ANTHROPIC_BASE_URL``; holds a token of this call's own."""


class Doors(Protocol):
    """Opens ways to the model for the gates' roles; the trial meters what goes through."""

    def open(
        self, role: Role, stop: int | None = None, retry: int = 0
    ) -> AbstractContextManager[Door]:
        """A way for one call; closed, its token is refused."""

    def model(self, role: Role) -> str:
        """The model asked for."""


def _nothing(_name: str) -> None:
    """A gate that stands alone has filed nothing."""


@dataclass(frozen=True)
class Ground:
    """What a gate has for a whole trial."""

    suite: Suite
    task: Task
    prompt: str
    """The task's text, as the worker was given it."""
    upstream: Path
    """The pristine library as a prepared repository; not to be changed."""
    start_tree: str
    """Tree the worker finds."""
    sandbox: Sandbox
    environment: TestEnvironment
    trees: TreeStore
    program: AgentProgram | None
    """What plays the gates' roles; ``None`` where nothing does."""
    doors: Doors
    model_socket: Bind
    write: Callable[[str, str | bytes], None]
    """Files one piece of evidence in the trial's directory: (name, content)."""
    read: Callable[[str], bytes | None] = _nothing
    """Evidence filed before, by name; ``None`` where there is none."""
    results: Results = field(default_factory=Results)
    """What is known of trees already; the job's own."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The gate's own settings from the config."""


@dataclass(frozen=True)
class StopView:
    """What a gate sees of one stop."""

    n: int
    tree: str
    """Id of the snapshot in `Ground.trees`."""
    cut: tuple[Cut, ...]
    """What the snapshot left out."""
    limit_s: float
    """Seconds left of the whole stop."""


class Gate(Protocol):
    """One check run at a stop.

    A gate says red, or passes; a fault of its own machinery is raised (`GateFault`) or recorded in
    its result, never called red.
    """

    name: str

    async def prepare(self) -> None:
        """What must be there before the worker starts; runs once."""

    async def recall(self) -> None:
        """Instead of `prepare`, when an interrupted trial is finished: read what was filed."""

    async def check(self, stop: StopView) -> GateResult:
        """Look at one snapshot."""

    async def last(self, tree: str) -> None:
        """After the session: what the gate has to say about the final tree, for the record."""

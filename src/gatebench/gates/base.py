"""What a gate is, and what it is given."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from gatebench.agents.clock import Stopwatch
from gatebench.agents.login import Login
from gatebench.agents.program import AgentProgram
from gatebench.model.replay import Kept
from gatebench.model.stop import GateResult
from gatebench.model.task import Task
from gatebench.model.usage import Role
from gatebench.sandbox import Bind, Sandbox
from gatebench.suites import Suite, TestEnvironment
from gatebench.suites.results import Results
from gatebench.suites.waiting import Waiters
from gatebench.workspace import Cut, TreeStore


class Door(Protocol):
    """An open way to the model for one call."""

    @property
    def base_url(self) -> str:
        """For ``ANTHROPIC_BASE_URL``; holds a token of this call's own."""

    @property
    def login(self) -> Login | None:
        """The user's own, where there is no gateway."""

    @property
    def clock(self) -> Stopwatch | None:
        """Stands still while the gateway waits; ``None`` where there is none."""


class Doors(Protocol):
    """Opens ways to the model for the gates' roles; the trial meters what goes through."""

    def open(
        self, role: Role, stop: int | None = None, retry: int = 0
    ) -> AbstractContextManager[Door]:
        """A way for one call; closed, its token is refused."""

    def model(self, role: Role) -> str:
        """The model asked for."""


@dataclass(frozen=True)
class Truth:
    """The oracle's word on a tree, as far as a gate may be told."""

    failing: Mapping[str, str]
    """What fails: a sentence for the agent by the requirement's id (which it must not see)."""
    unscorable: str | None = None
    """Why there is no verdict; ``None`` where there is one."""


class Memory(Protocol):
    """Calls that were made before: replay asks an equal question once, whoever asks it."""

    def recall(self, key: str) -> Kept | None:
        """What was answered to the question of this key; ``None`` where it wasn't asked."""

    def keep(self, key: str, call: Kept) -> None:
        """What was answered now."""


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
    model_socket: Bind | None
    """``None`` where there is no gateway."""
    write: Callable[[str, str | bytes], None]
    """Files one piece of evidence in the trial's directory: (name, content)."""
    read: Callable[[str], bytes | None] = _nothing
    """Evidence filed before, by name; ``None`` where there is none."""
    results: Results = field(default_factory=Results)
    """What is known of trees already; the job's own."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The gate's own settings from the config."""
    seed: int = 0
    """The trial's, for gates that draw."""
    truth: Callable[[str], Awaitable[Truth]] | None = None
    """What is true of a tree by its id; ``None`` where nobody hands it in."""
    waiters: Waiters | None = None
    """What waits for the trial's trees; ``None`` where nothing does."""
    memory: Memory | None = None
    """Answers of earlier calls; ``None`` in a trial, where every call is made."""


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
    hook_input: bytes | None = None
    """What the agent's program gave its hook; ``None`` where no hook was called. Hostile."""


class Gate(Protocol):
    """One check run at a stop.

    A gate says red, or passes; a fault of its own machinery is raised (`GateFault`) or recorded in
    its result, never called red.
    """

    name: str
    """Set by the registry to the name in the config, where it has one of its own."""

    async def prepare(self) -> None:
        """What must be there before the worker starts; runs once."""

    async def recall(self) -> None:
        """Instead of `prepare`, when an interrupted trial is finished: read what was filed."""

    async def check(self, stop: StopView) -> GateResult:
        """Look at one snapshot."""

    async def last(self, tree: str) -> None:
        """After the session: what the gate has to say about the final tree, for the record."""

"""What the trials of a job share: the suite, its environment, the sandbox, the gateway."""

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatebench.agents import AgentProgram, find_agent
from gatebench.agents.paths import MODEL_SOCKET
from gatebench.errors import SuiteError, UsageError
from gatebench.gateway import Gateway
from gatebench.model.matrix import Choice
from gatebench.oracle import Oracle
from gatebench.sandbox import Bind, Sandbox, open_sandbox
from gatebench.suites import (
    Suite,
    TestEnvironment,
    build_environment,
    fetch_upstream,
    load_suite,
)
from gatebench.suites.hidden import Hidden, load_hidden
from gatebench.team import Profile, load_profile
from gatebench.workspace import TreeStore

VIAS = ("scripted",)
"""Ways to a model that this version has."""


@dataclass(frozen=True)
class Means:
    """What this machine and this invocation give; none of it changes a result."""

    cache: Path
    search_path: str
    sandbox: str = "auto"
    agent_bin: Path | None = None


@dataclass(frozen=True)
class Bench:
    """Everything that trials share."""

    choice: Choice
    suite: Suite
    hidden: Hidden
    upstream: Path
    """The pristine library as a prepared repository; not to be changed."""
    environment: TestEnvironment
    sandbox: Sandbox
    program: AgentProgram
    gateway: Gateway
    oracle: Oracle
    trees: TreeStore
    pristine: str
    """Tree id of the pristine library in `trees`."""

    @property
    def model_socket(self) -> Bind:
        """The gateway's socket as a role sees it."""
        return Bind(self.gateway.socket_path, MODEL_SOCKET)

    @property
    def digests(self) -> dict[str, str]:
        """What decides a result and isn't in the choice."""
        return {
            "suite": self.suite.digest,
            "hidden": self.hidden.digest,
            "environment": self.environment.digest,
            "agent": self.program.version,
            "sandbox": self.sandbox.kind,
        }

    def profile(self, name: str | None) -> Profile:
        """The profile of that name, else the choice's, else the default."""
        return load_profile(name or self.choice.profile or "mixed")


@asynccontextmanager
async def open_bench(choice: Choice, means: Means, trees: Path) -> AsyncIterator[Bench]:
    """Fetch, build and open what trials need.

    Args:
        choice: what is to be run.
        means: what this machine gives.
        trees: directory of the job's git store.

    Raises:
        UsageError: a way to a model that isn't there.
        SuiteError: the suite is broken, or has no material for the simulated team.
        FetchError: upstream or the environment can't be had.
        SandboxUnavailable: the kernel refuses.
        AgentMissing: no usable agent.
    """
    check_via(choice)
    suite = load_suite(choice.suite)
    sandbox = open_sandbox(means.sandbox)
    upstream = await fetch_upstream(suite, means.cache)
    environment = await build_environment(suite, means.cache)
    hidden = load_hidden(suite, upstream)
    program = await find_agent(
        choice.agent, sandbox, means.agent_bin, means.search_path, environment.binds
    )
    store = TreeStore(trees)
    await store.create()
    pristine = (await store.snapshot(upstream)).tree
    with private_directory() as directory:
        oracle = Oracle(hidden, environment, sandbox, store, means.cache)
        async with Gateway(directory / secrets.token_hex(4)) as gateway:
            yield Bench(
                choice=choice,
                suite=suite,
                hidden=hidden,
                upstream=upstream,
                environment=environment,
                sandbox=sandbox,
                program=program,
                gateway=gateway,
                oracle=oracle,
                trees=store,
                pristine=pristine,
            )


def check_via(choice: Choice) -> None:
    """Refuse a way to a model that this version doesn't have.

    Raises:
        UsageError: it doesn't.
    """
    if choice.via not in VIAS:
        raise UsageError(
            f"--via {choice.via} is not there in this version.",
            f"Known: {', '.join(VIAS)}. Without --model the simulated team runs.",
        )


def material_missing(task: str) -> SuiteError:
    """The error of a task that the simulated team knows nothing about."""
    return SuiteError(
        f"the suite has no material for the simulated team about {task} (team/{task}.toml).",
        "Add it (docs/suites.md), or run the task with a real model.",
    )


@contextmanager
def private_directory() -> Iterator[Path]:
    """A short directory with a name that tells nothing, gone at the end.

    What is bound into a sandbox shows its path there in ``/proc/self/mountinfo``, and a socket's
    path has 108 bytes.
    """
    directory = Path(tempfile.mkdtemp(prefix=""))
    directory.chmod(0o711)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)

"""What the trials of a job share: the suite, its environment, the sandbox, the gateway."""

import hashlib
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from gatebench.agents.login import OwnLogin
from gatebench.agents.paths import MODEL_SOCKET
from gatebench.agents.program import CLAUDE_CODE, AgentProgram, find_agent
from gatebench.agents.shelter import shelter
from gatebench.errors import StoreError, SuiteError, UsageError
from gatebench.gateway import Gateway, Ways, open_ways
from gatebench.model.matrix import Choice
from gatebench.oracle import Oracle, OracleSetup
from gatebench.sandbox import Bind, Sandbox, open_sandbox
from gatebench.sandbox.keeper import keeper
from gatebench.suites import (
    Suite,
    TestEnvironment,
    build_environment,
    fetch_upstream,
    load_suite,
)
from gatebench.suites.hidden import Hidden, load_hidden
from gatebench.suites.results import Results
from gatebench.team import Profile, load_profile
from gatebench.trial.injection import read_injection
from gatebench.trial.means import SHARED, Means, Upstreams
from gatebench.workspace import TreeStore

__all__ = ["SHARED", "VIAS", "Bench", "Means", "Upstreams", "open_bench", "private_directory"]
VIAS = ("scripted", "live", "record", "playback", "direct")
"""Ways to a model that this version has."""


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
    """The worker's."""
    roles: AgentProgram | None
    """What plays the gates' roles; ``None`` where no config needs one."""
    gateway: Gateway
    oracle: Oracle
    trees: TreeStore
    """Made when the job's directory has been claimed (`Bench.settle_trees`)."""
    injection: bytes | None
    """The patch applied to every work copy, uncommitted."""
    results: Results
    """What is known of trees already."""
    ways: Ways | None
    """To real models; ``None`` for the simulated team, and without a gateway."""
    login: OwnLogin | None
    """The user's own; then no call goes through the gateway."""
    means: Means
    """What it was opened with."""

    @property
    def budgets(self) -> dict[str, float]:
        """Dollars that a trial of its own may spend, in all and by role."""
        return {} if self.ways is None else self.ways.terms.limits.of_a_trial

    @property
    def model_socket(self) -> Bind | None:
        """The gateway's socket as a role sees it; ``None`` where nothing is to go there."""
        return None if self.login else Bind(self.gateway.socket_path, MODEL_SOCKET)

    @property
    def digests(self) -> dict[str, str]:
        """What decides a result and isn't in the choice."""
        return {
            "suite": self.suite.digest,
            "hidden": self.hidden.digest,
            "environment": self.environment.digest,
            "agent": self.program.version,
            "sandbox": self.sandbox.kind,
            "profile": self.profile_digest(None),
            "injection": hashlib.sha256(self.injection or b"").hexdigest()[:16],
        }

    async def settle_trees(self) -> str:
        """Make the store of trees where it isn't there; gives the pristine library's tree."""
        await self.trees.create()
        return (await self.trees.snapshot(self.upstream)).tree

    def profile_digest(self, name: str | None) -> str:
        """Digest of what a profile says, wherever it lies."""
        return hashlib.sha256(self.profile(name).model_dump_json().encode()).hexdigest()[:16]

    def profile(self, name: str | None) -> Profile:
        """The profile of that name, else the choice's, else the default."""
        return load_profile(self.means.where(name or self.choice.profile or "mixed"))


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
    keeper()  # before the first temporary file
    check_via(choice)
    suite = load_suite(means.where(choice.suite))
    sandbox = open_sandbox(means.sandbox)
    await _make_cache(means.cache)
    upstream = await fetch_upstream(suite, means.cache)
    environment = await build_environment(suite, means.cache)
    hidden = load_hidden(suite, upstream)
    program, roles = await _programs(choice, means, sandbox, environment)
    store = TreeStore(trees)
    with private_directory() as directory:
        inject = choice.inject and means.where(choice.inject)
        injection = await read_injection(inject, suite, upstream, directory)
        results = means.results
        oracle = Oracle(
            OracleSetup(hidden, upstream, environment, sandbox, store, means.cache, results=results)
        )
        async with AsyncExitStack() as stack:
            ways = None
            if not choice.scripted and not choice.exposed:
                ways = await stack.enter_async_context(open_ways(means.terms))
            # Entered last, so left first: no answer is on its way when the lines are hung up.
            gateway = await stack.enter_async_context(Gateway(directory / secrets.token_hex(4)))
            yield Bench(
                choice=choice,
                suite=suite,
                hidden=hidden,
                upstream=upstream,
                environment=environment,
                sandbox=sandbox,
                program=program,
                roles=roles,
                gateway=gateway,
                oracle=oracle,
                trees=store,
                injection=injection,
                results=results,
                ways=ways,
                login=means.login if choice.exposed else None,
                means=means,
            )


async def _programs(
    choice: Choice, means: Means, sandbox: Sandbox, environment: TestEnvironment
) -> tuple[AgentProgram, AgentProgram | None]:
    """The worker's, and what plays the gates' roles; each a copy that tells nothing by its path."""

    async def found(name: str, given: Path | None) -> AgentProgram:
        binds = environment.binds
        program = await find_agent(name, sandbox, given, means.search_path, binds)
        return await shelter(program, sandbox, means.cache, binds)

    program = await found(choice.agent, means.agent_bin)
    if program.name == CLAUDE_CODE:
        return program, program
    return program, await found(CLAUDE_CODE, None) if means.roles else None


async def _make_cache(cache: Path) -> None:
    try:
        await anyio.Path(cache).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the cache {cache} can't be made: {error.strerror or error}.",
            "Name another place for it: GATEBENCH_CACHE=DIR.",
        ) from error


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

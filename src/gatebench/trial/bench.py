"""What the trials of a job share: the suite, its environment, the sandbox, the gateway."""

import hashlib
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from gatebench.agents.paths import MODEL_SOCKET
from gatebench.agents.program import CLAUDE_CODE, AgentProgram, find_agent
from gatebench.agents.shelter import shelter
from gatebench.errors import StoreError, SuiteError, UsageError
from gatebench.gateway import Gateway, Route, Terms, Upstream, Ways, open_ways
from gatebench.model.matrix import Choice
from gatebench.model.usage import Role
from gatebench.oracle import Oracle, OracleSetup
from gatebench.sandbox import Bind, DiskBounds, Sandbox, open_sandbox
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
from gatebench.workspace import TreeStore, apply_patch, make_work_copy

SHARED = "shared"
"""Results are kept in the user's cache folder."""
VIAS = ("scripted", "live", "record", "playback")
"""Ways to a model that this version has."""


@dataclass(frozen=True)
class Upstreams:
    """Where each role's calls go; ``None``: where the worker's go."""

    worker: Upstream = field(default_factory=Upstream)
    reviewer: Upstream | None = None
    writer: Upstream | None = None

    def route(self, role: Role, model: str) -> Route:
        """A role's route."""
        own = {Role.WORKER: self.worker, Role.WRITER: self.writer}.get(role, self.reviewer)
        return Route(model, own or self.worker)


@dataclass(frozen=True)
class Means:
    """What this machine and this invocation give; none of it changes a result."""

    cache: Path
    search_path: str
    sandbox: str = "auto"
    """``auto``, ``bwrap`` or ``none``."""
    agent_bin: Path | None = None
    fresh: bool = False
    """Take nothing that is known of equal trees."""
    reuse: str | None = None
    """Results of equal trees are shared with other jobs: `SHARED`, or a directory of its own."""
    roles: bool = True
    """Whether a test writer or reviewers will be needed."""
    secrets: tuple[str, ...] = ()
    """What must not be found in anything that is stored."""
    disk: DiskBounds = field(default_factory=DiskBounds)
    """What the files of one worker may take."""
    terms: Terms = field(default_factory=Terms)
    """On what terms real models are asked."""
    upstreams: Upstreams = field(default_factory=Upstreams)
    moved: Mapping[str, str] = field(default_factory=dict)
    """Where a suite, profile or patch that is named by path lies on this machine, if elsewhere."""

    @property
    def results(self) -> Results:
        """The results of a job that begins."""
        shared = self.cache / "results" if self.reuse == SHARED else Path(self.reuse or "")
        return Results(shared if self.reuse else None, fresh=self.fresh)

    def where(self, name: str) -> str:
        """A name, or the path at which it lies on this machine."""
        return self.moved.get(name, name)


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
    """To real models; ``None`` for the simulated team."""
    means: Means
    """What it was opened with."""

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
    check_via(choice)
    suite = load_suite(means.where(choice.suite))
    sandbox = open_sandbox(means.sandbox)
    await _make_cache(means.cache)
    upstream = await fetch_upstream(suite, means.cache)
    environment = await build_environment(suite, means.cache)
    hidden = load_hidden(suite, upstream)
    program = await find_agent(
        choice.agent, sandbox, means.agent_bin, means.search_path, environment.binds
    )
    program = await shelter(program, sandbox, means.cache, environment.binds)
    roles = program if program.name == CLAUDE_CODE else None
    if roles is None and means.roles:
        roles = await find_agent(CLAUDE_CODE, sandbox, None, means.search_path, environment.binds)
        roles = await shelter(roles, sandbox, means.cache, environment.binds)
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
            if not choice.simulated:
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
                means=means,
            )


async def _make_cache(cache: Path) -> None:
    try:
        await anyio.Path(cache).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the cache {cache} can't be made: {error.strerror or error}.",
            "Name another place for it: GATEBENCH_CACHE=DIR.",
        ) from error


async def read_injection(
    name: str | None, suite: Suite, upstream: Path, scratch: Path
) -> bytes | None:
    """The patch of an injection by name, or a patch file by path; tried before any trial.

    Raises:
        UnknownName: the suite has none of that name.
        UsageError: there is no such file.
        SuiteError: it doesn't apply to upstream.
    """
    if name is None:
        return None
    if "/" in name or name.endswith((".patch", ".diff")):
        path = Path(name)
        if not path.is_file():  # noqa: ASYNC240  # one look before anything runs
            raise UsageError(f"the patch '{name}' is not there.", "Check the path after --inject.")
    else:
        path = suite.injection(name)
    patch = await anyio.to_thread.run_sync(path.read_bytes)
    await _try_patch(path, patch, upstream, scratch / "i")
    return patch


async def _try_patch(path: Path, patch: bytes, upstream: Path, copy: Path) -> None:
    await anyio.to_thread.run_sync(make_work_copy, upstream, copy)
    try:
        await apply_patch(copy, patch)
    except SuiteError as error:
        said = error.message.rpartition("error: ")[2].rstrip(".\n")
        raise SuiteError(
            f"the patch {path} doesn't apply to the library: {said}.", error.hint
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

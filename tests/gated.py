"""A whole gated session for tests: agent, sandbox, hook, and a judge that the test scripts."""

import json
import shutil
import sys
import tempfile
import weakref
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from loopback import Loopback, Script, serve
from older import older_cli

from gatebench.agents.claude_code import WorkerCall
from gatebench.agents.clock import Stopwatch
from gatebench.agents.paths import MODEL_SOCKET, WORK
from gatebench.agents.program import AgentProgram, bundled_cli, find_agent, stub_program
from gatebench.agents.result import WorkerResult
from gatebench.agents.stream import Event, Message, User
from gatebench.agents.worker import Watch, run_worker
from gatebench.hook.server import StopCallbacks, StopRequest, StopServer, open_stop_server
from gatebench.hook.settings import HookFiles, deploy_hook
from gatebench.model.stop import Delivery
from gatebench.sandbox import Bind, Kind, Limits, Process, Sandbox, open_sandbox

Judge = Callable[[StopRequest], Awaitable[bytes]]


def block(reason: str) -> bytes:
    return json.dumps({"decision": "block", "reason": reason}).encode()


def blocks(count: int, reason: str = "not yet") -> Judge:
    """A judge that blocks so many times."""

    async def judge(stop: StopRequest) -> bytes:
        return block(reason) if stop.n <= count else b""

    return judge


def python_binds(directory: Path, kind: str = "bwrap") -> tuple[Bind, ...]:
    """This interpreter at /opt/python, as a suite's environment brings its own."""
    tree = directory / "python"
    (tree / "bin").mkdir(parents=True)
    base = Path(sys.base_prefix)
    seen = base if kind == "none" else Path("/opt/base")
    (tree / "bin/python").symlink_to(seen / f"bin/python3.{sys.version_info.minor}")
    return Bind(tree, "/opt/python"), Bind(base, "/opt/base")


@dataclass
class Session:
    """One session: what goes in, and what came of it."""

    judge: Judge = field(default_factory=lambda: blocks(0))
    model: Script | None = None
    script: str | None = None
    """Of a scripted stub; without it and `model`, `program` is the plain stub."""
    gated: bool = True
    block_cap: int | None = None
    max_turns: int = 60
    wall_s: float = 60.0
    grace_s: float = 10.0
    stop_limit_s: float = 1500.0
    status: int = 200
    kind: Kind = "bwrap"
    extra: tuple[Bind, ...] = ()
    settings: str | None = None
    """Another text for the settings file."""

    stops: list[StopRequest] = field(default_factory=list)
    deliveries: list[tuple[int, Delivery, int]] = field(default_factory=list)
    failures: list[tuple[int, Exception]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    raw: bytes = b""
    loopback: Loopback | None = None
    work: Path = Path()
    kept: dict[str, str] = field(default_factory=dict)
    """Text files at the top of the work copy when the session had ended."""
    server: StopServer | None = None
    process: Process | None = None

    def __post_init__(self) -> None:
        # Not pytest's tmp_path: a socket's path must be short.
        self.scratch = Path(tempfile.mkdtemp(prefix="x"))
        self.scratch.chmod(0o755)
        weakref.finalize(self, shutil.rmtree, self.scratch, ignore_errors=True)

    async def run(self, program: AgentProgram | None = None) -> WorkerResult:
        """Run it."""
        async with AsyncExitStack() as stack:
            home = self.scratch
            sandbox = open_sandbox(self.kind)
            call, hook = self._call(stack, home, sandbox)
            program = program or self._stub(home)
            clock = Stopwatch()
            server = None
            if hook is not None:
                callbacks = StopCallbacks(self._judge, self._delivered, self._failed)
                server = await stack.enter_async_context(
                    open_stop_server(hook.socket, callbacks, clock, self.stop_limit_s)
                )
            self.server = server
            return await self._session(program, sandbox, call, clock)

    async def _session(
        self, program: AgentProgram, sandbox: Sandbox, call: WorkerCall, clock: Stopwatch
    ) -> WorkerResult:
        server = self.server
        watch = Watch(
            on_event=self._event,
            on_bytes=self._bytes,
            on_start=self._began,
            clock=clock,
            grace_s=self.grace_s,
        )
        result = await run_worker(program, sandbox, call, watch)
        files = (f for f in self.work.iterdir() if f.is_file())
        self.kept = {f.name: f.read_text(errors="replace") for f in files}
        if server:
            await server.finish(completed=result.completed)
        return result

    def _call(
        self, stack: AsyncExitStack, home: Path, sandbox: Sandbox
    ) -> tuple[WorkerCall, HookFiles | None]:
        self.work = home / "work"
        self.work.mkdir()
        environment = python_binds(home, self.kind)
        hook = deploy_hook(home / "hook", sandbox, environment) if self.gated else None
        if hook and self.settings is not None:
            hook.settings.source.write_text(self.settings)
        socket = None
        if self.model is not None:
            socket = Bind(home / "model", MODEL_SOCKET)
            self.loopback = Loopback(self.model, self.status)
            stack.enter_context(serve(self.loopback, socket.source))
        (home / "home").mkdir()
        call = WorkerCall(
            prompt="Please do it.\n\nStop when you are done.",
            model="claude-sonnet-5-5",
            work=Bind(self.work, WORK, writable=True),
            limits=Limits(wall_s=self.wall_s),
            base_url="http://localhost/token",
            model_socket=socket,
            settings=hook.settings if hook else None,
            home=home / "home",
            environment=environment,
            extra=(*self.extra, *((hook.directory,) if hook else ())),
            max_turns=self.max_turns,
            block_cap=self.block_cap,
        )
        return call, hook

    def _stub(self, home: Path) -> AgentProgram:
        file = None
        if self.script is not None:
            file = home / "script.py"
            file.write_text(self.script)
        return stub_program("scripted", file)

    async def _judge(self, stop: StopRequest) -> bytes:
        self.stops.append(stop)
        return await self.judge(stop)

    async def _delivered(self, n: int, delivery: Delivery, forged: int) -> None:
        self.deliveries.append((n, delivery, forged))

    async def _failed(self, n: int, error: Exception) -> None:
        self.failures.append((n, error))

    async def _event(self, event: Event) -> None:
        self.events.append(event)
        if self.server:
            await self.server.feed(event)

    def _began(self, process: Process) -> None:
        self.process = process
        if self.server:
            self.server.attach(process)

    def _bytes(self, data: bytes) -> None:
        self.raw += data

    @property
    def feedback(self) -> list[str]:
        """What the agent was told when it was sent back."""
        users = [e.text for e in self.events if isinstance(e, User)]
        return [t for t in users if t.startswith("Stop hook feedback:")]

    @property
    def outcomes(self) -> list[Delivery]:
        """The deliveries in order."""
        return [delivery for _, delivery, _ in self.deliveries]

    def messages(self, subtype: str) -> list[Message]:
        """System messages of a kind."""
        return [e for e in self.events if isinstance(e, Message) and e.subtype == subtype]


async def real_cli(which: str) -> AgentProgram:
    """The newest CLI (``new``) or the older one (``old``); skips where it isn't there."""
    file = older_cli() if which == "old" else bundled_cli()
    if file is None:
        pytest.skip("the extra 'claude' is not installed")
    return await find_agent("claude-code", open_sandbox("bwrap"), file, "")

"""The worker's session: bare, or with a Stop hook in front of its end."""

import json
from dataclasses import replace
from pathlib import Path

import anyio

from gatebench.agents.claude_code import WorkerCall
from gatebench.agents.clock import Stopwatch
from gatebench.agents.paths import OVERLAY, WORK
from gatebench.agents.result import WorkerResult
from gatebench.agents.worker import Watch
from gatebench.hook.server import StopCallbacks, open_stop_server
from gatebench.hook.settings import HookFiles, deploy_hook
from gatebench.model.usage import Role
from gatebench.sandbox import Bind, Limits
from gatebench.trial.gatekeeper import Gatekeeper
from gatebench.trial.money import note_refused
from gatebench.trial.prepare import prompt
from gatebench.trial.run import Run
from gatebench.trial.session import run_session
from gatebench.trial.sites import Door
from gatebench.trial.standby import stand_by

WORKER_S = 1_800.0
"""The worker's own time: gates and waits for the gateway not counted."""


async def work(run: Run) -> None:
    """Let the agent work until it is allowed to stop, gives up or runs out of something."""
    if note_refused(run):
        return  # the test writer went without an answer: the trial can't count any more
    run.doing("working")
    clock = Stopwatch()
    site_of = run.sites.open(Role.WORKER, clock=clock)
    with site_of as door, run.home.stream("stream.jsonl") as keep:
        watch = Watch(on_bytes=keep, clock=clock)
        if run.gated:
            run.result = await _gated(run, door, watch)
        else:
            run.result = await run_session(run, await _call(run, door, None), watch)
    _file(run, run.result)


async def _gated(run: Run, door: Door, watch: Watch) -> WorkerResult:
    """With the hook: its server lives as long as the session and the stops it left open."""
    bench = run.bench
    files = await anyio.to_thread.run_sync(
        deploy_hook, run.place, bench.sandbox, bench.environment.binds
    )
    _keep_copies(run, files)
    keeper = Gatekeeper(run)
    callbacks = StopCallbacks(keeper.judge, keeper.delivered, keeper.failed)
    call = await _call(run, door, files)
    stand_by(run)
    async with open_stop_server(files.socket, callbacks, watch.clock) as server:
        seen = replace(watch, on_event=server.feed, on_start=server.attach)
        result = await run_session(run, call, seen)
        await server.finish(completed=result.completed)
    _note_changes(run, files)
    return result


async def _call(run: Run, door: Door, hook: HookFiles | None) -> WorkerCall:
    choice = run.bench.choice
    return WorkerCall(
        prompt=prompt(run),
        model=run.sites.model(Role.WORKER),
        work=Bind(run.work, WORK, writable=True),
        limits=Limits(wall_s=WORKER_S),
        base_url=door.base_url,
        login=door.login,
        model_socket=run.bench.model_socket,
        settings=hook.settings if hook else None,
        home=_own_home(run),
        environment=run.bench.environment.binds,
        extra=(*((hook.directory,) if hook else ()), *await _overlay(run)),
        max_turns=choice.max_turns,
        tools=tuple(choice.tools.split(",")),
        block_cap=run.config.block_cap,
    )


def _own_home(run: Run) -> Path | None:
    """Without a sandbox HOME must be somebody's; with one it is the sandbox's own."""
    if run.bench.sandbox.kind != "none":
        return None
    home = run.place / "h"
    home.mkdir(exist_ok=True)
    return home


async def _overlay(run: Run) -> tuple[Bind, ...]:
    """The reference agent is handed the solution; no other agent is."""
    if run.bench.program.name != "reference":
        return ()
    files = await run.bench.hidden.solution_files(run.task.id, run.task.requirement_ids)
    overlay = run.place / "o"
    for name, text in files.items():
        target = anyio.Path(overlay, name)
        await target.parent.mkdir(parents=True, exist_ok=True)
        await target.write_text(text)
    return (Bind(overlay, OVERLAY),)


def _keep_copies(run: Run, files: HookFiles) -> None:
    """Keep what the agent was given, so that a change can be seen."""
    run.home.write("settings.json", files.settings.source.read_bytes())
    run.home.write("hook/check", (files.directory.source / "check").read_bytes())


def _note_changes(run: Run, files: HookFiles) -> None:
    """The hook's files lie where the agent can't write; look all the same."""
    pairs = (
        ("settings.json", files.settings.source),
        ("hook/check", files.directory.source / "check"),
    )
    for name, path in pairs:
        kept = (run.home.path / name).read_bytes()
        if not path.is_file() or path.read_bytes() != kept:
            run.tampered.append(f"hook file changed: {path.name}")


def _file(run: Run, result: WorkerResult) -> None:
    """File what the session left beside its stream."""
    run.home.write("stderr.txt", result.stderr)
    run.home.write("exit_code.txt", f"{result.exit_code}\n")
    run.home.write("wall_s.txt", f"{result.wall_s:.3f}\n")
    run.home.write("result.json", _as_json(run, result))


def _as_json(run: Run, result: WorkerResult) -> str:
    raw = {k: v for k, v in vars(result).items() if k != "stderr"}
    return json.dumps({**raw, "first_request": run.ledger.first_request}, indent=2, default=str)

"""One call of a reviewer, a challenger or the test writer. Retrying is the caller's business."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import anyio

from gatebench.agents.alone import alone
from gatebench.agents.claude_code import RoleCall, role_env, role_flags
from gatebench.agents.clock import Stopwatch
from gatebench.agents.paths import locate
from gatebench.agents.program import AgentProgram
from gatebench.agents.stream import int_of, number_of, text_of
from gatebench.errors import SpawnFailed
from gatebench.model.room import raise_if_full
from gatebench.sandbox import Command, Completed, Sandbox, clean_text

_SHOWN_CHARS = 300
MOST_WAIT_S = 1_500.0
"""For the gateway, on top of a call's own time: no stop takes longer."""


class RoleFault(StrEnum):
    """What can go wrong with a call."""

    SPAWN = "spawn_failed"
    TIMED_OUT = "timed_out"
    SILENT = "printed_nothing"
    INVALID = "invalid_json"
    FAILED = "failed"
    """A result that calls itself an error, or an exit code that does."""
    UNSTRUCTURED = "no_structured_output"


@dataclass(frozen=True)
class RoleResult:
    """What a call came to. Unknown is ``None``."""

    ok: bool
    output: dict[str, Any] | None
    """The structured answer; the caller validates it."""
    fault: RoleFault | None
    error: str | None
    """What went wrong, one sentence."""
    cost_usd: float | None
    turns: int | None
    wall_s: float
    models: tuple[str, ...]
    """Models that served it."""
    usage: dict[str, Any]
    """Tokens and cost by model, as the CLI tells them."""


async def run_role(program: AgentProgram, sandbox: Sandbox, call: RoleCall) -> RoleResult:
    """Make one call; whatever goes wrong is in the result.

    Raises:
        DiskFull: the one thing that isn't.
    """
    binds = (*call.binds(), *program.binds)
    command = Command(
        argv=(*program.command(sandbox, binds), *role_flags(call)),
        binds=binds,
        env=role_env(call, sandbox),
        cwd=locate(sandbox, binds, call.cwd.target),
        stdin=call.prompt.encode(),
        limits=call.limits,
        network=call.login is not None,
    )
    try:
        done = await _in_time(sandbox, command, call.clock)
    except SpawnFailed as error:
        raise_if_full(error)
        return _result(None, (RoleFault.SPAWN, str(error)), 0.0)
    if done is None:
        limit_s = call.limits.wall_s
        return _result(None, (RoleFault.TIMED_OUT, f"no answer within {limit_s:.0f} s."), limit_s)
    return read_role(done)


async def _in_time(sandbox: Sandbox, command: Command, clock: Stopwatch | None) -> Completed | None:
    """Run within the command's limit, waits of the gateway not counted; ``None``: it wasn't."""
    if clock is None:
        return await sandbox.run(command)
    limit_s = command.limits.wall_s
    longer = replace(command, limits=replace(command.limits, wall_s=limit_s + MOST_WAIT_S))
    done: Completed | None = None
    clock.restart()
    with alone():
        async with anyio.create_task_group() as group:

            async def end() -> None:
                await clock.wait_until(limit_s)
                group.cancel_scope.cancel()

            group.start_soon(end)
            done = await sandbox.run(longer)
            group.cancel_scope.cancel()
    return done


def read_role(done: Completed) -> RoleResult:
    """The result of a call from what its process left."""
    raw = _object(done.stdout)
    return _result(raw, _fault(done, raw), done.wall_s)


def _object(stdout: bytes) -> dict[str, Any] | None:
    try:
        raw = json.loads(stdout)
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def _fault(done: Completed, raw: dict[str, Any] | None) -> tuple[RoleFault, str] | None:
    said = clean_text(done.stderr or done.stdout, _SHOWN_CHARS).strip()
    if done.timed_out:
        return RoleFault.TIMED_OUT, f"no answer within {done.wall_s:.0f} s."
    if not done.stdout.strip():
        return RoleFault.SILENT, f"exit code {done.exit_code}, nothing printed; {said!r}."
    if raw is None:
        return RoleFault.INVALID, f"exit code {done.exit_code}, no JSON object: {said!r}."
    if raw.get("is_error") is True or done.exit_code != 0:
        why = text_of(raw, "result") or json.dumps(raw.get("errors")) or said
        kind = text_of(raw, "subtype")
        return RoleFault.FAILED, f"exit code {done.exit_code}, {kind}: {why[:_SHOWN_CHARS]}"
    if not isinstance(raw.get("structured_output"), dict):
        return RoleFault.UNSTRUCTURED, "the answer has no structured output."
    return None


def _result(
    raw: Mapping[str, Any] | None, fault: tuple[RoleFault, str] | None, wall_s: float
) -> RoleResult:
    data = dict(raw or {})
    usage = data.get("modelUsage")
    usage = usage if isinstance(usage, dict) else {}
    return RoleResult(
        ok=fault is None,
        output=None if fault else data["structured_output"],
        fault=fault[0] if fault else None,
        error=fault[1] if fault else None,
        cost_usd=number_of(data, "total_cost_usd"),
        turns=int_of(data, "num_turns"),
        wall_s=wall_s,
        models=tuple(map(str, usage)),
        usage=usage,
    )

"""One reviewer's call: made, tried once more, validated."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import anyio
from pydantic import Field, ValidationError

from gatebench.agents.claude_code import RoleCall
from gatebench.agents.paths import WORK
from gatebench.agents.roles import RoleResult, run_role
from gatebench.errors import GateFault
from gatebench.gates.base import Ground
from gatebench.model.base import Record
from gatebench.model.replay import Kept
from gatebench.model.stop import Finding, ReviewerResult, Ruling
from gatebench.model.usage import Role
from gatebench.sandbox import Bind, Limits

TRIES = 2
PAUSE_S = 3.0


class Review(Record):
    """A reviewer's answer."""

    approve: bool
    findings: tuple[Finding, ...]


class Challenge(Record):
    """A challenger's answer."""

    rulings: tuple[Ruling, ...]
    added_findings: tuple[Finding, ...] = Field(default=())


A = TypeVar("A", bound=Record)


@dataclass(frozen=True)
class Ask(Generic[A]):
    """What one role is asked."""

    role: Role
    prompt: str
    schema: Mapping[str, Any]
    answer: type[A]


@dataclass(frozen=True)
class Table:
    """Where reviewers sit: the snapshot, and what they may use."""

    ground: Ground
    stop: int
    copy: Path
    max_turns: int
    limit_s: float


@dataclass(frozen=True)
class Heard(Generic[A]):
    """What came of asking, all tries together."""

    answer: A | None
    error: str | None
    cost_usd: float | None
    turns: int | None
    wall_s: float

    def result(self, name: str) -> ReviewerResult:
        """The record's part that does not depend on the answer's kind."""
        return ReviewerResult(
            id=name,
            approve=None,
            approve_raw=None,
            cost_usd=self.cost_usd,
            turns=self.turns,
            wall_s=self.wall_s,
            error=self.error,
        )


async def hear(table: Table, ask: Ask[A]) -> Heard[A]:
    """A call's answer: the one that is remembered, else the call is made.

    Raises:
        GateFault: there is no agent to ask.
    """
    memory = table.ground.memory
    if memory is None:
        return await _hear(table, ask)
    key = _key(table, ask)
    kept = memory.recall(key)
    if kept is not None:
        return _heard(kept, ask.answer)
    heard = await _hear(table, ask)
    memory.keep(key, _kept(heard))
    return heard


def _key(table: Table, ask: Ask[A]) -> str:
    """The same for the same question to the same role."""
    model = table.ground.doors.model(ask.role)
    limits = (table.max_turns, table.limit_s)
    parts = [ask.role.value, ask.prompt, ask.schema, model, limits]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass"))
    return f"{ask.role.value}-{digest.hexdigest()[:16]}"


def _kept(heard: Heard[A]) -> Kept:
    answer = heard.answer and heard.answer.model_dump(mode="json")
    return Kept(**{**vars(heard), "answer": answer})


def _heard(kept: Kept, kind: type[A]) -> Heard[A]:
    answer = None if kept.answer is None else kind.model_validate(kept.answer)
    return Heard(answer, kept.error, kept.cost_usd, kept.turns, kept.wall_s)


async def _hear(table: Table, ask: Ask[A]) -> Heard[A]:
    """Make a call; one that fails is made once more after a pause, then it is an error."""
    results: list[RoleResult] = []
    answer: A | None = None
    error: str | None = None
    for retry in range(TRIES):
        if retry:
            await anyio.sleep(PAUSE_S)
        results.append(await _call(table, ask, retry))
        answer, error = _validated(results[-1], ask.answer)
        if answer is not None:
            break
    costs = [r.cost_usd for r in results if r.cost_usd is not None]
    turns = [r.turns for r in results if r.turns is not None]
    return Heard(
        answer=answer,
        error=error,
        cost_usd=round(sum(costs), 6) if len(costs) == len(results) else None,
        turns=sum(turns) if len(turns) == len(results) else None,
        wall_s=round(sum(r.wall_s for r in results), 3),
    )


async def _call(table: Table, ask: Ask[A], retry: int) -> RoleResult:
    ground = table.ground
    if ground.program is None:
        raise GateFault("there is no agent to review with.", "Name one.")
    with ground.doors.open(ask.role, table.stop, retry) as door:
        call = RoleCall(
            prompt=ask.prompt,
            model=ground.doors.model(ask.role),
            schema=ask.schema,
            max_turns=table.max_turns,
            cwd=Bind(table.copy, WORK),
            limits=Limits(table.limit_s),
            base_url=door.base_url,
            model_socket=ground.model_socket,
            extra=ground.environment.binds,
            login=door.login,
            clock=door.clock,
        )
        return await run_role(ground.program, ground.sandbox, call)


def _validated(result: RoleResult, kind: type[A]) -> tuple[A | None, str | None]:
    if result.error is not None:
        return None, result.error
    try:
        return kind.model_validate(result.output), None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return None, f"the answer doesn't fit the schema: {where}: {first['msg']}."

"""The test writer: from the task's words alone, before the worker starts."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import ValidationError

from gatebench.agents.claude_code import RoleCall
from gatebench.agents.paths import WORK
from gatebench.agents.roles import RoleResult, run_role
from gatebench.errors import GateFault
from gatebench.gates.acceptance import collects, complaint
from gatebench.gates.base import Ground
from gatebench.gates.checkout import private_directory
from gatebench.model.base import Filed, Record
from gatebench.model.score import WriterOutcome
from gatebench.model.usage import Role
from gatebench.sandbox import Bind, Limits
from gatebench.suites.testing import Bench

TRIES = 2
MAX_TURNS = 12
LIMIT_S = 600.0
SCHEMA = {
    "type": "object",
    "properties": {"file": {"type": "string", "description": "The whole pytest module."}},
    "required": ["file"],
    "additionalProperties": False,
}
_FRAMING = """\
You write acceptance tests for a feature that does not exist yet. Someone else will implement it;
you will not see the implementation, and they will not see your tests until they fail.

The current directory holds the library as it is now. Read what you need of it, then write ONE
self-contained pytest module:

- integration-style: use the library as its users do, through its public interface;
- one test for each behaviour that a careful senior engineer would expect from the request below,
  edge cases included;
- tests only: no implementation, no changes to the library, no conftest;
- the module must import without the feature: import what does not exist yet inside the tests;
- where the request leaves something open, do not insist on one answer.

Give the whole module's text as `file`.

The request, verbatim:

"""


class WriterTry(Record):
    """One call of the test writer."""

    ok: bool
    error: str | None
    cost_usd: float | None
    turns: int | None
    wall_s: float


class WriterRecord(Filed):
    """``testwriter.json``."""

    ok: bool
    """Whether there are acceptance tests."""
    tries: tuple[WriterTry, ...]
    attempts: int
    cost_usd: float | None
    """Of all tries; unknown if one is."""
    turns: int | None
    tests_total: int | None
    """Tests collected on upstream, parameters counted; ``None`` without acceptance tests."""
    error: str | None
    """Why there are none."""
    wall_s: float


@dataclass(frozen=True)
class Written:
    """What came of the test writer."""

    record: WriterRecord
    source: str | None
    """The module; ``None`` where no try would do."""

    def outcome(self, fail_final: int | None) -> WriterOutcome:
        """For the score."""
        record = self.record
        return WriterOutcome(record.ok, record.cost_usd, record.tests_total, fail_final)


class _Answer(Record):
    file: str


async def write_tests(ground: Ground) -> Written:
    """Have acceptance tests written; one retry where the answer won't do, then none.

    Raises:
        GateFault: there is no one to write them, or the tests can't be collected for a fault of
            ours.
    """
    tries: list[WriterTry] = []
    async with private_directory() as folder:
        copy = folder / "w"
        await anyio.to_thread.run_sync(_copy, ground.upstream, copy)
        for retry in range(TRIES):
            result = await _call(ground, copy, retry)
            source, total, error = await _examined(ground, copy, result)
            tries.append(_try(result, error))
            if error is None:
                return Written(_record(tries, total), source)
    return Written(_record(tries, None), None)


async def _call(ground: Ground, copy: Path, retry: int) -> RoleResult:
    if ground.program is None:
        raise GateFault("there is no agent to write the acceptance tests.", "Name one.")
    with ground.doors.open(Role.WRITER, None, retry) as door:
        call = RoleCall(
            prompt=_FRAMING + ground.prompt + "\n",
            model=ground.doors.model(Role.WRITER),
            schema=SCHEMA,
            max_turns=MAX_TURNS,
            cwd=Bind(copy, WORK),
            limits=Limits(LIMIT_S),
            base_url=door.base_url,
            model_socket=ground.model_socket,
            extra=ground.environment.binds,
            login=door.login,
            clock=door.clock,
        )
        return await run_role(ground.program, ground.sandbox, call)


async def _examined(ground: Ground, copy: Path, result: RoleResult) -> tuple[str, int, str | None]:
    """The module, how many tests it holds, and why it won't do."""
    if result.error is not None:
        return "", 0, result.error
    try:
        source = _Answer.model_validate(result.output, strict=True).file
    except ValidationError as error:
        return "", 0, f"the answer doesn't fit the schema: {error.errors()[0]['msg']}."
    # In the loop's own thread: Python 3.11's ast.parse, run in two threads at once, can fail.
    wrong = complaint(source)
    if wrong is not None:
        return source, 0, wrong
    bench = Bench(ground.sandbox, ground.environment)
    return source, *await collects(bench, source, copy)


def _try(result: RoleResult, error: str | None) -> WriterTry:
    return WriterTry(
        ok=error is None,
        error=error,
        cost_usd=result.cost_usd,
        turns=result.turns,
        wall_s=result.wall_s,
    )


def _record(tries: list[WriterTry], total: int | None) -> WriterRecord:
    costs = [t.cost_usd for t in tries if t.cost_usd is not None]
    turns = [t.turns for t in tries if t.turns is not None]
    return WriterRecord(
        ok=tries[-1].ok,
        tries=tuple(tries),
        attempts=len(tries),
        cost_usd=round(sum(costs), 6) if len(costs) == len(tries) else None,
        turns=sum(turns) if len(turns) == len(tries) else None,
        tests_total=total,
        error=tries[-1].error,
        wall_s=round(sum(t.wall_s for t in tries), 3),
    )


def _copy(upstream: Path, copy: Path) -> None:
    shutil.copytree(upstream, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))

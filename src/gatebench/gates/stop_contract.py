"""The Stop hook's own contract, as Claude Code keeps it: what a hook is told and what it answers.

Each rule was seen on the real command line (docs/hook.md); tests/gates/test_stop_contract.py holds
them against it again.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from gatebench.model.stop import GateStatus

BLOCKS = 2
"""The exit code that blocks, with the reason on stderr."""
NO_REASON = "Blocked by hook"
NO_STDERR = "No stderr output"
_MISSING = re.compile(r"no such file|can't open", re.IGNORECASE)
"""With these words on stderr the program takes exit 2 for a missing script: no block."""


@dataclass(frozen=True)
class Answer:
    """What a hook's answer comes to."""

    status: GateStatus
    reason: str = ""
    error: str | None = None


class _Context(BaseModel):
    additionalContext: str | None = None  # noqa: N815  # the hook's own word


class _Output(BaseModel):
    """What a hook may print; other keys are let be."""

    decision: Literal["approve", "block"] | None = None
    reason: str | None = None
    hookSpecificOutput: _Context | None = None  # noqa: N815  # the hook's own word


def hook_input(given: bytes | None, n: int, cwd: str) -> bytes:
    """What the hook reads on stdin: what the program gave its own hook, seen from the snapshot.

    Args:
        given: that input; ``None``, or no JSON object, where no hook was called.
        n: the stop's number.
        cwd: where the snapshot is for the hook.
    """
    made: dict[str, Any] = {
        "session_id": "",
        "transcript_path": "",
        "permission_mode": "acceptEdits",
        "stop_hook_active": n > 1,
        "last_assistant_message": "",
    }
    return json.dumps({**made, **_object(given), "cwd": cwd, "hook_event_name": "Stop"}).encode()


def read_answer(exit_code: int | None, stdout: str, stderr: str) -> Answer:
    """What the program would have done with such an answer.

    JSON on stdout is read whatever the exit code; without a block in it the exit code decides.

    Args:
        exit_code: ``None`` where the hook was ended from outside.
        stdout: what it printed.
        stderr: what it said besides.
    """
    printed = _object(stdout.strip().encode())
    try:
        output = _Output.model_validate(printed)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return Answer(GateStatus.ERROR, error=f"the hook's JSON has a wrong '{where}'")
    if printed.get("continue") is False:
        return Answer(GateStatus.PASS)
    context = output.hookSpecificOutput and output.hookSpecificOutput.additionalContext
    if output.decision == "block":
        return Answer(GateStatus.RED, output.reason or NO_REASON)
    if exit_code == 0:
        return Answer(GateStatus.RED, context) if context else Answer(GateStatus.PASS)
    return _by_code(exit_code, stdout, stderr)


def _by_code(exit_code: int | None, stdout: str, stderr: str) -> Answer:
    said = " ".join(stderr.split())[-300:]
    if exit_code != BLOCKS:
        return Answer(GateStatus.ERROR, error=f"the hook ended with exit code {exit_code}: {said}")
    trap = _MISSING.search(stderr)
    if trap and not stdout.strip():
        why = f"exit 2, but with '{trap[0]}' on stderr the program takes the hook for missing"
        return Answer(GateStatus.ERROR, error=f"{why} and doesn't block: {said}")
    return Answer(GateStatus.RED, stderr.strip() or NO_STDERR)


def _object(data: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(data or b"")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

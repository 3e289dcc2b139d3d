"""What a worker's session came to."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gatebench.agents.stream import (
    Assistant,
    Broken,
    Event,
    HookResponse,
    Result,
    int_of,
    number_of,
    text_of,
)


class Cause(StrEnum):
    """Why a session ended."""

    OK = "ok"
    MAX_TURNS = "error_max_turns"
    API_ERROR = "api_error"
    AGENT_ERROR = "agent_error"
    """A result that calls itself an error, for another reason."""
    TIMED_OUT = "timed_out"
    """The worker's own time was used up."""
    CRASHED = "crashed"
    """No result, and an exit code that says failure."""
    NO_RESULT = "no_result"
    """No result, and an exit code that says success."""


@dataclass(frozen=True)
class WorkerResult:
    """A worker's session, as its stream and its process tell it. Unknown is ``None``."""

    cause: Cause
    exit_code: int | None
    subtype: str | None
    """The last result's."""
    is_error: bool | None
    num_turns: int | None
    total_cost_usd: float | None
    permission_denials: int | None
    models: tuple[str, ...]
    """Models that served the session, subagents' included."""
    model_usage: dict[str, Any]
    """Tokens and cost by model, as the CLI tells them."""
    terminal_reason: str | None
    api_error_status: int | None
    text: str | None
    """The closing words."""
    session_id: str | None
    stop_responses: int
    """Stop `hook_response` messages seen."""
    broken_lines: int
    """Lines of the stream that could not be read."""
    results: int
    """Result messages seen; the last one counts."""
    timed_out: bool
    lingered: bool
    """Had to be stopped after its result."""
    worker_wall_s: float
    """The worker's own time."""
    wall_s: float
    """From start to end, gates included."""
    stderr: bytes = field(repr=False, default=b"")

    @property
    def completed(self) -> bool:
        """It ended of its own will."""
        return self.subtype == "success" and self.is_error is False


@dataclass(frozen=True)
class Ending:
    """How the process ended."""

    exit_code: int | None
    timed_out: bool
    lingered: bool
    worker_wall_s: float
    wall_s: float
    stderr: bytes


class Tally:
    """Keeps of a stream what the result needs."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.models: dict[str, None] = {}
        self.stop_responses = 0
        self.broken = 0
        self.session_id: str | None = None

    def add(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, Broken):
            self.broken += 1
            return
        self.session_id = self.session_id or text_of(event.raw, "session_id") or None
        if isinstance(event, HookResponse):
            self.stop_responses += event.event == "Stop"
        elif isinstance(event, Assistant):
            self._served(event)
        elif isinstance(event, Result):
            self.results.append(event)

    def _served(self, event: Assistant) -> None:
        message = event.raw.get("message")
        model = text_of(message, "model") if isinstance(message, dict) else ""
        if model and not model.startswith("<"):  # the CLI's own words come from "<synthetic>"
            self.models[model] = None

    def finish(self, ending: Ending) -> WorkerResult:
        """The session's record."""
        raw = self.results[-1].raw if self.results else {}
        usage = raw.get("modelUsage")
        usage = usage if isinstance(usage, dict) else {}
        denials = raw.get("permission_denials")
        is_error = raw.get("is_error")
        return WorkerResult(
            cause=classify(raw, ending),
            exit_code=ending.exit_code,
            subtype=text_of(raw, "subtype") or None,
            is_error=is_error if isinstance(is_error, bool) else None,
            num_turns=int_of(raw, "num_turns"),
            total_cost_usd=number_of(raw, "total_cost_usd"),
            permission_denials=len(denials) if isinstance(denials, list) else None,
            models=tuple(self.models | dict.fromkeys(map(str, usage))),
            model_usage=usage,
            terminal_reason=text_of(raw, "terminal_reason") or None,
            api_error_status=int_of(raw, "api_error_status"),
            text=text_of(raw, "result") if isinstance(raw.get("result"), str) else None,
            session_id=self.session_id,
            stop_responses=self.stop_responses,
            broken_lines=self.broken,
            results=len(self.results),
            timed_out=ending.timed_out,
            lingered=ending.lingered,
            worker_wall_s=ending.worker_wall_s,
            wall_s=ending.wall_s,
            stderr=ending.stderr,
        )


def classify(result: dict[str, Any], ending: Ending) -> Cause:
    """The cause, from the last result (empty where there was none) and the process's end."""
    if ending.timed_out:
        return Cause.TIMED_OUT
    if not result:
        return Cause.NO_RESULT if ending.exit_code == 0 else Cause.CRASHED
    subtype = text_of(result, "subtype")
    if subtype == "error_max_turns":
        return Cause.MAX_TURNS
    if subtype == "success" and result.get("is_error") is not True:
        return Cause.OK
    # An API error calls itself "success" with is_error; it may lack a status (no connection).
    api = subtype == "success" or int_of(result, "api_error_status") is not None
    return Cause.API_ERROR if api else Cause.AGENT_ERROR

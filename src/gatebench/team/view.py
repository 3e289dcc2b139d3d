"""What a role is shown, and what it says: the team's only contact with the world."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gatebench.model.usage import Usage


@dataclass(frozen=True)
class Text:
    """A piece of prose."""

    text: str


@dataclass(frozen=True)
class ToolUse:
    """A wish to run a tool."""

    name: str
    input: Mapping[str, Any]
    id: str = ""
    """Set on what the role said earlier; empty on a new reply."""

    def given(self, name: str) -> str:
        """One input as text; empty where it is missing. Transcripts may hold anything."""
        return str(self.input.get(name, ""))


Block = Text | ToolUse


@dataclass(frozen=True)
class Said:
    """One of the role's own earlier replies."""

    blocks: tuple[Block, ...]

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        """The tools it asked for."""
        return tuple(b for b in self.blocks if isinstance(b, ToolUse))


@dataclass(frozen=True)
class ToolResult:
    """What a tool gave back."""

    use_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Feedback:
    """A Stop hook sent the role back, with this reason."""

    text: str


Turn = Said | ToolResult | Feedback


@dataclass(frozen=True)
class Exchange:
    """One own reply with the results of its tools."""

    said: Said
    results: Mapping[str, ToolResult]
    """By tool use id."""

    def failed(self) -> tuple[ToolUse, ...]:
        """The uses whose result is an error."""
        return tuple(u for u in self.said.uses if u.id in self.results and self.error(u))

    def error(self, use: ToolUse) -> bool:
        """Whether one use failed."""
        return self.results[use.id].is_error


@dataclass(frozen=True)
class Phase:
    """The turns from one piece of feedback (or the start) to the next."""

    feedback: str | None
    """``None`` for the first phase."""
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True)
class View:
    """All a role is shown in one request."""

    prompt: str
    turns: tuple[Turn, ...] = ()
    tools: frozenset[str] = frozenset()
    """Names of the tools it may use."""
    cwd: str = "/home/dev/project"
    """Its working directory, absolute."""

    @property
    def said(self) -> tuple[Said, ...]:
        """Its own replies so far."""
        return tuple(t for t in self.turns if isinstance(t, Said))

    def phases(self) -> tuple[Phase, ...]:
        """The transcript cut at every piece of feedback; at least one phase."""
        return tuple(Phase(head, _exchanges(turns)) for head, turns in self._cut())

    def _cut(self) -> Iterator[tuple[str | None, list[Turn]]]:
        head: str | None = None
        turns: list[Turn] = []
        for turn in self.turns:
            if isinstance(turn, Feedback):
                yield head, turns
                head, turns = turn.text, []
            else:
                turns.append(turn)
        yield head, turns


def _exchanges(turns: list[Turn]) -> tuple[Exchange, ...]:
    results = {t.use_id: t for t in turns if isinstance(t, ToolResult)}
    return tuple(
        Exchange(t, {u.id: results[u.id] for u in t.uses if u.id in results})
        for t in turns
        if isinstance(t, Said)
    )


@dataclass(frozen=True)
class Reply:
    """What a role says next."""

    blocks: tuple[Block, ...]
    usage: Usage = field(default_factory=Usage)

    @property
    def stop_reason(self) -> Literal["tool_use", "end_turn"]:
        """As the Messages API names it."""
        asks = any(isinstance(b, ToolUse) for b in self.blocks)
        return "tool_use" if asks else "end_turn"

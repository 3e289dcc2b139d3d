"""Reads an agent's ``stream-json``: bytes in, typed events out; nothing in them can raise.

One JSON object a line. What isn't one (a line cut in the middle, a stray print, bytes that are no
UTF-8) comes out as `Broken` with the bytes kept, so that evidence is never lost to a parser.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any

MAX_LINE_BYTES = 32_000_000
"""A line longer than this is kept as evidence only; it would be held in memory whole."""

KEPT_OF_LONG_LINE_BYTES = 4_000


@dataclass(frozen=True)
class Broken:
    """A line that is no JSON object."""

    data: bytes
    """The line, or the head of an over-long one."""


@dataclass(frozen=True)
class Message:
    """A JSON object of a kind that needs no reading of its own."""

    raw: dict[str, Any] = field(repr=False)
    """The whole object."""

    @property
    def kind(self) -> str:
        """Its ``type``, ``""`` where it has none."""
        return text_of(self.raw, "type")

    @property
    def subtype(self) -> str:
        """Its ``subtype``, ``""`` where it has none."""
        return text_of(self.raw, "subtype")


@dataclass(frozen=True)
class Init(Message):
    """The session's first message: model, tools, session id."""


@dataclass(frozen=True)
class Assistant(Message):
    """A model turn, or a part of one."""


@dataclass(frozen=True)
class User(Message):
    """Tool results, or what the CLI says in the user's name."""

    @property
    def text(self) -> str:
        """Its text blocks, joined; tool results are no text."""
        message = self.raw.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            return content
        blocks = content if isinstance(content, list) else []
        return "\n".join(text_of(b, "text") for b in blocks if isinstance(b, dict) and "text" in b)


@dataclass(frozen=True)
class Notice(Message):
    """A word of the CLI's to its user: ``informational`` or ``notification``."""

    @property
    def text(self) -> str:
        """What it says."""
        return text_of(self.raw, "content") or text_of(self.raw, "text")


@dataclass(frozen=True)
class HookStarted(Message):
    """A hook is about to run."""

    @property
    def hook_id(self) -> str:
        """Unique per event, repeated in the response."""
        return text_of(self.raw, "hook_id")

    @property
    def event(self) -> str:
        """``Stop`` or another hook event."""
        return text_of(self.raw, "hook_event")


@dataclass(frozen=True)
class HookResponse(HookStarted):
    """A hook has ended."""

    @property
    def stdout(self) -> str:
        """What the hook printed."""
        return text_of(self.raw, "stdout")

    @property
    def exit_code(self) -> int | None:
        """Its exit code, as the CLI tells it."""
        return int_of(self.raw, "exit_code")

    @property
    def outcome(self) -> str:
        """``success``, ``error`` or ``cancelled`` (also after its time limit)."""
        return text_of(self.raw, "outcome")


@dataclass(frozen=True)
class Result(Message):
    """The session's closing message."""


Event = Broken | Message
"""What the parser gives; `Message` is the base of all readable ones."""

_SYSTEM: dict[str, type[Message]] = {
    "init": Init,
    "hook_started": HookStarted,
    "hook_response": HookResponse,
    "informational": Notice,
    "notification": Notice,
}
_KINDS: dict[str, type[Message]] = {"assistant": Assistant, "user": User, "result": Result}


def text_of(raw: dict[str, Any], key: str) -> str:
    """A string member, ``""`` where it is absent or no string."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def int_of(raw: dict[str, Any], key: str) -> int | None:
    """An integer member, ``None`` where it is absent or no integer."""
    value = raw.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number_of(raw: dict[str, Any], key: str) -> float | None:
    """A finite number, ``None`` where it is absent or none."""
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def parse_line(line: bytes) -> Event:
    """One line as an event."""
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return Broken(line)
    if not isinstance(raw, dict):
        return Broken(line)
    kind = text_of(raw, "type")
    if kind == "system":
        return _SYSTEM.get(text_of(raw, "subtype"), Message)(raw)
    return _KINDS.get(kind, Message)(raw)


class StreamParser:
    """Cuts a byte stream into lines and reads each."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> list[Event]:
        """The events that these bytes complete, in order."""
        events: list[Event] = []
        *whole, rest = data.split(b"\n")
        for piece in whole:
            self._rest += piece
            events += self._take()
            self._skipping = False
        self._rest += rest
        if len(self._rest) > MAX_LINE_BYTES:
            events += self._take()
            self._skipping = True
        return events

    def close(self) -> list[Event]:
        """What is left of a line that never ended."""
        return self._take()

    def _take(self) -> list[Event]:
        line = bytes(self._rest)
        self._rest.clear()
        if self._skipping or not line.strip():
            return []
        if len(line) > MAX_LINE_BYTES:
            return [Broken(line[:KEPT_OF_LONG_LINE_BYTES])]
        return [parse_line(line)]

"""Reading an answer as it passes: events of a stream, tokens, model, how it ended."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gatebench.gateway.faults import Fault, of_error
from gatebench.model.usage import Usage

_BEFORE_CONTENT = frozenset({"message_start", "ping"})


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    raw: bytes
    """As it came, the blank line that ends it included."""
    data: Mapping[str, Any] | None
    """``None`` where there is none (a comment) or it can't be read."""
    malformed: bool = False
    kind: str = ""
    """Its type; empty where it has none."""

    @property
    def is_content(self) -> bool:
        """Whether an answer has begun that can't be taken back."""
        return bool(self.kind) and self.kind not in _BEFORE_CONTENT


class Splitter:
    """Cuts a stream of bytes into events, whatever pieces it comes in."""

    def __init__(self) -> None:
        self.rest = b""
        """What has come of an event that isn't whole."""

    def feed(self, data: bytes) -> list[Event]:
        """The events that are whole now."""
        data = self.rest + data if self.rest else data
        events: list[Event] = []
        at = 0
        while (end := _end(data, at)) is not None:
            events.append(_event(data[at:end]))
            at = end
        self.rest = data[at:]
        return events


def _end(data: bytes, at: int) -> int | None:
    """Where the event that begins there ends; lines end in LF or in CR LF."""
    plain = data.find(b"\n\n", at)
    other = data.find(b"\r\n\r\n", at, plain if plain >= 0 else len(data))
    if other >= 0:
        return other + 4
    return plain + 2 if plain >= 0 else None


def _event(raw: bytes) -> Event:
    lines = raw.split(b"\n")
    parts = [line[5:].strip() for line in lines if line.startswith(b"data:")]
    if not parts:
        strange = any(line.strip() and b":" not in line for line in lines)
        return Event(raw, None, malformed=strange)
    try:
        data = json.loads(parts[0] if len(parts) == 1 else b"\n".join(parts))
    except (ValueError, RecursionError):
        return Event(raw, None, malformed=True)
    if not isinstance(data, dict):
        return Event(raw, None, malformed=True)
    return Event(raw, data, kind=str(data.get("type", "")))


@dataclass
class Meter:
    """What is known of an answer so far."""

    counts: dict[str, Any] = field(default_factory=dict)
    """The provider's usage object, later ones laid over earlier ones."""
    model: str | None = None
    stop_reason: str | None = None
    started: bool = False
    """A message was announced."""
    settled: bool = False
    """The final count came."""
    ended: bool = False
    """The last event came."""
    fault: Fault | None = None
    """What the answer itself shows to be wrong."""

    def see(self, event: Event) -> None:
        """Take one event in."""
        data = event.data
        if event.malformed:
            self._blame(Fault.MALFORMED)
        elif data is None:
            return
        elif event.kind == "message_start":
            self._start(data.get("message"))
        elif event.kind == "message_delta":
            self._delta(data)
        elif event.kind == "error":
            self._blame(of_error(data.get("error")))
        self.ended |= event.kind == "message_stop"

    def see_whole(self, body: bytes) -> None:
        """Take in an answer that isn't a stream."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or message.get("type") != "message":
            self._blame(Fault.MALFORMED)
            return
        self._start(message)
        self.stop_reason = _text(message.get("stop_reason"))
        self.settled, self.ended = bool(self.counts), True

    @property
    def usage(self) -> Usage:
        """Tokens so far; what wasn't told is ``None``."""
        known = {name: _count(self.counts.get(name)) for name in Usage.model_fields}
        split = self.counts.get("cache_creation")
        hour = split.get("ephemeral_1h_input_tokens") if isinstance(split, Mapping) else None
        return Usage(**{**known, "cache_creation_1h_input_tokens": _count(hour)})

    def _start(self, message: Any) -> None:
        message = message if isinstance(message, Mapping) else {}
        self.started = True
        self.model = _text(message.get("model")) or self.model
        self._lay(message.get("usage"))

    def _delta(self, data: Mapping[str, Any]) -> None:
        delta = data.get("delta")
        reason = delta.get("stop_reason") if isinstance(delta, Mapping) else None
        self.stop_reason = _text(reason) or self.stop_reason
        usage = data.get("usage")
        self._lay(usage)
        self.settled |= (
            isinstance(usage, Mapping) and _count(usage.get("output_tokens")) is not None
        )

    def _lay(self, usage: Any) -> None:
        if isinstance(usage, Mapping):
            self.counts |= {k: v for k, v in usage.items() if v is not None}

    def _blame(self, fault: Fault) -> None:
        self.fault = self.fault or fault


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole else None

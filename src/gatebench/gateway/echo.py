"""A key that the provider sends back goes no further, not even in pieces.

Whole events are looked through as they are; the text of a content block may bring a key in several
deltas, so its end is remembered. Only while more than a harmless beginning of a key stands at the
end of a block's text are events held back, until the next one tells. Everything else passes
unchanged and at once, and stars are as many as the characters they stand for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gatebench.gateway.reader import Event
from gatebench.gateway.secret import Hider

_HARMLESS = 8
"""Characters at the start of a key that every key of the provider has."""
_TEXTS = ("text", "partial_json", "thinking", "signature")


class EchoGuard:
    """Passes one stream's events on, without keys."""

    def __init__(self, hider: Hider) -> None:
        self._hider = hider
        self._keys = tuple(value.decode() for value in hider.values)
        self._held: list[Event] = []
        self._tails: dict[Any, str] = {}
        """By block: the end of its text, as long as a key can still begin in it."""

    def feed(self, events: Iterable[Event]) -> bytes:
        """What may be passed on now."""
        return b"".join(piece for event in events for piece in self._take(event))

    def flush(self, rest: bytes = b"") -> bytes:
        """Everything left at the end of a stream, with the piece of an event that came last."""
        held = b"".join(self._release())
        return held + self._hider.clean(rest)

    def _take(self, event: Event) -> Iterator[bytes]:
        if not self._keys:
            yield event.raw
            return
        place = _place(event)
        if place is None:
            if event.kind != "ping":
                yield from self._release()
            yield self._hider.clean(event.raw)
            return
        self._held.append(event)
        yield from self._after(*place)

    def _after(self, index: Any, text: str) -> Iterator[bytes]:
        """What the newest delta, held already, decides."""
        whole = self._tails.get(index, "") + text
        key = next((k for k in self._keys if k in whole), None)
        if key is not None:
            self._held = _starred(self._held, whole, key)
            whole = whole.replace(key, "*" * len(key))
        begun = max((_overlap(whole, k) for k in self._keys), default=0)
        self._tails[index] = whole[-max(map(len, self._keys)) :]
        if begun <= _HARMLESS:
            yield from self._release()

    def _release(self) -> Iterator[bytes]:
        held, self._held = self._held, []
        for event in held:
            yield self._hider.clean(event.raw)


def _place(event: Event) -> tuple[Any, str] | None:
    """The block and the text of a delta; ``None`` for other events."""
    data = event.data
    if data is None or event.kind != "content_block_delta":
        return None
    delta = data.get("delta")
    if not isinstance(delta, Mapping):
        return None
    text = next((delta[name] for name in _TEXTS if isinstance(delta.get(name), str)), None)
    return None if text is None else (data.get("index"), text)


def _overlap(text: str, key: str) -> int:
    """Characters of the longest beginning of the key that the text ends in; few are none."""
    start = text.rfind(key[: _HARMLESS + 1])
    if start < 0:
        return 0
    ending = text[start:]
    return len(ending) if key.startswith(ending) else 0


def _starred(held: list[Event], whole: str, key: str) -> list[Event]:
    """The held deltas, which end where the text ends, with stars where the key was."""
    clean = whole.replace(key, "*" * len(key))
    left = len(clean)
    fresh: list[Event] = []
    for event in reversed(held):
        place = _place(event)
        if place is None or place[0] != _index(held[-1]):
            fresh.append(event)
            continue
        size = min(len(place[1]), left)
        fresh.append(_with_text(event, clean[left - size : left]))
        left -= size
    return fresh[::-1]


def _index(event: Event) -> Any:
    return event.data.get("index") if event.data else None


def _with_text(event: Event, text: str) -> Event:
    """The same delta with another text; unchanged bytes where the text is the same."""
    place = _place(event)
    if place is None or place[1] == text or event.data is None:
        return event
    old = event.data["delta"]
    name = next(n for n in _TEXTS if isinstance(old.get(n), str))
    data = {**event.data, "delta": {**old, name: text}}
    return Event(
        f"event: {event.kind}\ndata: {json.dumps(data)}\n\n".encode(), data, kind=event.kind
    )

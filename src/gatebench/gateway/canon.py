"""Digests of a request up to what may differ between two runs of the same thing.

Not compared, wherever they stand: metadata and the billing line (`fingerprint.shown`), marks for
the provider's cache, ids of tool uses, and in every text what `VOLATILE` names. All else is: the
prompt, the tools, every message, the parameters.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from gatebench.gateway.fingerprint import shown
from gatebench.gateway.site import Request
from gatebench.model.base import Record

VOLATILE: Mapping[str, re.Pattern[str]] = {
    "dates and times": re.compile(
        r"\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,2},?"
        r"(?: +\d\d:\d\d(?::\d\d)?| +20\d\d)\b"
    ),
    "durations": re.compile(r"\b\d+\.\d+ ?(?:ms|s|sec|seconds)\b|\b\d+ ?ms\b"),
    "temporary paths": re.compile(r"/tmp/[^\s\"'`,:;)]+"),  # noqa: S108  # a pattern, no file
    "UUIDs": re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"),
    "addresses": re.compile(r"\b0x[0-9a-f]{6,}\b"),
    "commit ids": re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"),
    "kernels": re.compile(r"OS Version: [^\n]*"),
    "rulers": re.compile(r"={3,}"),
}
"""What two runs of the same thing may show differently in a text: pytest tells how long it took and
draws a ruler around it, ``ls -l`` tells when, a traceback where in memory, the CLI its kernel."""
_IDS = frozenset(("id", "tool_use_id"))
_UNSEEN = frozenset(("cache_control",))
_PARTS = ("system", "tools", "messages")


class Digests(Record):
    """A request by its parts; 16 hex digits each."""

    parameters: str
    system: str
    tools: str
    messages: tuple[str, ...]

    def difference(self, other: "Digests") -> str:
        """What differs first from another request; empty where nothing does."""
        for name in ("parameters", "system", "tools"):
            if getattr(self, name) != getattr(other, name):
                return f"its {name} differ"
        pairs = zip(self.messages, other.messages, strict=False)
        for number, (mine, theirs) in enumerate(pairs, start=1):
            if mine != theirs:
                return f"message {number} of {len(self.messages)} differs"
        if len(self.messages) != len(other.messages):
            return f"it has {len(self.messages)} messages and not {len(other.messages)}"
        return ""


def digests(request: Request) -> Digests:
    """The digests of a request."""
    whole = shown(request)
    messages = whole.get("messages")
    return Digests(
        parameters=_digest({k: v for k, v in whole.items() if k not in _PARTS}),
        system=_digest(whole.get("system")),
        tools=_digest(whole.get("tools")),
        messages=tuple(map(_digest, messages if isinstance(messages, list) else [])),
    )


def _digest(value: Any) -> str:
    text = json.dumps(_steady(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _steady(value: Any) -> Any:
    """A value without what may differ."""
    if isinstance(value, str):
        for name, pattern in VOLATILE.items():
            value = pattern.sub(f"<{name}>", value)
        return value
    if isinstance(value, list):
        return [_steady(item) for item in value]
    if isinstance(value, Mapping):
        kept = {k: v for k, v in value.items() if k not in _UNSEEN}
        return {k: "" if k in _IDS else _steady(v) for k, v in kept.items()}
    return value

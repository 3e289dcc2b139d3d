"""What a blocked agent is told: short, clean, and nothing of the bench."""

from collections.abc import Iterable

from gatebench.model.stop import GateResult, GateStatus
from gatebench.sandbox import clean_text

LIMIT_CHARS = 1_500
EMPTY = "The work is not done yet; please check it again."


def build_reason(gates: Iterable[GateResult]) -> str:
    """The reasons of the red gates, in order, within the limit.

    Gates show paths as the agent sees them; what they quote is test output and reviewers' words, so
    it is cleaned here once more whatever they did.
    """
    parts = [gate.reason.strip() for gate in gates if gate.status is GateStatus.RED]
    text = clean_text("\n\n".join(p for p in parts if p).encode()).strip()
    return shorten(text, LIMIT_CHARS) or EMPTY


def shorten(text: str, limit: int) -> str:
    """At most so many characters: the head says what failed, the tail how; the middle goes."""
    mark = "\n[…]\n"
    if len(text) <= limit:
        return text
    head = limit * 2 // 5
    return text[:head].rstrip() + mark + text[-(limit - head - len(mark)) :].lstrip()

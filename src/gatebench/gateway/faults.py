"""What can go wrong with a model call: who broke it, whether it is tried again, what a trial is
worth then. One table; docs/live.md shows it, and a test compares the two.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gatebench.model.usage import Call


class Fault(StrEnum):
    """The classes of what can go wrong on the way to a model and back."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    STALLED = "stalled"
    CUT = "cut"
    MALFORMED = "malformed"
    USAGE_LIMIT = "usage_limit"
    CREDENTIAL = "credential"
    CREDIT = "credit"
    REFUSED = "refused"
    OTHER_MODEL = "other_model"
    USAGE_MISSING = "usage_missing"
    BUDGET = "budget"
    PINNED = "pinned"
    MISMATCH = "mismatch"
    CLIENT_GONE = "client_gone"


@dataclass(frozen=True)
class Rule:
    """What a class means."""

    broke: str
    """``provider``, ``network``, ``user`` (to be put right by who runs the job) or ``agent``."""
    retried: bool
    """By the gateway, as long as nothing of an answer has been passed on."""
    valid: bool
    """Whether a trial whose session ended over it counts."""
    drains: bool
    """Whether the job starts no more trials."""
    says: str
    """What it is."""


RULES: Mapping[Fault, Rule] = {
    Fault.RATE_LIMITED: Rule(
        "provider", True, False, False, "HTTP 429: too many requests or tokens at once"
    ),
    Fault.OVERLOADED: Rule(
        "provider", True, False, False, "HTTP 529, or an overloaded error inside a stream"
    ),
    Fault.SERVER_ERROR: Rule("provider", True, False, False, "any other HTTP 5xx"),
    Fault.CONNECTION: Rule(
        "network", True, False, False, "no connection, or one that was reset before the answer"
    ),
    Fault.STALLED: Rule("provider", True, False, False, "no byte for as long as patience lasts"),
    Fault.CUT: Rule("network", True, False, False, "a stream that ended before its last event"),
    Fault.MALFORMED: Rule("provider", True, False, False, "events or an answer that can't be read"),
    Fault.USAGE_LIMIT: Rule(
        "user", True, False, True, "a limit that lifts at a set time; waited for if it is near"
    ),
    Fault.CREDENTIAL: Rule("user", False, False, True, "HTTP 401 or 403: the key won't do"),
    Fault.CREDIT: Rule("user", False, False, True, "the account has no credit"),
    Fault.REFUSED: Rule(
        "agent", False, True, False, "any other HTTP 4xx: the provider won't take the request"
    ),
    Fault.OTHER_MODEL: Rule(
        "provider", False, True, False, "another model than asked for answered (`model_ok` tells)"
    ),
    Fault.USAGE_MISSING: Rule(
        "provider", False, True, False, "a whole answer that doesn't tell its tokens"
    ),
    Fault.BUDGET: Rule("user", False, False, False, "a budget is used up; the job's own drains it"),
    Fault.PINNED: Rule(
        "agent", False, True, False, "the agent asked for a model that its role doesn't have"
    ),
    Fault.MISMATCH: Rule("user", False, False, True, "playback: not the request that was recorded"),
    Fault.CLIENT_GONE: Rule("agent", False, True, False, "the agent hung up before the end"),
}

UNAUTHORIZED, PAYMENT, FORBIDDEN, TOO_MANY, OVERLOAD = 401, 402, 403, 429, 529
_OK, _CLIENT, _SERVER = 200, 400, 500
_LIMIT = re.compile(
    r"usage limits?\b|limit reached|(?:reached|hit|exceeded) your .{0,40}limit|regain access",
    re.IGNORECASE,
)
_CREDIT = re.compile(r"credit balance|insufficient (?:credit|funds|balance)", re.IGNORECASE)
_BY_TYPE = {
    "overloaded_error": Fault.OVERLOADED,
    "rate_limit_error": Fault.RATE_LIMITED,
    "authentication_error": Fault.CREDENTIAL,
    "permission_error": Fault.CREDENTIAL,
    "billing_error": Fault.CREDIT,
    "invalid_request_error": Fault.REFUSED,
    "not_found_error": Fault.REFUSED,
    "request_too_large": Fault.REFUSED,
}


def of_answer(status: int, body: bytes) -> Fault | None:
    """The class of a whole answer; ``None`` for a good one."""
    if status == _OK:
        return None
    said = body[:4_000].decode(errors="replace")
    if status < _SERVER and (found := of_text(said)):
        return found
    if status in {UNAUTHORIZED, FORBIDDEN}:
        return Fault.CREDENTIAL
    named = {PAYMENT: Fault.CREDIT, TOO_MANY: Fault.RATE_LIMITED, OVERLOAD: Fault.OVERLOADED}
    if status in named:
        return named[status]
    return Fault.REFUSED if _CLIENT <= status < _SERVER else Fault.SERVER_ERROR


def of_error(error: Any) -> Fault:
    """The class of an error event inside a stream."""
    error = error if isinstance(error, Mapping) else {}
    by_text = of_text(str(error.get("message", "")))
    return by_text or _BY_TYPE.get(str(error.get("type")), Fault.SERVER_ERROR)


def of_text(said: str) -> Fault | None:
    """Limits and empty accounts are told by words alone."""
    if _CREDIT.search(said):
        return Fault.CREDIT
    return Fault.USAGE_LIMIT if _LIMIT.search(said) else None


def message_of(body: bytes) -> str:
    """What a provider's error says, for people."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, RecursionError, LookupError, TypeError):
        return body[:300].decode(errors="replace")


def verdict(calls: Iterable[Call]) -> Fault | None:
    """Why a session that ended in an API error ended, from its role's calls in order.

    Returns:
        The class of the last call where that one failed; ``None`` if the gateway knows of none.
    """
    last = next(iter(reversed(tuple(calls))), None)
    return None if last is None or last.fault is None else Fault(last.fault)

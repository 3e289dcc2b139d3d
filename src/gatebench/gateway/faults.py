"""What can go wrong with a model call: who broke it, is it tried again, does the trial count.

One table, `RULES`; docs/live.md shows it, and a test compares the two.
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
    TRIAL_BUDGET = "trial_budget"
    PINNED = "pinned"
    MISMATCH = "mismatch"
    CLIENT_GONE = "client_gone"


@dataclass(frozen=True)
class Rule:
    """What a class means."""

    broke: str
    """``provider``, ``network``, ``user`` (to be put right by who runs the job) or ``agent``."""
    says: str
    """What it is."""
    retried: bool
    """By the gateway, as long as nothing of an answer has been passed on."""
    valid: bool
    """Whether a trial whose session ended over it counts."""
    drains: bool = False
    """Whether the job starts no more trials."""


_LATER = {"retried": True, "valid": False}
"""Tried again by the gateway; a trial that ended over it all the same says nothing."""
_USER = {"retried": False, "valid": False, "drains": True}
"""Nothing goes on until the user has done something."""
_COUNTS = {"retried": False, "valid": True}
"""The trial stands."""

RULES: Mapping[Fault, Rule] = {
    Fault.RATE_LIMITED: Rule("provider", "HTTP 429: too many requests or tokens at once", **_LATER),
    Fault.OVERLOADED: Rule("provider", "HTTP 529, or an overloaded error in a stream", **_LATER),
    Fault.SERVER_ERROR: Rule("provider", "any other HTTP 5xx, or such an error", **_LATER),
    Fault.CONNECTION: Rule("network", "no connection, or one reset before an answer", **_LATER),
    Fault.STALLED: Rule("provider", "no byte for as long as patience lasts", **_LATER),
    Fault.CUT: Rule("network", "an answer that ended before its end", **_LATER),
    Fault.MALFORMED: Rule("provider", "events or an answer that can't be read", **_LATER),
    Fault.USAGE_LIMIT: Rule(
        "user",
        "a limit that lifts at a set time; waited for if that is near",
        drains=True,
        **_LATER,
    ),
    Fault.CREDENTIAL: Rule("user", "HTTP 401 or 403: the key won't do", **_USER),
    Fault.CREDIT: Rule("user", "the account has no credit left", **_USER),
    Fault.REFUSED: Rule("agent", "any other HTTP 4xx: the request won't do", **_COUNTS),
    Fault.OTHER_MODEL: Rule("provider", "another model answered than was asked", **_COUNTS),
    Fault.USAGE_MISSING: Rule("provider", "a whole answer that doesn't tell its tokens", **_COUNTS),
    Fault.BUDGET: Rule("user", "the job's budget is used up", **_USER),
    Fault.TRIAL_BUDGET: Rule(
        "user", "the trial's own budget, or a role's in it, is used up", retried=False, valid=False
    ),
    Fault.PINNED: Rule("user", "a model asked for that the role doesn't have", **_USER),
    Fault.MISMATCH: Rule("user", "playback: not the request that was recorded", **_USER),
    Fault.CLIENT_GONE: Rule("agent", "the agent hung up before the end", **_COUNTS),
}

UNAUTHORIZED, PAYMENT, FORBIDDEN, TOO_MANY, OVERLOAD = 401, 402, 403, 429, 529
_OK, _CLIENT, _SERVER = 200, 400, 500
_LIMIT = re.compile(
    r"usage limits?\b|(?:session|weekly|daily|monthly|spend(?:ing)?|\d+-hour) limit"
    r"|(?:hit|reached) your limit|regain access",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate limit|per[- ]minute", re.IGNORECASE)
"""Passes by itself, in seconds."""
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
    return Fault.USAGE_LIMIT if _LIMIT.search(said) and not _RATE.search(said) else None


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

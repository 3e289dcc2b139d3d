"""What a provider can do wrong, and when it shall."""

import random
from collections.abc import Callable, Mapping
from enum import StrEnum

Plan = Callable[[int], "Fault | None"]
"""Number of a model call, from 1, in the order of arrival: what goes wrong with it."""


class Fault(StrEnum):
    """What is injected."""

    TOO_MANY = "429"
    TOO_MANY_LATER = "429 with retry-after"
    OVERLOADED = "529"
    BROKEN = "500"
    RESET = "connection reset"
    CUT = "stream cut in mid-event"
    CUT_EARLY = "stream cut before content"
    STALL = "stream that stalls"
    STALL_EARLY = "stream that stalls before content"
    MALFORMED = "malformed event"
    MALFORMED_EARLY = "malformed event before content"
    OTHER_MODEL = "other model"
    NO_USAGE = "usage missing"
    OVERLOADED_EVENT = "overloaded event before content"
    OVERLOADED_LATE = "overloaded event after content"
    LIMIT = "usage limit that lifts soon"
    LIMIT_FAR = "usage limit that lifts much later"
    UNAUTHORIZED = "401"
    NO_CREDIT = "no credit"
    REFUSED = "400"
    ECHO = "the key sent back"
    ECHO_PIECES = "the key sent back in pieces"


def always(fault: Fault) -> Plan:
    return lambda _number: fault


def by_number(faults: Mapping[int, Fault]) -> Plan:
    return faults.get


def sometimes(seed: int, rate: float, faults: tuple[Fault, ...]) -> Plan:
    """Each call goes wrong with that probability; the same calls for the same seed."""

    def plan(number: int) -> Fault | None:
        draw = random.Random(f"{seed}/{number}")  # noqa: S311  # a test, no secret
        return draw.choice(faults) if draw.random() < rate else None

    return plan

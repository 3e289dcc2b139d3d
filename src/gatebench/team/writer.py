"""The simulated test writer: an acceptance module from the task's words alone."""

from enum import StrEnum

from gatebench.team import words
from gatebench.team.seat import Seat
from gatebench.team.structured import answer
from gatebench.team.view import Block, View

_BROKEN = "import pytest\n\n\ndef test_feature(:\n    pass\n"
_TESTLESS = '"""Acceptance tests."""\n\nimport pytest\n'


class Kind(StrEnum):
    """How a requirement is tested."""

    VISIBLE = "visible"
    """Fails exactly where the requirement is missing."""
    HEDGED = "hedged"
    """Accepts the violation too."""
    STRICT = "strict"
    """Fails on right code too."""


def fails(seat: Seat) -> bool:
    """Whether this try hands in a file that won't do."""
    return seat.happens(seat.profile.writer.fail, "fail", seat.retry)


def choose(seat: Seat) -> dict[str, Kind]:
    """The kind of test per covered requirement; never empty."""
    cover = seat.profile.writer.cover
    covered = [r for r in seat.requirements if seat.holds(r, "cover", cover, "cover")]
    return {r: _kind(seat, r) for r in covered or [*seat.requirements][:1]}


def module(seat: Seat, choice: dict[str, Kind]) -> str:
    """The acceptance file's text."""
    material = seat.requirements
    tests = [getattr(material[r], kind.value).code for r, kind in choice.items()]
    return words.module(seat.material.imports, tests)


def speak(seat: Seat, view: View) -> tuple[Block, ...]:
    """The writer's next reply."""
    if fails(seat):
        text = _BROKEN if seat.happens(0.5, "how", seat.retry) else _TESTLESS
    else:
        text = module(seat, choose(seat))
    return answer(view, {"file": text})


def _kind(seat: Seat, requirement: str) -> Kind:
    chances = seat.profile.writer
    if seat.holds(requirement, "strict", chances.strict, "strict"):
        return Kind.STRICT
    key = "hedge_stated" if requirement in seat.stated else "hedge_unstated"
    hedges = seat.holds(requirement, key, getattr(chances, key), "hedge")
    return Kind.HEDGED if hedges else Kind.VISIBLE

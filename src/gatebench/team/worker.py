"""What the simulated worker decides: drawn here, performed in `script` or played in `play`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gatebench.model.material import RequirementMaterial, TaskMaterial
from gatebench.team.seat import Seat

_TELLING = 60
"""Characters of a finding that suffice to know it: reasons are cut."""


@dataclass(frozen=True)
class Outcome:
    """Where the work stands after a phase."""

    subset: frozenset[str]
    """Ids of the requirements that the tree satisfies."""
    started: bool
    """Whether anything was implemented yet; without it the tree is upstream's."""
    acted: bool
    """Whether the phase used tools; otherwise the worker answered by text alone."""


def first(seat: Seat) -> Outcome:
    """The first attempt (phase 0)."""
    if seat.happens(seat.profile.worker.idle, "idle"):
        return Outcome(seat.guards, started=False, acted=False)
    return _attempt(seat)


def fix(seat: Seat, k: int, before: Outcome, named: frozenset[str]) -> Outcome:
    """The answer to the ``k``-th block (from 1).

    Args:
        seat: the worker's.
        k: which block it is.
        before: where the work stood.
        named: ids of the requirements that the feedback names (`named_in`).
    """
    chances = seat.profile.worker
    if seat.happens(chances.refuse, "refuse", k):
        return Outcome(before.subset, before.started, acted=False)
    if not before.started:
        return _attempt(seat)
    gained = {
        r for r in named - before.subset if seat.holds(r, "fix_named", chances.fix_named, "fix", k)
    }
    lost = _broken(seat, k, before.subset - named)
    return Outcome((before.subset | gained) - lost, started=True, acted=True)


def named_in(material: TaskMaterial, feedback: str) -> frozenset[str]:
    """The requirements that a text names, by an acceptance test or a finding of the material."""
    flat = flatten(feedback)
    words = frozenset(re.findall(r"\w+", feedback))
    return frozenset(
        r for r, own in material.requirements.items() if words & _names(own) or mentions(flat, own)
    )


def mentions(flat: str, own: RequirementMaterial) -> bool:
    """Whether a flattened text holds a finding about one requirement, its end cut off or not."""
    return any(flatten(wording)[:_TELLING] in flat for wording in own.findings)


def flatten(text: str) -> str:
    """The text with every run of white space as one space: line breaks don't hide a wording."""
    return " ".join(text.split())


def hunts(seat: Seat, k: int) -> bool:
    """Whether the worker looks for the tests in phase ``k`` (from 0)."""
    return seat.happens(seat.profile.worker.hunt, "hunt", k)


def writes_tests(seat: Seat) -> bool:
    """Whether the worker adds tests of its own."""
    return seat.happens(seat.profile.worker.own_tests, "own_tests")


def runs_tests(seat: Seat, k: int) -> bool:
    """Whether it runs the library's tests before its k-th stop (from 0)."""
    return seat.happens(seat.profile.worker.runs_tests, "runs_tests", k)


def pick(seat: Seat, options: Iterable[str], *parts: object) -> str:
    """One of some texts; empty when there are none."""
    choices = tuple(options)
    return seat.rng("words", *parts).choice(choices) if choices else ""


def _attempt(seat: Seat) -> Outcome:
    subset = frozenset(r for r in seat.requirements if _satisfies(seat, r))
    return Outcome(subset, started=True, acted=True)


def _satisfies(seat: Seat, requirement: str) -> bool:
    chances = seat.profile.worker
    if requirement in seat.guards:
        return seat.holds(requirement, "first_guard", chances.first_guard, "first")
    if requirement in seat.stated:
        return seat.holds(requirement, "first_stated", chances.first_stated, "first")
    return seat.holds(requirement, "first_unstated", chances.first_unstated, "first")


def _broken(seat: Seat, k: int, held: frozenset[str]) -> frozenset[str]:
    """What acting on the ``k``-th block breaks: at most one requirement."""
    if not held or not seat.happens(seat.profile.worker.break_another, "break", k):
        return frozenset()
    return frozenset({seat.rng("broken", k).choice(sorted(held))})


def _names(own: RequirementMaterial) -> frozenset[str]:
    return frozenset({own.visible.name, own.hedged.name, own.strict.name})

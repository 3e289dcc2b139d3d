"""The team without processes: a whole trial from the same draws that the gateway speaks.

What the real gates do with a tree is stood in for by what the material promises: a visible test
fails where its requirement is missing, a hedged one never, a strict one always; on an untouched
tree every test fails that isn't about a guard. The library's own tests fail where a requirement is
missing that they cover, and name none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gatebench.model.stop import Decision, Severity
from gatebench.model.usage import Role
from gatebench.team import challenger, reviewer, worker, writer
from gatebench.team.seat import Seat
from gatebench.team.structured import Answer
from gatebench.team.worker import Outcome
from gatebench.team.writer import Kind

TRIES = (0, 1)
"""A call that fails is made once again."""


@dataclass(frozen=True)
class Gates:
    """What stands in front of the worker."""

    tests: bool = False
    review: Literal["indep", "adv"] | None = None
    give_up: int = 6
    """Blocks after which a would-be block becomes ``give_up``."""
    run_all: bool = False
    """Review although the tests were red."""


@dataclass(frozen=True)
class PlayedStop:
    """One stop."""

    n: int
    subset: frozenset[str]
    """Ids of the requirements that the tree satisfies."""
    red: tuple[str, ...]
    """The gates that said red, by name."""
    named: frozenset[str]
    """Ids of the requirements that the reason names."""
    errors: int
    """Review calls that failed, after their retry."""
    decision: Decision


@dataclass(frozen=True)
class _Said:
    """One gate's word."""

    red: bool = False
    named: frozenset[str] = frozenset()
    errors: int = 0


def play(seat: Seat, gates: Gates) -> tuple[PlayedStop, ...]:
    """Play one trial to its end.

    Args:
        seat: the worker's; the other roles sit in the same trial.
        gates: the configuration.

    Returns:
        the stops in order; the last one allows or gives up.
    """
    now = worker.first(seat)
    tests = _acceptance(seat) if gates.tests else {}
    own = now.subset if now.started and worker.writes_tests(seat) else frozenset()
    stops = [_stop(seat, gates, 1, (now, _tests(seat, now, tests, own)))]
    while stops[-1].decision is Decision.BLOCK:
        now = worker.fix(seat, len(stops), now, stops[-1].named)
        said = _tests(seat, now, tests, own)
        stops.append(_stop(seat, gates, len(stops) + 1, (now, said)))
    return tuple(stops)


def _stop(seat: Seat, gates: Gates, n: int, state: tuple[Outcome, _Said]) -> PlayedStop:
    now, tests = state
    first = tests if gates.tests else _Said()
    reviews = gates.review and (gates.run_all or not first.red)
    second = _review(seat, n, now, adv=gates.review == "adv") if reviews else _Said()
    red = tuple(name for name, said in (("tests", first), ("review", second)) if said.red)
    decision = Decision.ALLOW
    if red:
        decision = Decision.BLOCK if n <= gates.give_up else Decision.GIVE_UP
    return PlayedStop(n, now.subset, red, first.named | second.named, second.errors, decision)


def _acceptance(seat: Seat) -> Mapping[str, Kind]:
    """The kinds of the acceptance tests; empty where the writer failed twice."""
    own = replace(seat, role=Role.WRITER)
    usable = any(not writer.fails(replace(own, retry=n)) for n in TRIES)
    return writer.choose(own) if usable else {}


def _tests(seat: Seat, now: Outcome, acceptance: Mapping[str, Kind], own: frozenset[str]) -> _Said:
    """The ``tests`` gate: acceptance tests, and the suite with the worker's own tests in it."""
    untouched = frozenset() if now.started else frozenset(seat.requirements) - seat.guards
    failing = {r for r, kind in acceptance.items() if r in untouched or _fails(kind, r, now)}
    breaks = now.started and bool(seat.covered - now.subset)
    # The suite ends at its first failure, and the library's own tests come first.
    named = frozenset(failing) if breaks else frozenset(failing | (own - now.subset))
    return _Said(breaks or bool(named), named)


def _fails(kind: Kind, requirement: str, now: Outcome) -> bool:
    missing = requirement not in now.subset
    return kind is Kind.STRICT or (kind is Kind.VISIBLE and missing)


def _review(seat: Seat, n: int, now: Outcome, *, adv: bool) -> _Said:
    """The ``review`` gate."""
    a, error_a = _reviewer(replace(seat, role=Role.REVIEWER_A, stop=n), now)
    if adv:
        return _challenged(replace(seat, role=Role.CHALLENGER, stop=n), now, (a, error_a))
    b, error_b = _reviewer(replace(seat, role=Role.REVIEWER_B, stop=n), now)
    return _told((*a, *b), error_a + error_b)


def _reviewer(seat: Seat, now: Outcome) -> tuple[tuple[Answer, ...], int]:
    """One reviewer's findings, and 1 if both tries failed."""
    if all(reviewer.errs(replace(seat, retry=n)) for n in TRIES):
        return (), 1
    return reviewer.judge(seat, now.subset), 0


def _challenged(seat: Seat, now: Outcome, found: tuple[tuple[Answer, ...], int]) -> _Said:
    findings, error_a = found
    if all(challenger.errs(replace(seat, retry=n)) for n in TRIES):
        return _Said(errors=error_a + 1)
    about = tuple(f.requirement for f in findings)
    rulings = challenger.judge(seat, about)
    upheld = tuple(f for f, kept in zip(findings, rulings, strict=True) if kept)
    return _told((*upheld, *challenger.added(seat, now.subset, about)), error_a)


def _told(findings: tuple[Answer, ...], errors: int) -> _Said:
    blocking = [f for f in findings if f.severity is Severity.BLOCKING]
    named = frozenset(f.requirement for f in blocking if f.requirement)
    return _Said(bool(blocking), named, errors)

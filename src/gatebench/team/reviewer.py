"""The simulated reviewer: sees a diff, reports what is missing, and sometimes what isn't."""

from collections.abc import Mapping
from typing import Any

from gatebench.model.stop import Severity
from gatebench.team import diffs, words
from gatebench.team.seat import Seat
from gatebench.team.structured import Answer, answer
from gatebench.team.view import Block, ToolUse, View


def errs(seat: Seat) -> bool:
    """Whether this try ends without an answer."""
    return seat.happens(seat.profile.reviewer.error, "error", seat.retry)


def judge(seat: Seat, satisfied: frozenset[str]) -> tuple[Answer, ...]:
    """The findings of one call.

    Args:
        seat: reviewer A's or B's, at one stop.
        satisfied: ids of the requirements that the diff satisfies.
    """
    chances = seat.profile.reviewer
    missing = [r for r in seat.requirements if r not in satisfied]
    findings = [finding(seat, r) for r in missing if seat.holds(r, "find", chances.find, "find")]
    if seat.happens(chances.false_blocking, "false_blocking"):
        findings += _remark(seat, seat.material.false_findings, Severity.BLOCKING)
    if seat.happens(chances.minor, "minor"):
        findings += _remark(seat, seat.material.minor_findings, Severity.MINOR)
    return tuple(findings)


def finding(seat: Seat, requirement: str) -> Answer:
    """What is said about a missing requirement."""
    own = seat.requirements[requirement]
    text = seat.rng("wording", requirement).choice(own.findings)
    return Answer(Severity.BLOCKING, own.file, text, own.hunk, requirement)


def _remark(
    seat: Seat, options: tuple[tuple[str, str], ...], severity: Severity
) -> tuple[Answer, ...]:
    if not options:
        return ()
    file, text = seat.rng("remark", severity.value).choice(options)
    return (Answer(severity, file, text),)


def speak(seat: Seat, view: View) -> tuple[Block, ...]:
    """The reviewer's next reply: a look at the file, then the answer."""
    seen = diffs.read(view.prompt)
    look = first_look(view, seen)
    if look and not view.said:
        return look
    return answer(view, None if errs(seat) else _output(seat, seen))


def first_look(view: View, seen: diffs.Seen) -> tuple[Block, ...]:
    """One Read of a file that the diff touches, where Read is to be had."""
    if "Read" not in view.tools or not seen.files:
        return ()
    use = ToolUse("Read", {"file_path": f"{view.cwd}/{min(seen.files)}"})
    return words.LOOK, use


def satisfied_by(seat: Seat, seen: diffs.Seen) -> frozenset[str]:
    """The requirements that a diff satisfies, as the seat knows or reads it."""
    if seat.satisfied is not None:
        return seat.satisfied
    ids = tuple(seat.requirements)
    return diffs.recognise(seen, seat.material.blueprint, ids, seat.guards)


def _output(seat: Seat, seen: diffs.Seen) -> Mapping[str, Any]:
    found = judge(seat, satisfied_by(seat, seen))
    approve = all(f.severity is not Severity.BLOCKING for f in found)
    return {"approve": approve, "findings": [f.as_json(seen) for f in found]}

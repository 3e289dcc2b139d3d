"""The simulated challenger: rules on the reviewer's findings and adds what it missed."""

import re
from collections.abc import Mapping
from typing import Any

from gatebench.team import diffs, reviewer
from gatebench.team.seat import Seat
from gatebench.team.structured import Answer, answer
from gatebench.team.view import Block, View
from gatebench.team.worker import flatten, mentions

_ENTRY = re.compile(r"^\s*(\d+)[.):]\s+(.+)$")
_HEADING = re.compile(r"findings?\b.*:\s*$", re.IGNORECASE)
_REASONS = {
    True: "Confirmed: the change behaves as the finding says.",
    False: "Not a defect: the behaviour follows from the request.",
}


def errs(seat: Seat) -> bool:
    """Whether this try ends without an answer."""
    return seat.happens(seat.profile.challenger.error, "error", seat.retry)


def judge(seat: Seat, about: tuple[str | None, ...]) -> tuple[bool, ...]:
    """Upheld or not, per finding.

    Args:
        seat: the challenger's, at one stop.
        about: per finding the missing requirement it is about; ``None`` where it is wrong.
    """
    return tuple(_upholds(seat, n, r) for n, r in enumerate(about, start=1))


def added(
    seat: Seat, satisfied: frozenset[str], about: tuple[str | None, ...]
) -> tuple[Answer, ...]:
    """The findings that the challenger adds: missing requirements no finding is about."""
    chance = seat.profile.challenger.add_missed
    missing = [r for r in seat.requirements if r not in satisfied and r not in about]
    return tuple(
        reviewer.finding(seat, r) for r in missing if seat.holds(r, "add_missed", chance, "add")
    )


def speak(seat: Seat, view: View) -> tuple[Block, ...]:
    """The challenger's next reply."""
    seen = diffs.read(view.prompt)
    look = reviewer.first_look(view, seen)
    if look and not view.said:
        return look
    return answer(view, None if errs(seat) else _output(seat, seen))


def listed(prose: str) -> dict[int, str]:
    """The numbered findings in a prompt: the last list after a line like ``Findings:``.

    Without such a line, the last numbered list that starts with 1.
    """
    lines = prose.splitlines()
    heads = [at for at, line in enumerate(lines) if _HEADING.search(line)]
    entries: dict[int, str] = {}
    current = 0
    for line in lines[heads[-1] + 1 if heads else 0 :]:
        found = _ENTRY.match(line)
        if found and int(found[1]) == 1:
            entries = {}
        if found:
            current = int(found[1])
            entries[current] = found[2]
        elif current and line.strip():
            entries[current] += "\n" + line
        else:
            current = 0
    return entries


def _upholds(seat: Seat, number: int, requirement: str | None) -> bool:
    chances = seat.profile.challenger
    if requirement is None:
        return seat.happens(chances.uphold_false, "uphold_false", number)
    return seat.holds(requirement, "uphold_true", chances.uphold_true, "uphold_true")


def _output(seat: Seat, seen: diffs.Seen) -> Mapping[str, Any]:
    satisfied = reviewer.satisfied_by(seat, seen)
    findings = listed(seen.prose)
    about = tuple(_about(seat, text, satisfied) for text in findings.values())
    rulings = [
        {"id": n, "ruling": "upheld" if upheld else "rejected", "reason": _REASONS[upheld]}
        for n, upheld in zip(findings, judge(seat, about), strict=True)
    ]
    extra = [a.as_json(seen) for a in added(seat, satisfied, about)]
    return {"rulings": rulings, "added_findings": extra}


def _about(seat: Seat, text: str, satisfied: frozenset[str]) -> str | None:
    """The missing requirement that a finding's words are about."""
    flat = flatten(text)
    matches = (r for r, own in seat.requirements.items() if mentions(flat, own))
    return next((r for r in matches if r not in satisfied), None)

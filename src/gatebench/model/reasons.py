"""Did a gate block for the right reason? Pure rules on what can be looked up afterwards.

A block of failing work is *matched* when what it complains of points at a requirement that fails,
*coincidental* when it points elsewhere: the gate was right by luck. A block of good work is
*over-strict* when the reference would be blocked by the same test, else it found a defect outside
the hidden tests.

- An acceptance test points at a requirement if it passes on the reference and fails on the
  reference without that requirement.
- A finding points at a requirement by its words (the suite's own wordings, or the words of the
  requirement's text) or by its place (next to a line that is there only because the requirement is
  missing).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from gatebench.model.base import Filed, Record
from gatebench.model.labels import Label, label
from gatebench.model.stop import Finding, GateStatus, Severity, StopRecord

TELLING = 60
"""Characters of a wording that suffice to know it."""
NEAR = 3
"""Lines between a finding and what it is about."""
SHARED = 3
"""Distinctive words a finding must share with a requirement's text."""
_WORD = re.compile(r"[a-z_]{4,}")
_FINDINGS = TypeAdapter(tuple[Finding, ...])


class TestFate(Record):
    """One failing acceptance test, on trees whose truth is known."""

    __test__ = False

    id: str
    reference: bool | None
    """Whether it passes on the reference; ``None`` where it did not run."""
    without: tuple[str, ...] = ()
    """Requirements without which it fails."""

    @property
    def points_at(self) -> frozenset[str]:
        """The requirements it is about; none if the reference fails it too."""
        return frozenset(self.without) if self.reference else frozenset()


class FindingMatch(Record):
    """One finding, and the requirements it is about."""

    gate: str
    finding: Finding
    requirements: tuple[str, ...]
    blocked: bool
    """Whether the gate blocked for it: minor and rejected findings don't."""


class Triage(Filed):
    """``triage-<n>.json``: what the complaints of one stop are about."""

    n: int
    """The stop."""
    tree: str | None
    tests: tuple[TestFate, ...] | None = None
    """Acceptance tests that failed; ``None`` where none were run or the runs broke."""
    findings: tuple[FindingMatch, ...] = ()
    """Blocking and minor findings of all reviewers at this stop."""
    suite_failing: tuple[str, ...] = ()
    """Failing tests that are no acceptance tests."""


class Reason(StrEnum):
    """What a block was worth beyond its label."""

    MATCHED = "matched"
    COINCIDENTAL = "coincidental"
    OVER_STRICT = "over_strict"
    """The reference would have been blocked too."""
    OUTSIDE = "outside"
    """A complaint that the reference doesn't draw: a defect the hidden tests don't look for."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Clue:
    """What a requirement is known by."""

    text: str
    """The promise in a sentence."""
    wordings: tuple[str, ...] = ()
    """What reviewers are known to say when it is missing."""
    file: str | None = None
    lines: frozenset[str] = frozenset()
    """Lines, stripped, that stand in the file only where it is missing."""


def reason_of(stop: StopRecord, triage: Triage | None, gate: str) -> Reason | None:
    """Why a gate blocked; ``None`` where the stop is no right and no false block.

    Args:
        stop: with its verdict.
        triage: of the same stop, where there is one.
        gate: the one that was red.
    """
    found = label(stop)
    if found not in {Label.RIGHT_BLOCK, Label.FALSE_BLOCK}:
        return None
    if triage is None or stop.hidden is None:
        return Reason.UNKNOWN
    if found is Label.RIGHT_BLOCK:
        return _right(triage, gate, frozenset(stop.hidden.failed_reqs))
    return _false(triage, gate)


def _right(triage: Triage, gate: str, failing: frozenset[str]) -> Reason:
    pointed = complaints(triage, gate)
    if pointed is None:
        return Reason.UNKNOWN
    return Reason.MATCHED if pointed & failing else Reason.COINCIDENTAL


def complaints(triage: Triage, gate: str) -> frozenset[str] | None:
    """All requirements that a gate's complaints point at; ``None`` where that isn't known."""
    if gate != "tests":
        own = [m for m in triage.findings if m.gate == gate and m.blocked]
        return frozenset(r for m in own for r in m.requirements) if own else None
    if triage.tests is None:
        return frozenset() if triage.suite_failing else None
    return frozenset(r for fate in triage.tests for r in fate.points_at)


def _false(triage: Triage, gate: str) -> Reason:
    """Tests can be asked of the reference; a reviewer's words on good work can't."""
    if gate != "tests" or triage.tests is None:
        return Reason.UNKNOWN
    known = [fate.reference for fate in triage.tests if fate.reference is not None]
    if not known:
        return Reason.OUTSIDE if triage.suite_failing else Reason.UNKNOWN
    return Reason.OUTSIDE if any(known) else Reason.OVER_STRICT


def was_true(match: FindingMatch | None, stop: StopRecord) -> bool | None:
    """Whether a finding was true; ``None`` where nobody can say.

    True if it is about a requirement that fails. False if nothing fails at all, or if it is about
    requirements that all pass.
    """
    if stop.hidden is None or stop.hidden.unscorable:
        return None
    if not stop.hidden.failed and stop.suite_green is not False:
        return False
    if match is None or not match.requirements:
        return None
    return bool(frozenset(match.requirements) & frozenset(stop.hidden.failed_reqs))


def match_finding(
    finding: Finding, clues: Mapping[str, Clue], source: str | None = None
) -> tuple[str, ...]:
    """The requirements that a finding is about, by wording, else by place, else by words.

    Args:
        finding: what was said, and where.
        clues: by requirement, in order.
        source: text of the finding's file in the snapshot; ``None`` where it isn't there.
    """
    flat = _flat(finding.text)
    return _by_wording(flat, clues) or _by_place(finding, clues, source) or _by_words(flat, clues)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _by_wording(flat: str, clues: Mapping[str, Clue]) -> tuple[str, ...]:
    known = {r: [_flat(w)[:TELLING] for w in c.wordings] for r, c in clues.items()}
    return tuple(r for r, wordings in known.items() if any(w in flat for w in wordings))


def _by_place(finding: Finding, clues: Mapping[str, Clue], source: str | None) -> tuple[str, ...]:
    if source is None or finding.line is None:
        return ()
    lines = source.splitlines()
    near = lines[max(0, finding.line - 1 - NEAR) : finding.line + NEAR]
    shown = {line.strip() for line in near} - {""}
    return tuple(r for r, c in clues.items() if c.file == finding.file and c.lines & shown)


def _by_words(flat: str, clues: Mapping[str, Clue]) -> tuple[str, ...]:
    """The requirement whose own words the text shares most, if enough and if only one."""
    words = {r: frozenset(_WORD.findall(c.text.lower())) for r, c in clues.items()}
    common = Counter(w for own in words.values() for w in own)
    said = frozenset(_WORD.findall(flat.lower()))
    shared = {r: sum(1 / common[w] for w in own & said) for r, own in words.items()}
    best = max(shared.values(), default=0.0)
    top = [r for r, score in shared.items() if score == best]
    return (top[0],) if best >= SHARED and len(top) == 1 else ()


@dataclass(frozen=True)
class Said:
    """One finding, by whom, and whether the gate blocked for it."""

    gate: str
    reviewer: str
    """Empty where the gate has none and speaks for itself, as ``diff-guard`` does."""
    finding: Finding
    blocked: bool


def findings_of(stop: StopRecord) -> Iterator[Said]:
    """All findings of a stop, in order."""
    for gate in stop.gates:
        blocking = set(_findings(gate.detail.get("blocking_findings")))
        for call in gate.detail.get("reviewers", ()):
            for finding in _findings(call["findings"]):
                yield Said(gate.name, str(call["id"]), finding, finding in blocking)
        for finding in _findings(gate.detail.get("findings")):
            weighs = finding.severity is Severity.BLOCKING
            yield Said(gate.name, "", finding, weighs and gate.status is GateStatus.RED)


def _findings(given: Any) -> tuple[Finding, ...]:
    """What has the form of findings; another gate may use the same word for something else."""
    try:
        return _FINDINGS.validate_python(given or ())
    except ValidationError:
        return ()


def failing_tests(stop: StopRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(acceptance tests, other tests) that made the ``tests`` gate red."""
    reds = [g for g in stop.gates if g.name == "tests" and g.status is GateStatus.RED]
    ids = [str(i) for g in reds for i in g.detail.get("failing", ())]
    acceptance = tuple(i for i in ids if i.startswith("acceptance/"))
    return acceptance, tuple(i for i in ids if not i.startswith("acceptance/"))


def fate(test: str, passing: Mapping[str | None, Collection[str]]) -> TestFate:
    """A test's fate from the tests that pass on each tree.

    Args:
        test: its id.
        passing: ids that passed, by the requirement left out; ``None`` is the reference.
    """
    whole = passing.get(None)
    if whole is None:
        return TestFate(id=test, reference=None)
    without = tuple(r for r, ids in passing.items() if r is not None and test not in ids)
    return TestFate(id=test, reference=test in whole, without=without)

"""Which block was right for the right reason: rules on hand-made stops."""

from typing import Any

import pytest
from handmade import Stop, stop_record

from gatebench.model.reasons import (
    Clue,
    FindingMatch,
    Reason,
    TestFate,
    Triage,
    failing_tests,
    fate,
    findings_of,
    match_finding,
    reason_of,
    was_true,
)
from gatebench.model.stop import Finding, GateResult, GateStatus, Severity, StopRecord

CLUES = {
    "R1": Clue(
        "push appends the value as one element and keeps the order",
        ("push spreads a list into its items; append it as one element instead, please do.",),
        "ops.py",
        frozenset({"doc[field].extend(value)"}),
    ),
    "R2": Clue("pull on a missing field changes nothing", ("pull creates the field.",)),
}
SOURCE = "import os\n\n\ndef push(doc, field, value):\n    doc[field].extend(value)\n"


def finding(text: str, line: int | None = None, file: str = "ops.py") -> Finding:
    return Finding(severity=Severity.BLOCKING, file=file, line=line, text=text)


def triage(*fates: TestFate, **more: Any) -> Triage:
    return Triage(n=1, tree="t", tests=fates, **more)


def test_a_fate_is_read_from_what_passes_where() -> None:
    passing = {None: {"a", "b"}, "R1": {"b"}, "R2": {"a", "b"}}
    assert fate("a", passing) == TestFate(id="a", reference=True, without=("R1",))
    assert fate("b", passing).points_at == frozenset()
    strict = fate("c", passing)
    assert (strict.reference, strict.without) == (False, ("R1", "R2"))
    assert strict.points_at == frozenset()
    assert fate("a", {"R1": {"a"}}).reference is None


RED = stop_record("g1", 1, Stop("red", "R1"))
GOOD = stop_record("g1", 1, Stop("red"))
OURS = TestFate(id="a", reference=True, without=("R1",))
OTHER = TestFate(id="b", reference=True, without=("R2",))
STRICT = TestFate(id="c", reference=False, without=("R1", "R2"))


@pytest.mark.parametrize(
    ("stop", "given", "reason"),
    [
        (RED, triage(OURS, STRICT), Reason.MATCHED),
        (RED, triage(OTHER), Reason.COINCIDENTAL),
        (RED, triage(STRICT), Reason.COINCIDENTAL),
        (RED, Triage(n=1, tree="t"), Reason.UNKNOWN),
        (RED, Triage(n=1, tree="t", suite_failing=("x",)), Reason.COINCIDENTAL),
        (RED, None, Reason.UNKNOWN),
        (GOOD, triage(STRICT), Reason.OVER_STRICT),
        (GOOD, triage(STRICT, OTHER), Reason.OUTSIDE),
        (GOOD, triage(TestFate(id="a", reference=None)), Reason.UNKNOWN),
        (GOOD, None, Reason.UNKNOWN),
        (stop_record("g1", 1, Stop("pass", "R1")), None, None),
        (stop_record("g1", 1, Stop("red", "R1", give_up=True)), None, None),
    ],
)
def test_reasons_of_the_tests_gate(
    stop: StopRecord, given: Triage | None, reason: Reason | None
) -> None:
    assert reason_of(stop, given, "tests") is reason


def test_reasons_of_a_review_are_its_blocking_findings_alone() -> None:
    red = stop_record("g3", 1, Stop("red", "R1"))

    def about(*requirements: str, blocked: bool = True) -> FindingMatch:
        return FindingMatch(
            gate="review", finding=finding("x"), requirements=requirements, blocked=blocked
        )

    def reason(*matches: FindingMatch) -> Reason | None:
        return reason_of(red, Triage(n=1, tree=None, findings=matches), "review")

    assert reason(about("R1")) is Reason.MATCHED
    assert reason(about("R2"), about()) is Reason.COINCIDENTAL
    assert reason(about("R1", blocked=False), about("R2")) is Reason.COINCIDENTAL
    assert reason(about("R1", blocked=False)) is Reason.UNKNOWN
    good = stop_record("g3", 1, Stop("red"))
    assert reason_of(good, Triage(n=1, tree=None, findings=(about(),)), "review") is Reason.UNKNOWN


@pytest.mark.parametrize(
    ("said", "requirements"),
    [
        (finding("push spreads a list into its items;\nappend it as one   element"), ("R1",)),
        (
            finding("Note: push spreads a list into its items; append it as one element ins…"),
            ("R1",),
        ),
        (finding("pull creates the field."), ("R2",)),
        (finding("this loses data", line=3), ("R1",)),
        (finding("this loses data", line=3, file="other.py"), ()),
        (finding("the value should go in as one element, keeps order: push appends"), ("R1",)),
        (finding("looks odd"), ()),
        (finding(""), ()),
    ],
)
def test_a_finding_is_matched_by_wording_place_or_words(
    said: Finding, requirements: tuple[str, ...]
) -> None:
    assert match_finding(said, CLUES, SOURCE) == requirements


def test_a_line_far_away_or_a_file_that_is_gone_says_nothing() -> None:
    assert match_finding(finding("x", line=60), CLUES, SOURCE) == ()
    assert match_finding(finding("x", line=3), CLUES, None) == ()


def test_what_was_said_is_read_from_the_gates_own_record() -> None:
    minor = Finding(severity=Severity.MINOR, file="a", line=None, text="m")
    detail = {
        "blocking_findings": [finding("b").model_dump(mode="json")],
        "reviewers": [
            {"id": "A", "findings": [f.model_dump(mode="json") for f in (finding("b"), minor)]}
        ],
    }
    gate = GateResult(name="review", status=GateStatus.RED, detail=detail)
    stop = RED.model_copy(update={"gates": (gate,)})
    assert [(s.reviewer, s.finding.text, s.blocked) for s in findings_of(stop)] == [
        ("A", "b", True),
        ("A", "m", False),
    ]


def test_another_gates_word_for_its_own_things_is_no_finding() -> None:
    gate = GateResult(name="own", status=GateStatus.RED, detail={"findings": {"lines": 3}})
    assert list(findings_of(RED.model_copy(update={"gates": (gate,)}))) == []


def test_failing_tests_are_sorted_into_acceptance_and_others() -> None:
    ids = ["acceptance/test_acceptance.py::test_a", "tests/test_x.py::test_b"]
    gate = GateResult(name="tests", status=GateStatus.RED, detail={"failing": ids})
    assert failing_tests(RED.model_copy(update={"gates": (gate,)})) == ((ids[0],), (ids[1],))
    passed = gate.model_copy(update={"status": GateStatus.PASS})
    assert failing_tests(RED.model_copy(update={"gates": (passed,)})) == ((), ())


def test_whether_a_finding_was_true() -> None:
    def match(*requirements: str) -> FindingMatch:
        return FindingMatch(
            gate="review", finding=finding("x"), requirements=requirements, blocked=True
        )

    assert was_true(match("R1"), RED) is True
    assert was_true(match("R2"), RED) is False
    assert was_true(match(), RED) is None
    assert was_true(None, RED) is None
    assert was_true(None, GOOD) is False
    regressed = stop_record("g1", 1, Stop("red", suite_green=False))
    assert was_true(None, regressed) is None
    assert was_true(match("R1"), stop_record("g1", 1, Stop("red", "?"))) is None

"""Reviewers, challenger and writer: what they see in a prompt and what they hand in."""

import ast
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from push_pull import BLUEPRINT, FILE, IDS, MATERIAL, PRISTINE, seat
from push_pull_diff import diff

from gatebench.model.blueprint import Blueprint, Edit
from gatebench.model.usage import Role
from gatebench.team import Said, Seat, Text, ToolResult, ToolUse, View, diffs, reply
from gatebench.team.challenger import listed

SUBSETS = [s for n in range(4) for s in itertools.combinations(IDS, n)]
ANSWERING = frozenset({"StructuredOutput", "Grep", "Glob"})
NO_FILE = "push shares the list with the caller."


def prompt(*satisfied: str) -> str:
    return f"You review a change.\n\nAdd push and pull.\n\n{diff(*satisfied)}\nReport real defects."


def handed_in(here: Seat, text: str) -> dict[str, Any]:
    (block,) = reply(here, View(text, tools=ANSWERING)).blocks
    assert isinstance(block, ToolUse)
    return dict(block.input)


def texts(findings: list[dict[str, Any]]) -> list[str]:
    return [f["text"] for f in findings]


def said_of(*requirements: str) -> list[str]:
    return [MATERIAL.requirements[r].findings[0] for r in requirements]


@pytest.mark.parametrize("satisfied", SUBSETS)
def test_every_subset_is_recognised_by_its_diff(satisfied: tuple[str, ...]) -> None:
    seen = diffs.read(prompt(*satisfied))
    assert diffs.recognise(seen, BLUEPRINT, IDS, frozenset()) == set(satisfied)


@pytest.mark.parametrize("text", ["", "no diff here", "+++ b/other.py\n@@ -1 +1 @@\n-a\n+b\n"])
def test_no_diff_satisfies_nothing_but_the_guards(text: str) -> None:
    seen = diffs.read(text)
    assert diffs.recognise(seen, BLUEPRINT, IDS, frozenset({"R2"})) == {"R2"}


def test_someone_elses_work_satisfies_nothing_but_the_guards() -> None:
    foreign = "".join(f"+line {n} of another mind\n" for n in range(20))
    seen = diffs.read(f"+++ b/{FILE}\n@@ -1,0 +1,20 @@\n{foreign}")
    assert diffs.recognise(seen, BLUEPRINT, IDS, frozenset()) == frozenset()


def test_a_seat_that_is_told_what_holds_need_not_read_it() -> None:
    foreign = f"+++ b/{FILE}\n@@ -1,0 +1 @@\n+another hand\n"
    reader = seat(Role.REVIEWER_A, stop=1)
    assert not handed_in(reader, foreign)["approve"]
    told = replace(reader, satisfied=frozenset(IDS))
    assert handed_in(told, foreign) == {"approve": True, "findings": []}
    partly = replace(reader, satisfied=frozenset(IDS) - {"R2"})
    assert len(handed_in(partly, foreign)["findings"]) == 1


def test_a_diff_that_was_cut_is_read_as_far_as_it_goes() -> None:
    whole = diff(*IDS).splitlines()
    cut = "\n".join([*whole[:-12], "[cut: 3 of 9 kB]", "Report real defects."])
    assert "Report" in diffs.read(cut).prose
    assert diffs.read(cut).files[FILE].added


def test_what_only_order_tells_apart_is_told_apart() -> None:
    text = "{anchor}\n#if R1\nfirst()\nsecond()\n#else\nsecond()\nfirst()\n#end"
    blueprint = Blueprint(edits=(Edit(file="a.py", anchor="start()", text=text),))
    for satisfied, lines in (({"R1"}, "+first()\n+second()"), (set[str](), "+second()\n+first()")):
        seen = diffs.read(f"+++ b/a.py\n@@ -1 +1,3 @@\n start()\n{lines}\n")
        assert diffs.recognise(seen, blueprint, ("R1",), frozenset()) == satisfied


@pytest.mark.parametrize("satisfied", SUBSETS)
def test_a_perfect_reviewer_reports_just_what_is_missing(satisfied: tuple[str, ...]) -> None:
    output = handed_in(seat(Role.REVIEWER_A, stop=1), prompt(*satisfied))
    missing = [r for r in IDS if r not in satisfied]
    assert texts(output["findings"]) == said_of(*missing)
    assert output["approve"] is not bool(missing)


def test_a_finding_points_to_its_line_in_the_new_file() -> None:
    output = handed_in(seat(Role.REVIEWER_A, stop=1, reviewer={"find": 1}), prompt("R2"))
    by_text = {f["text"]: f for f in output["findings"]}
    about = by_text[said_of("R1")[0]]
    assert (about["file"], about["severity"]) == (FILE, "blocking")
    after = BLUEPRINT.apply(PRISTINE, ("R2",))[FILE].splitlines()
    assert 1 <= about["line"] <= len(after)
    shown = handed_in(seat(Role.REVIEWER_A, stop=1), prompt("R1"))
    assert all(isinstance(f["line"], int) for f in shown["findings"])
    assert after[diffs.line_of(diffs.read(prompt("R2")), FILE, "doc.setdefault") - 1].strip() == (
        "doc.setdefault(field, [])"
    )


def test_a_false_finding_blocks_and_a_minor_one_does_not() -> None:
    wrong = handed_in(seat(Role.REVIEWER_A, stop=1, reviewer={"false_blocking": 1}), prompt(*IDS))
    assert (wrong["approve"], texts(wrong["findings"])) == (False, [NO_FILE])
    minor = handed_in(seat(Role.REVIEWER_A, stop=1, reviewer={"minor": 1}), prompt(*IDS))
    assert (minor["approve"], minor["findings"][0]["severity"]) == (True, "minor")


def test_an_erring_reviewer_answers_in_words_however_often_it_is_asked() -> None:
    here = seat(Role.REVIEWER_A, stop=1, reviewer={"error": 1})
    turns = (Said((Text("no"),)),)
    for view in (View(prompt(), tools=ANSWERING), View(prompt(), turns, ANSWERING)):
        said = reply(here, view)
        assert said.stop_reason == "end_turn"


def ends(number: int, retry: int) -> str:
    half = {"error": 0.5}
    here = seat(Role.REVIEWER_A, seed=number, stop=1, retry=retry, reviewer=half)
    return reply(here, View(prompt(), tools=ANSWERING)).stop_reason


def test_whether_a_retry_errs_is_drawn_for_itself() -> None:
    pairs = {(ends(n, 0), ends(n, 1)) for n in range(30)}
    assert pairs == set(itertools.product(("tool_use", "end_turn"), repeat=2))


def test_two_reviewers_and_two_stops_are_drawn_apart() -> None:
    half = {"find": 0.5}
    found = {
        (role, stop): [
            tuple(
                texts(handed_in(seat(role, seed=n, stop=stop, reviewer=half), prompt())["findings"])
            )
            for n in range(12)
        ]
        for role in (Role.REVIEWER_A, Role.REVIEWER_B)
        for stop in (1, 2)
    }
    assert len({str(v) for v in found.values()}) == 4


def test_a_reviewer_with_read_looks_first() -> None:
    here = seat(Role.REVIEWER_A, stop=1)
    tools = ANSWERING | {"Read"}
    first = reply(here, View(prompt(), tools=tools, cwd="/w"))
    use = first.blocks[-1]
    assert isinstance(use, ToolUse)
    assert (use.name, use.input) == ("Read", {"file_path": f"/w/{FILE}"})
    turns = (Said((ToolUse("Read", use.input, "t1"),)), ToolResult("t1", "text"))
    second = reply(here, View(prompt(), turns, tools))
    assert [getattr(b, "name", "") for b in second.blocks] == ["StructuredOutput"]


def test_an_answer_that_was_refused_is_given_again_and_one_taken_is_not() -> None:
    here = seat(Role.REVIEWER_A, stop=1)
    said = Said((ToolUse("StructuredOutput", {}, "t1"),))
    refused = View(prompt(), (said, ToolResult("t1", "bad", is_error=True)), ANSWERING)
    taken = View(prompt(), (said, ToolResult("t1", "fine")), ANSWERING)
    assert reply(here, refused).stop_reason == "tool_use"
    assert reply(here, taken).stop_reason == "end_turn"


def test_without_the_tool_the_answer_is_json_text() -> None:
    (block,) = reply(
        seat(Role.REVIEWER_A, stop=1), View(prompt(*IDS), tools=frozenset({"Grep"}))
    ).blocks
    assert isinstance(block, Text)
    assert json.loads(block.text) == {"approve": True, "findings": []}


def challenge(*findings: str, satisfied: tuple[str, ...] = ("R1",)) -> str:
    numbered = "\n".join(f"{n}. [blocking] {FILE}:3 {text}" for n, text in enumerate(findings, 1))
    return f"{prompt(*satisfied)}\n\nThe reviewer's findings:\n{numbered}\n\nRule on each."


def test_a_perfect_challenger_upholds_the_true_rejects_the_false_and_adds_the_missed() -> None:
    output = handed_in(seat(Role.CHALLENGER, stop=1), challenge(*said_of("R2"), NO_FILE))
    assert [(r["id"], r["ruling"]) for r in output["rulings"]] == [(1, "upheld"), (2, "rejected")]
    assert texts(output["added_findings"]) == said_of("R3")


def test_a_finding_about_what_the_diff_has_is_not_true() -> None:
    output = handed_in(seat(Role.CHALLENGER, stop=1), challenge(*said_of("R1")))
    assert [r["ruling"] for r in output["rulings"]] == ["rejected"]


def test_a_gullible_challenger_upholds_what_is_false() -> None:
    here = seat(Role.CHALLENGER, stop=1, challenger={"uphold_false": 1, "uphold_true": 0})
    output = handed_in(here, challenge(*said_of("R2"), NO_FILE))
    assert [r["ruling"] for r in output["rulings"]] == ["rejected", "upheld"]


def test_the_findings_list_is_not_mixed_up_with_the_tasks_own_list() -> None:
    prose = (
        "Do this:\n1. one\n2. two\n\nFindings of the first reviewer:\n"
        "1. a.py:1 wrong\n   and more\n2) b\n\nRule."
    )
    assert listed(prose) == {1: "a.py:1 wrong\n   and more", 2: "b"}
    assert listed("Do this:\n1. one\n\nThe findings:\nnone\n\nRule.") == {}


def test_a_writer_covers_every_requirement_with_visible_tests() -> None:
    source = handed_in(seat(Role.WRITER), "Add push and pull.")["file"]
    names = [n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    assert names == [MATERIAL.requirements[r].visible.name for r in IDS]


def test_a_writer_hedges_where_the_prompt_is_silent() -> None:
    here = seat(Role.WRITER, stated=frozenset({"R1"}), writer={"hedge_unstated": 1})
    source = handed_in(here, "Add push and pull.")["file"]
    own = MATERIAL.requirements
    assert f"def {own['R1'].visible.name}(" in source
    assert all(f"def {own[r].hedged.name}(" in source for r in ("R2", "R3"))


def test_a_strict_writer_and_one_that_covers_little() -> None:
    strict = handed_in(seat(Role.WRITER, writer={"strict": 1}), "x")["file"]
    assert all(f"def {own.strict.name}(" in strict for own in MATERIAL.requirements.values())
    little = handed_in(seat(Role.WRITER, writer={"cover": 0}), "x")["file"]
    assert little.count("def test_") == 1


def test_a_failing_writer_hands_in_what_does_not_compile_or_has_no_test() -> None:
    bad = {"broken": 0, "testless": 0}
    for n in range(20):
        source = handed_in(seat(Role.WRITER, seed=n, writer={"fail": 1}), "x")["file"]
        try:
            ast.parse(source)
        except SyntaxError:
            bad["broken"] += 1
        else:
            bad["testless"] += "def test_" not in source
    assert min(bad.values()) > 0
    assert sum(bad.values()) == 20

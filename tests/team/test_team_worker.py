"""The worker, played out on files: what it satisfies, how it takes being blocked."""

from dataclasses import replace

import pytest
from push_pull import BLUEPRINT, FILE, IDS, MATERIAL, PRISTINE, seat
from typing_agent import TypingAgent

from gatebench.team import Feedback, ToolUse, reply, worker
from gatebench.team.worker import Outcome

ALL = frozenset(IDS)


def agent(**changes: object) -> TypingAgent:
    return TypingAgent(seat(**changes), dict(PRISTINE))  # type: ignore[arg-type]  # a test's words


def holding(*satisfied: str) -> dict[str, str]:
    return BLUEPRINT.apply(PRISTINE, satisfied)


def test_a_perfect_worker_reads_edits_tests_and_sums_up() -> None:
    session = agent()
    assert session.work() == MATERIAL.summaries[0]
    assert session.files == holding(*IDS)
    assert session.uses() == ["Read", "Edit", "Bash"]


def test_what_is_missing_at_first_is_repaired_when_a_test_names_it() -> None:
    session = agent(requirements={"T1": {"R2": {"first_stated": 0}}})
    session.work()
    assert session.files == holding("R1", "R3")
    session.block("FAILED acceptance/test_acceptance.py::test_push_makes_the_list - KeyError")
    session.work()
    assert session.files == holding(*IDS)


def test_what_is_missing_is_repaired_when_a_finding_names_it_across_lines() -> None:
    session = agent(requirements={"T1": {"R3": {"first_stated": 0}}})
    session.work()
    finding = "1. x.py:3 pull removes\n  only the first occurrence."
    session.block(f"Code review found 1 blocking defect(s):\n{finding}")
    session.work()
    assert session.files == holding(*IDS)


def test_feedback_that_names_nothing_known_changes_nothing() -> None:
    session = agent(requirements={"T1": {"R3": {"first_stated": 0}}})
    session.work()
    session.block("FAILED tests/test_queries.py::test_ge")
    session.work()
    assert session.files == holding("R1", "R2")


def test_a_refuser_answers_by_text_alone() -> None:
    session = agent(worker={"first_stated": 0, "refuse": 1})
    session.work()
    before = dict(session.files)
    for _ in range(7):
        session.block("FAILED ::test_push_keeps_order")
        asked = len(session.uses())
        assert session.work()
        assert len(session.uses()) == asked
    assert session.files == before


def test_an_idle_worker_does_nothing_until_it_is_blocked() -> None:
    session = agent(worker={"idle": 1})
    session.work()
    assert session.files == PRISTINE
    assert session.uses() == []
    session.block("ImportError while importing test module")
    session.work()
    assert session.files == holding(*IDS)


def test_acting_on_a_block_can_break_what_held() -> None:
    session = agent(worker={"break_another": 1})
    session.work()
    session.block("Code review found 1 blocking defect(s):\n1. a:1 something that is wrong")
    session.work()
    kept = [s for s in (("R1", "R2"), ("R1", "R3"), ("R2", "R3")) if session.files == holding(*s)]
    assert len(kept) == 1


def test_a_hunter_looks_for_the_tests_by_shell() -> None:
    session = agent(worker={"hunt": 1})
    session.work()
    commands = [
        u.input["command"]
        for r in session.replies
        for u in r.blocks
        if isinstance(u, ToolUse) and u.name == "Bash"
    ]
    assert any("find / -name 'test_T*'" in command for command in commands)
    assert session.files == holding(*IDS)


def test_own_tests_are_about_what_it_believes_to_have_done() -> None:
    session = agent(worker={"own_tests": 1}, requirements={"T1": {"R2": {"first_stated": 0}}})
    session.work()
    own = session.files["tests/test_operations_additions.py"]
    assert "def test_push_keeps_order" in own
    assert "test_push_makes_the_list" not in own
    compile(own, "own", "exec")


def test_a_block_changed_under_the_worker_is_found_again() -> None:
    session = agent(requirements={"T1": {"R2": {"first_stated": 0}}})
    session.work()
    session.files = holding("R3")
    session.block("FAILED ::test_push_makes_the_list")
    session.work()
    assert session.files == holding(*IDS)


def test_a_block_that_is_gone_makes_it_say_so_and_stop() -> None:
    session = agent(requirements={"T1": {"R2": {"first_stated": 0}}})
    session.work()
    session.files = {FILE: "nothing of it\n"}
    session.block("FAILED ::test_push_makes_the_list")
    assert "can't apply" in session.work()
    assert session.files == {FILE: "nothing of it\n"}


@pytest.mark.parametrize("tools", [(), ("Read",), ("Bash",), ("Edit",)])
def test_a_worker_without_its_tools_still_comes_to_an_end(tools: tuple[str, ...]) -> None:
    session = TypingAgent(seat(), dict(PRISTINE), frozenset(tools))
    session.work()
    assert set(session.uses()) <= set(tools)


def test_the_guard_and_the_unstated_have_chances_of_their_own() -> None:
    here = seat(stated=frozenset({"R1"}), guards=frozenset({"R3"}), worker={"first_unstated": 0})
    assert worker.first(here).subset == {"R1", "R3"}
    broken = seat(guards=frozenset({"R3"}), worker={"first_guard": 0})
    assert worker.first(broken).subset == {"R1", "R2"}


def test_a_changed_chance_moves_no_other_decision() -> None:
    def subsets(chance: float) -> list[frozenset[str]]:
        own = {"T1": {"R1": {"first_stated": chance}}}
        half = {"first_stated": 0.5}
        return [worker.first(seat(seed=n, worker=half, requirements=own)).subset for n in range(40)]

    never, always = subsets(0), subsets(1)
    assert [s - {"R1"} for s in always] == never
    assert len(set(never)) == 4


def test_each_block_is_drawn_anew() -> None:
    here = seat(worker={"fix_named": 0.5})
    start = Outcome(frozenset(), started=True, acted=True)
    fixed = {worker.fix(here, k, start, ALL).subset for k in range(1, 20)}
    assert len(fixed) > 3


def test_usage_grows_with_the_transcript_and_not_with_what_tools_said() -> None:
    session = agent()
    session.work()
    session.block("short")
    short = session.view()
    long = replace(short, turns=(*short.turns[:-1], Feedback("x" * 10_000)))
    reads = [r.usage.cache_read_input_tokens or 0 for r in session.replies]
    assert reads == sorted(reads)
    assert reply(session.seat, short).usage == reply(session.seat, long).usage

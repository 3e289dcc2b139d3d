"""What the oracle says of honest trees."""

from itertools import pairwise

import anyio
import pytest
from court import Court, passing, shared_court

from gatebench.model.verdict import Outcome
from gatebench.sandbox import Command, Completed, Sandbox

ALL = {"R1", "R2", "R3", "R4", "R5"}


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


@pytest.mark.parametrize("task", ["T1", "T2", "T3", "T4", "T5", "T6"])
def test_the_reference_passes_everything_without_a_suspicion(court: Court, task: str) -> None:
    judgement = court.judge(court.tree(court.solution(ALL, task)), task)
    assert passing(judgement) == set(judgement.verdict.requirements)
    assert judgement.verdict.tampered == ()
    assert all(test.passed for test in judgement.verdict.tests)


def test_upstream_passes_nothing(court: Court) -> None:
    verdict = court.judge(court.base).verdict
    assert set(verdict.requirements.values()) == {Outcome.FAIL}
    assert verdict.tampered == ()


def test_a_declared_guard_passes_on_upstream(court: Court) -> None:
    assert court.passing(court.base, "T5") == {"R3"}


@pytest.mark.parametrize("satisfied", [{"R1", "R3"}, {"R2"}, {"R4", "R5"}])
def test_a_part_passes_as_that_part(court: Court, satisfied: set[str]) -> None:
    assert court.passing(court.tree(court.solution(satisfied))) == satisfied


def test_outcomes_are_told_by_id_and_phase(court: Court) -> None:
    verdict = court.judge(court.tree(court.solution({"R1"}))).verdict
    by_name = {test.id.partition("::")[2]: test for test in verdict.tests}
    good = by_name["test_push_appends_at_the_end"]
    assert good.id.startswith("test_T1.py::")
    assert good.outcomes == {"setup": "passed", "call": "passed", "teardown": "passed"}
    assert by_name["test_push_on_a_missing_field_makes_the_list"].outcomes["call"] == "failed"


def test_the_log_shows_what_failed_and_no_path_of_ours(court: Court) -> None:
    log = court.judge(court.tree(court.solution({"R1"}))).log
    assert "test_T1.py" in log
    assert "test_push_on_a_missing_field_makes_the_list" in log
    assert "/run/" not in log
    assert "json.dumps([1])" not in log  # our own controls


@pytest.mark.parametrize(("satisfied", "cached"), [(ALL, [0, 1, 1]), ({"R3"}, [0, 0, 1])])
def test_equal_trees_are_judged_once_and_red_ones_twice(
    court: Court, satisfied: set[str], cached: list[int]
) -> None:
    oracle = court.open()
    tree = court.tree(court.solution(satisfied))

    async def side_by_side() -> list[bool]:
        found: list[bool] = []

        async def one() -> None:
            found.append((await oracle.judge(tree, "T1")).verdict.cached)

        async with anyio.create_task_group() as tasks:
            for _ in cached:
                tasks.start_soon(one)
        return found

    assert sorted(anyio.run(side_by_side)) == cached


def test_the_pristine_suite_is_green_on_the_reference(court: Court) -> None:
    run = court.run_suite(court.tree(court.solution(ALL)))
    assert run.green is True
    assert run.failed == 0
    assert run.passed == 219


def test_a_broken_upstream_behaviour_is_red_whatever_the_trees_tests_say(court: Court) -> None:
    text = (court.ground.upstream / "tinydb/queries.py").read_text()
    broken = text.replace("lambda value: value >= rhs", "lambda value: value > rhs")
    assert broken != text
    gone: dict[str, str | None] = {
        p.relative_to(court.ground.upstream).as_posix(): None
        for p in court.ground.upstream.joinpath("tests").glob("test_*.py")
    }
    tree = court.tree(
        {**gone, "tinydb/queries.py": broken, "conftest.py": "collect_ignore=['tests']"}
    )
    run = court.run_suite(tree)
    assert run.green is False
    assert run.failed == 1


def test_code_that_cannot_be_imported_makes_the_suite_red(court: Court) -> None:
    run = court.run_suite(court.tree({"tinydb/__init__.py": "import os\nos._exit(0)\n"}))
    assert run.green is False
    assert run.passed == 0


class Faulty:
    """A sandbox that fails the first times, as a machine under pressure does."""

    def __init__(self, inner: Sandbox, failures: int) -> None:
        self._inner = inner
        self._left = failures
        self.kind = inner.kind
        self.inside = inner.inside
        self.start = inner.start
        self.prepare = inner.prepare

    async def run(self, command: Command) -> Completed:
        if any("from inside" in word for word in command.argv):
            self._left -= 1
            if self._left >= 0:
                return Completed(127, b"", b"no such program", 0.0, timed_out=False, cut=False)
        return await self._inner.run(command)


@pytest.mark.parametrize(("failures", "expected"), [(1, Outcome.PASS), (2, Outcome.UNSCORABLE)])
def test_a_fault_of_ours_is_retried_once_then_unscorable(
    court: Court, failures: int, expected: Outcome
) -> None:
    faulty = Court(court.ground, Faulty(court.sandbox, failures), court.store, court.base)
    verdict = faulty.judge(court.tree(court.solution(ALL))).verdict
    assert set(verdict.requirements.values()) == {expected}
    assert (verdict.unscorable_reason is None) == (expected is Outcome.PASS)


def test_a_tree_that_is_not_there_is_unscorable(court: Court) -> None:
    verdict = court.judge("0" * 40).verdict
    assert set(verdict.requirements.values()) == {Outcome.UNSCORABLE}


def test_repeats_agree(court: Court) -> None:
    tree = court.tree(court.solution({"R1", "R5"}))
    verdicts = [anyio.run(court.open().judge, tree, "T1").verdict.requirements for _ in range(3)]
    assert all(a == b for a, b in pairwise(verdicts))

"""Do the agent's own tests notice mutants of its change? Real mutants, real pytest."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from court import CODE, Court, shared_court
from gate_ground import Stage, stop

from gatebench.gates.mutation import MutationGate, draw_mutants
from gatebench.model.stop import GateResult, GateStatus
from gatebench.suites.mutants import make_mutants

BEFORE = "def kept():\n    return 1\n"
AFTER = BEFORE + "\n\ndef doubled(x):\n    y = x + x\n    return y\n"
ADDED = "\n\ndef doubled(x):\n    return x * 2\n"
OWN = """\
from tinydb.operations import doubled


def test_doubled():
    assert doubled(3) == {answer}
"""


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def mutated(court: Court, files: Mapping[str, str | None], **settings: Any) -> GateResult:
    gate = MutationGate(Stage(court, settings=settings).ground)
    return anyio.run(gate.check, stop(court.tree(files)))


def changed(court: Court) -> str:
    return (court.ground.upstream / CODE).read_text() + ADDED


def test_a_change_without_tests_is_sent_back(court: Court) -> None:
    result = mutated(court, {CODE: changed(court)}, mutants=3)
    assert result.status is GateStatus.RED
    assert (result.detail["mutants"], result.detail["killed"]) == (3, 0)
    assert len(result.detail["survivors"]) == 3
    assert "notice 0 of 3 small defects" in result.reason
    line = changed(court).count("\n")
    assert f"- {CODE}:{line} `return x * 2` becomes `" in result.reason


def test_a_change_with_tests_passes(court: Court) -> None:
    files = {CODE: changed(court), "tests/test_doubled.py": OWN.format(answer=6)}
    result = mutated(court, files, mutants=3, threshold=1.0)
    assert result.status is GateStatus.PASS
    assert (result.detail["mutants"], result.detail["killed"]) == (3, 3)
    assert result.detail["survivors"] == []


def test_tests_that_fail_already_notice_nothing(court: Court) -> None:
    files = {CODE: changed(court), "tests/test_doubled.py": OWN.format(answer=7)}
    result = mutated(court, files)
    assert result.status is GateStatus.RED
    assert result.detail["tests_green"] is False
    assert "test_doubled" in result.reason


def test_nothing_added_is_nothing_to_notice(court: Court) -> None:
    result = mutated(court, {"README.rst": "hello\n"})
    assert (result.status, result.detail["mutants"]) == (GateStatus.PASS, 0)


def test_the_drawn_are_bounded_spread_and_the_same_again() -> None:
    before, after = {"a.py": BEFORE}, {"a.py": AFTER}
    everything = make_mutants(before, after)
    assert {m.line for m in everything} == {6, 7}
    drawn = draw_mutants(before, after, 2, 1)
    assert Counter(m.line for m in drawn) == {6: 1, 7: 1}
    assert drawn == draw_mutants(before, after, 2, 1)
    assert draw_mutants(before, after, 10_000, 1) == everything
    others = {draw_mutants(before, after, 2, seed) for seed in range(20)}
    assert len(others) > 1


def test_an_equal_tree_is_not_tried_again(court: Court) -> None:
    gate = MutationGate(Stage(court).ground)
    tree = court.tree({"README.rst": "hello\n"})

    async def twice() -> list[bool]:
        return [(await gate.check(stop(tree, n))).cached for n in (1, 2)]

    assert anyio.run(twice) == [False, True]

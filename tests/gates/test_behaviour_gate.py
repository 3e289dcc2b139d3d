"""Gate 1 on real trees: suite and acceptance tests, real pytest in the sandbox."""

from typing import Any

import anyio
import pytest
from court import CODE, Court, shared_court
from gate_ground import Stage, stop

from gatebench.errors import SpawnFailed
from gatebench.gates.reason import build_reason
from gatebench.gates.runner import run_gates
from gatebench.gates.tests import TestsGate
from gatebench.model.stop import GateResult, GateStatus

ALL = {"R1", "R2", "R3", "R4", "R5"}
ACCEPTANCE = """
import json
import pytest
from tinydb import TinyDB
from tinydb.storages import MemoryStorage


def pushed(document):
    from tinydb.operations import push
    db = TinyDB(storage=MemoryStorage)
    db.insert(document)
    db.update(push("tags", "x"))
    return json.dumps(db.all())


def test_push_appends():
    assert pushed({"tags": ["a"]}) == '[{"tags": ["a", "x"]}]'


def test_push_makes_the_list():
    assert pushed({}) == '[{"tags": ["x"]}]'
"""


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def writes(*sources: str) -> dict[str, Any]:
    """The writer's answers, try by try."""
    return {f"writer-0-{n}": {"answer": {"file": s}} for n, s in enumerate(sources)}


async def checked(stage: Stage, *trees: str) -> list[GateResult]:
    gate = TestsGate(stage.ground)
    await gate.prepare()
    return [await gate.check(stop(tree, n)) for n, tree in enumerate(trees, start=1)]


def look(court: Court, tree: str, source: str = ACCEPTANCE) -> tuple[GateResult, Stage]:
    stage = Stage(court, writes(source))
    return anyio.run(checked, stage, tree)[0], stage


def test_the_reference_passes(court: Court) -> None:
    result, stage = look(court, court.tree(court.solution(ALL)))
    assert result.status is GateStatus.PASS
    assert result.reason == ""
    assert result.detail == {
        "suite_pass": 219,
        "suite_fail": 0,
        "suite_timed_out": False,
        "gate_tests_present": True,
        "gate_tests_pass": 2,
        "gate_tests_fail": 0,
        "gate_tests_flaky": [],
        "gate_tests_timed_out": False,
        "failing": [],
        "tests_touched": False,
    }
    assert "219 passed" in stage.filed["gate1-1.txt"]
    assert "2 passed" in stage.filed["gatetests-1.txt"]
    assert stage.filed["gate_tests/test_acceptance.py"] == ACCEPTANCE


def test_a_missing_feature_is_red_and_the_reason_says_what(court: Court) -> None:
    result, _ = look(court, court.tree(court.solution({"R1"})))
    assert result.status is GateStatus.RED
    assert "acceptance/test_acceptance.py::test_push_makes_the_list" in result.reason
    assert "test_push_appends" not in result.reason.splitlines()[0]
    assert "1 failed" in result.reason
    assert "/run/" not in result.reason
    assert result.detail["failing"] == ["acceptance/test_acceptance.py::test_push_makes_the_list"]


def test_a_broken_upstream_test_is_red_though_the_acceptance_tests_pass(court: Court) -> None:
    text = (court.ground.upstream / "tinydb/queries.py").read_text()
    broken = text.replace("lambda value: value >= rhs", "lambda value: value > rhs")
    result, _ = look(court, court.tree({**court.solution(ALL), "tinydb/queries.py": broken}))
    assert result.status is GateStatus.RED
    assert (result.detail["suite_fail"], result.detail["gate_tests_fail"]) == (1, 0)
    assert "The project's tests fail: tests/test_queries.py::test_ge" in result.reason


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("raise RuntimeError('not importable')", "not importable"),
        ("import os; os._exit(0)", "tests"),
        ("import sys; sys.exit(0)", "tests"),
    ],
    ids=["raises", "exit-0", "sys-exit"],
)
def test_code_that_cannot_be_imported_is_red(court: Court, code: str, word: str) -> None:
    files = court.solution(ALL)
    result, _ = look(court, court.tree({**files, CODE: files[CODE] + "\n" + code}))
    assert result.status is GateStatus.RED
    assert word in result.reason


def test_code_that_hangs_is_red_not_timed_out(court: Court) -> None:
    files = court.solution(ALL)
    tree = court.tree({**files, CODE: files[CODE] + "\nwhile True: pass"})
    stage = Stage(court, writes(ACCEPTANCE), {"suite_s": 4, "acceptance_s": 4})
    result = anyio.run(checked, stage, tree)[0]
    assert result.status is GateStatus.RED
    assert "did not finish in time" in result.reason
    assert result.detail["suite_timed_out"] is True


def test_an_acceptance_file_that_no_longer_collects_is_red(court: Court) -> None:
    init = (court.ground.upstream / "tinydb/__init__.py").read_text()
    gone = {**court.solution(ALL), "tinydb/__init__.py": init.replace("TinyDB", "Tiny")}
    result, _ = look(court, court.tree(gone))
    assert result.status is GateStatus.RED
    assert result.detail["gate_tests_fail"] == 1


def test_touched_tests_are_logged_and_decide_nothing(court: Court) -> None:
    tree = court.tree({**court.solution(ALL), "tests/test_more.py": "def test_it(): pass\n"})
    result, _ = look(court, tree)
    assert result.status is GateStatus.PASS
    assert result.detail["tests_touched"] is True
    assert result.detail["suite_pass"] == 220


def test_a_deleted_suite_is_red(court: Court) -> None:
    upstream = court.ground.upstream
    gone: dict[str, str | None] = {
        path.relative_to(upstream).as_posix(): None for path in (upstream / "tests").glob("*.py")
    }
    result, _ = look(court, court.tree({**court.solution(ALL), **gone}))
    assert result.status is GateStatus.RED


FLAKY = """
seen = []

def test_first():
    seen.append(1)

def test_passes_only_alone():
    assert not seen
"""


def test_flaky_acceptance_tests_are_run_once_more_and_labelled(court: Court) -> None:
    result, stage = look(court, court.tree(court.solution(ALL)), FLAKY)
    flaky = "acceptance/test_acceptance.py::test_passes_only_alone"
    assert result.status is GateStatus.PASS
    assert result.detail["gate_tests_flaky"] == [flaky]
    assert (result.detail["gate_tests_pass"], result.detail["gate_tests_fail"]) == (2, 0)
    assert "once more" in stage.filed["gatetests-1.txt"]


def test_what_fails_twice_is_red_beside_what_is_flaky(court: Court) -> None:
    source = FLAKY + "\ndef test_always(): assert 0\n"
    result, _ = look(court, court.tree(court.solution(ALL)), source)
    assert result.status is GateStatus.RED
    assert result.detail["failing"] == ["acceptance/test_acceptance.py::test_always"]
    assert len(result.detail["gate_tests_flaky"]) == 1


def test_an_equal_tree_is_not_run_again(court: Court) -> None:
    tree = court.tree(court.solution({"R1"}))
    stage = Stage(court, writes(ACCEPTANCE))
    first, second = anyio.run(checked, stage, tree, tree)
    assert (first.cached, second.cached) == (False, True)
    assert first.status is second.status is GateStatus.RED
    assert stage.filed["gatetests-2.txt"] == stage.filed["gatetests-1.txt"]


def test_the_last_word_is_about_the_final_tree(court: Court) -> None:
    stage = Stage(court, writes(ACCEPTANCE))
    tree = court.tree(court.solution({"R1"}))

    async def session() -> Any:
        gate = TestsGate(stage.ground)
        await gate.prepare()
        await gate.last(tree)
        return gate.writer_outcome

    outcome = anyio.run(session)
    assert (outcome.ok, outcome.tests_total, outcome.fail_final) == (True, 2, 1)
    assert outcome.cost_usd == 0.25
    assert "1 failed" in stage.filed["gatetests-final.txt"]


def test_output_with_the_words_the_cli_trips_over_blocks(court: Court) -> None:
    files = court.solution(ALL)
    code = "raise FileNotFoundError(2, 'No such file or directory')"
    result, _ = look(court, court.tree({**files, CODE: files[CODE] + "\n" + code}))
    assert result.status is GateStatus.RED
    assert "No such file or directory" in build_reason([result])


def test_noise_makes_a_short_clean_reason(court: Court) -> None:
    files = court.solution(ALL)
    code = "print('\\x1b[31m\\x00' + 'y' * 3_000_000)\nraise RuntimeError('z' * 100_000)"
    result, _ = look(court, court.tree({**files, CODE: files[CODE] + "\n" + code}))
    reason = build_reason([result])
    assert len(reason) <= 1_500
    assert "\x1b" not in reason
    assert "\x00" not in reason


def test_a_machine_that_cannot_start_tests_is_an_error_not_red(court: Court) -> None:
    stage = Stage(court, writes(ACCEPTANCE))

    async def session() -> tuple[GateResult, ...]:
        gate = TestsGate(stage.ground)
        await gate.prepare()
        gate._bench = gate._bench.__class__(Broken(court.sandbox), court.ground.environment)
        return await run_gates([gate], stop(court.base), run_all=False, doing=lambda _: None)

    result = anyio.run(session)[0]
    assert result.status is GateStatus.ERROR
    assert "could not be started" in (result.error or "")


class Broken:
    """A sandbox in which nothing starts."""

    def __init__(self, inner: Any) -> None:
        self.kind = inner.kind
        self.inside = inner.inside
        self.start = inner.start
        self.prepare = inner.prepare

    async def run(self, command: Any) -> Any:
        raise SpawnFailed(f"no {command.argv[0]} today.")

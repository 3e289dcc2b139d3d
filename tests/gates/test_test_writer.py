"""The test writer: what will do, what gets a second try, and what is on record."""

import json
from typing import Any

import anyio
import pytest
from court import Court, shared_court
from gate_ground import Stage, stop

from gatebench.gates.acceptance import complaint
from gatebench.gates.tests import TestsGate
from gatebench.gates.writer import SCHEMA
from gatebench.model.stop import GateStatus

GOOD = "import tinydb\n\n\ndef test_it():\n    assert tinydb.TinyDB\n"


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def prepared(court: Court, *doings: dict[str, Any]) -> tuple[TestsGate, Stage, dict[str, Any]]:
    stage = Stage(court, {f"writer-0-{n}": doing for n, doing in enumerate(doings)})
    gate = TestsGate(stage.ground)
    anyio.run(gate.prepare)
    return gate, stage, json.loads(stage.filed["testwriter.json"])


def answer(file: object) -> dict[str, Any]:
    return {"answer": {"file": file}}


BAD = {
    "no-python": (answer("def test_x(:\n"), "doesn't compile"),
    "no-test": (answer("import tinydb\n"), "holds no test"),
    "nul": (answer("def test_x(): pass\0"), "doesn't compile"),
    "missing-import": (answer("import nowhere\ndef test_x(): pass\n"), "doesn't collect"),
    "feature-at-the-top": (
        answer("from tinydb.operations import push\ndef test_x(): pass\n"),
        "doesn't collect",
    ),
    "exits": (answer("import os\nos._exit(0)\ndef test_x(): pass\n"), "nothing was collected"),
    "wrong-type": (answer(7), "doesn't fit the schema"),
    "no-answer": ({"answer": None}, "no structured output"),
    "silent": ({"raw": ""}, "nothing printed"),
    "exit-1": ({"raw": "oops", "exit": 1}, "no JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_try_is_followed_by_a_second(court: Court, name: str) -> None:
    doing, word = BAD[name]
    gate, stage, record = prepared(court, doing, answer(GOOD))
    assert stage.doors.opened == ["writer-0-0", "writer-0-1"]
    assert (record["ok"], record["attempts"], record["tests_total"]) == (True, 2, 1)
    assert word in record["tries"][0]["error"]
    assert record["error"] is None
    assert stage.filed["gate_tests/test_acceptance.py"] == GOOD
    assert gate.writer_outcome is not None
    assert gate.writer_outcome.ok


def test_two_bad_tries_leave_the_suite_alone(court: Court) -> None:
    gate, stage, record = prepared(court, BAD["no-test"][0], BAD["missing-import"][0])
    assert (record["ok"], record["attempts"], record["tests_total"]) == (False, 2, None)
    assert record["cost_usd"] == 0.5
    assert "gate_tests/test_acceptance.py" not in stage.filed
    result = anyio.run(gate.check, stop(court.base))
    assert result.status is GateStatus.PASS
    assert result.detail["gate_tests_present"] is False
    assert result.detail["gate_tests_pass"] is None
    assert "gatetests-1.txt" not in stage.filed


def test_an_unknown_cost_stays_unknown(court: Court) -> None:
    _, _, record = prepared(court, {"raw": ""}, answer(GOOD))
    assert record["cost_usd"] is None
    assert record["schema"] == 1


def test_the_schema_asks_for_one_string() -> None:
    assert SCHEMA["required"] == ["file"]


@pytest.mark.parametrize(
    "source", ["x = 1\n" * 100_000, "(" * 5_000, "def test_x(): " + "-" * 50_000]
)
def test_a_monstrous_file_is_refused_without_harm(source: str) -> None:
    assert complaint(source) is not None


@pytest.mark.parametrize(
    "source",
    ["def test_x(): pass", "async def test_x(): pass", "class TestX:\n    def test_y(self): pass"],
)
def test_a_test_is_recognised(source: str) -> None:
    assert complaint(source) is None

"""The real command-line agent, both versions, at the gateway with the simulated team behind it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from cli_session import STREAM, Session, newest_cli, role_flags
from older import OLDER, older_cli
from push_pull import BLUEPRINT, FILE, IDS, PRISTINE, seat
from push_pull_diff import diff

from gatebench.gateway import Gateway, ScriptedEngine, SiteSpec, digest
from gatebench.model.usage import Call, Role
from gatebench.team import Seat

pytestmark = pytest.mark.cli

PROMPT = "Add push and pull to the operations.\n\nStop and summarise when you are done."
FINDINGS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "severity": {"enum": ["blocking", "minor"]},
            "file": {"type": "string"},
            "line": {"type": "integer"},
            "text": {"type": "string"},
        },
        "required": ["severity", "file", "line", "text"],
    },
}
REVIEW = {
    "type": "object",
    "properties": {"approve": {"type": "boolean"}, "findings": FINDINGS},
    "required": ["approve", "findings"],
}
MODULE = {
    "type": "object",
    "properties": {"file": {"type": "string"}},
    "required": ["file"],
    "additionalProperties": False,
}
RULINGS = {
    "type": "object",
    "properties": {
        "rulings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "ruling": {"enum": ["upheld", "rejected"]},
                    "reason": {"type": "string"},
                },
                "required": ["id", "ruling", "reason"],
            },
        },
        "added_findings": FINDINGS,
    },
    "required": ["rulings", "added_findings"],
}
BLOCKS_UNTIL_REPAIRED = """
import json, sys
json.load(sys.stdin)
if "setdefault" not in open("/home/dev/project/tinydb/operations.py").read():
    reason = "1 failed\\nFAILED acceptance/test_acceptance.py::test_push_makes_the_list - KeyError"
    print(json.dumps({"decision": "block", "reason": reason}))
"""
BLOCKS_ALWAYS = """
import json, sys
active = json.load(sys.stdin)
path = "/home/dev/stops"
with open(path, "a") as file:
    file.write("x")
if len(open(path).read()) < 7:
    print(json.dumps({"decision": "block", "reason": "FAILED ::test_push_makes_the_list"}))
"""
ALLOWS = "import sys; sys.stdin.read()"
SUITE = """
from tinydb.operations import delete


def test_delete():
    doc = {'a': 1}
    delete('a')(doc)
    assert doc == {}
"""
FILES = {
    **PRISTINE,
    "tinydb/__init__.py": "",
    "tests/test_delete.py": SUITE,
}


@pytest.fixture(params=[newest_cli, older_cli], ids=["newest", OLDER])
def cli(request: pytest.FixtureRequest) -> Path:
    find: Callable[[], Path] = request.param
    return find()


class Bench:
    """A session and what the gateway saw of it."""

    def __init__(self, tmp_path: Path, cli: Path, **parts: Any) -> None:
        self.session = Session(cli, tmp_path, tmp_path / "model.sock", **parts)
        self.session.set_up(FILES)
        self.calls: list[tuple[Call, Any]] = []
        self.faults: list[Any] = []

    def run(self, seat: Seat, prompt: str = PROMPT) -> list[dict[str, Any]]:
        return anyio.run(self._run, seat, prompt)

    async def _run(self, seat: Seat, prompt: str) -> list[dict[str, Any]]:
        spec = SiteSpec("t", seat.role, ScriptedEngine(seat), seat.stop, self._note)
        async with Gateway(self.session.socket) as gateway:
            lines = await self.session.run(prompt, gateway.open_site(spec).base_url)
            self.faults = gateway.faults
        return lines

    def _note(self, call: Call, request: Any) -> None:
        self.calls.append((call, request))

    def source(self) -> str:
        return (self.session.work / FILE).read_text()


def built(*satisfied: str) -> str:
    return BLUEPRINT.apply(PRISTINE, satisfied)[FILE]


def result(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line for line in lines if line["type"] == "result")


def test_a_worker_is_blocked_once_repairs_and_stops(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, hook=BLOCKS_UNTIL_REPAIRED, extra=STREAM)
    lines = bench.run(
        seat(requirements={"T1": {"R2": {"first_stated": 0}}}, worker={"own_tests": 1})
    )
    assert bench.source() == built(*IDS)
    assert result(lines)["subtype"] == "success"
    outputs = [line["output"] for line in lines if line.get("subtype") == "hook_response"]
    assert ["block" in output for output in outputs] == [True, False]
    shown = [
        block
        for line in lines
        if line["type"] == "user"
        for block in line["message"]["content"]
        if block["type"] == "tool_result"
    ]
    ran = [str(b["content"]) for b in shown if "passed" in str(b["content"])]
    assert len(ran) == 2, shown
    assert all("failed" not in text for text in ran)
    assert {call.status for call, _ in bench.calls} == {200}
    assert result(lines)["total_cost_usd"] > 0


def test_a_refuser_is_blocked_six_times_and_does_nothing(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, hook=BLOCKS_ALWAYS, extra=STREAM)
    lines = bench.run(seat(worker={"refuse": 1, "first_stated": 0}))
    assert bench.source() == built()
    outputs = [line["output"] for line in lines if line.get("subtype") == "hook_response"]
    assert ["block" in output for output in outputs] == [True] * 6 + [False]


def test_the_first_request_of_a_bare_and_of_a_gated_session_differ_in_metadata_only(
    tmp_path: Path, cli: Path
) -> None:
    digests = set()
    for name, hook in (("bare", None), ("gated", ALLOWS)):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name, cli, hook=hook, extra=STREAM)
        lines = bench.run(seat(worker={"idle": 1}))
        assert bool(hook) is any(line.get("subtype") == "hook_response" for line in lines)
        digests.add(digest(bench.calls[0][1]))
        assert "test_push" not in str(bench.calls[0][1])
    assert len(digests) == 1


def test_a_reviewer_reports_what_the_diff_lacks(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, tools="Read,Grep,Glob", extra=role_flags(REVIEW))
    prompt = f"Review this change.\n\n{PROMPT}\n\n{diff('R1', 'R3')}\nReport only real defects."
    output = result(bench.run(seat(Role.REVIEWER_A, stop=1), prompt))["structured_output"]
    assert output["approve"] is False
    assert [f["text"] for f in output["findings"]] == [
        "push raises KeyError where the field is missing."
    ]


def test_a_reviewer_that_errs_leaves_no_answer(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, tools="Read,Grep,Glob", extra=role_flags(REVIEW))
    last = result(bench.run(seat(Role.REVIEWER_A, stop=1, reviewer={"error": 1}), diff("R1")))
    assert last.get("structured_output") is None


def test_a_challenger_rules_and_adds(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, tools="Read,Grep,Glob", extra=role_flags(RULINGS))
    findings = (
        f"1. [blocking] {FILE}:6 push raises KeyError where the field is missing.\n"
        f"2. [blocking] {FILE}:1 push shares the list with the caller.\n"
    )
    prompt = f"{PROMPT}\n\n{diff('R1')}\n\nThe findings:\n{findings}\nRule on each."
    output = result(bench.run(seat(Role.CHALLENGER, stop=1), prompt))["structured_output"]
    assert [r["ruling"] for r in output["rulings"]] == ["upheld", "rejected"]
    assert [f["text"] for f in output["added_findings"]] == [
        "pull removes only the first occurrence."
    ]


def test_a_writer_hands_in_a_module(tmp_path: Path, cli: Path) -> None:
    bench = Bench(tmp_path, cli, tools="Read,Grep,Glob", extra=role_flags(MODULE))
    output = result(bench.run(seat(Role.WRITER)))["structured_output"]
    assert output["file"].count("\ndef test_") == len(IDS)
    compile(output["file"], "acceptance", "exec")

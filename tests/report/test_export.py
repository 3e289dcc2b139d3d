"""Exports of hand-made trials: what other tools will read."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handmade import Stop, Trial, job, six_trials
from handmade_matrix import HOSTILE, fifty_trials

from gatebench.model.job import JobData
from gatebench.model.reasons import FindingMatch, Triage
from gatebench.model.stop import Finding, GateStatus, Severity
from gatebench.model.verdict import HiddenTest, Outcome, Verdict
from gatebench.report.export_atif import to_atif
from gatebench.report.export_ctrf import STATUSES, status_of, to_ctrf
from gatebench.report.export_data import Source, sources
from gatebench.report.export_sarif import FINGERPRINT, to_sarif
from gatebench.report.export_tables import (
    STOP_COLUMNS,
    TRIAL_COLUMNS,
    Row,
    stop_rows,
    to_csv,
    trial_rows,
)
from gatebench.store.job_dir import JobDir

NAME = "T1-g3-r1"
OFF_BY_ONE = {"severity": "blocking", "file": "a b.py", "line": 7, "text": "off by one at line 7"}
SAME_LATER = {**OFF_BY_ONE, "line": 12, "text": "Off by one, at line 12."}
REWORDED = {**OFF_BY_ONE, "text": "the last element is lost"}
MINOR = {"severity": "minor", "file": "a b.py", "line": None, "text": "no docstring"}


def said(*findings: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    call = {"id": "A", "approve": False, "findings": list(findings), "error": None}
    return (call, {"id": "B", "approve": True, "findings": [], "error": None})


def reviewed() -> JobData:
    stops = (
        Stop("red", "R1", reviewers=said(OFF_BY_ONE, MINOR), reason=HOSTILE),
        Stop("red", "R1", reviewers=said(SAME_LATER)),
        Stop("red", reviewers=said(REWORDED)),
        Stop("pass"),
    )
    return job(Trial(NAME, stops=stops))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_tables_have_a_row_for_each_trial_and_stop() -> None:
    data = fifty_trials()
    trials = table(to_csv(TRIAL_COLUMNS, trial_rows(data)))
    stops = table(to_csv(STOP_COLUMNS, stop_rows(data)))
    assert len(trials) == 50
    assert len(stops) == sum(len(t.stops) for t in data.trials)
    right = sum(int(t["right_blocks"] or 0) for t in trials)
    assert right == sum(s["label"] == "right_block" for s in stops) > 0
    assert {t["simulated"] for t in trials} == {"true"}
    assert {t["hook_calls"] for t in trials if t["cfg"] == "bare"} == {""}


def test_a_cell_never_becomes_a_formula() -> None:
    hostile: Row = {"a": "=HYPERLINK(1)", "b": "-1+1"}
    plain: Row = {"a": -1.5, "b": 'fine, "quoted"\nline'}
    first, second = table(to_csv(("a", "b"), [hostile, plain]))
    assert first == {"a": "'=HYPERLINK(1)", "b": "'-1+1"}
    assert second == {"a": "-1.5", "b": 'fine, "quoted"\nline'}


def test_hostile_reasons_come_through_csv_unharmed() -> None:
    (first, *_) = table(to_csv(STOP_COLUMNS, stop_rows(reviewed())))
    assert first["reason"] == HOSTILE
    assert first["gates"] == "review=red"


def results_of(data: JobData) -> list[dict[str, Any]]:
    log = to_sarif(data, "1.2.3")
    assert json.loads(json.dumps(log)) == log
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {r["ruleId"] for r in run["results"]} <= rules
    assert run["properties"]["simulated"] is True
    found: list[dict[str, Any]] = run["results"]
    return found


def test_a_finding_is_followed_through_the_stops() -> None:
    first, minor, later, reworded = results_of(reviewed())
    prints = [r["partialFingerprints"][FINGERPRINT] for r in (first, minor, later, reworded)]
    assert prints[0] == prints[2]
    assert len(set(prints)) == 3
    states = [r["baselineState"] for r in (first, minor, later, reworded)]
    assert states == ["new", "new", "unchanged", "new"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20b.py"}, "region": {"startLine": 7}}
    assert "region" not in minor["locations"][0]["physicalLocation"]
    assert [r["level"] for r in (first, minor)] == ["error", "note"]


def matched(n: int, raw: dict[str, Any], *requirements: str) -> Triage:
    finding = Finding(
        severity=Severity.BLOCKING, file=raw["file"], line=raw["line"], text=raw["text"]
    )
    match = FindingMatch(gate="review", finding=finding, requirements=requirements, blocked=True)
    return Triage(n=n, tree=None, findings=(match,))


def test_whether_a_finding_was_true_and_that_rewording_does_not_hide_it() -> None:
    data = reviewed()
    triage = (
        matched(1, OFF_BY_ONE, "R1"),
        matched(2, SAME_LATER, "R1"),
        matched(3, REWORDED, "R1"),
    )
    (trial,) = data.trials
    found = results_of(replace(data, trials=(replace(trial, triage=triage),)))
    first, minor, later, reworded = found
    assert [r["properties"]["true"] for r in (first, later, reworded)] == [True, True, False]
    assert minor["properties"]["true"] is None
    prints = {r["partialFingerprints"][FINGERPRINT] for r in (first, later, reworded)}
    assert len(prints) == 1
    assert reworded["baselineState"] == "unchanged"


def verdict() -> Verdict:
    def test(name: str, **outcomes: str) -> HiddenTest:
        passed = outcomes.get("call") == "passed"
        return HiddenTest(
            id=f"test_T1.py::{name}", requirement="R1", outcomes=outcomes, passed=passed
        )

    return Verdict(
        tree="t",
        requirements={"R1": Outcome.FAIL},
        tests=(
            test("a", setup="passed", call="passed", teardown="passed"),
            test("b", setup="passed", call="failed", teardown="passed"),
            test("c", setup="skipped"),
            test("d"),
        ),
        exit_code=1,
        wall_s=0.5,
    )


STREAM: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init"},
    {
        "type": "assistant",
        "timestamp": "2026-01-01T00:00:00Z",
        "message": {
            "id": "m1",
            "content": [{"type": "text", "text": "Reading."}],
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 10, "output_tokens": 1},
        },
    },
    {
        "type": "assistant",
        "message": {
            "id": "m1",
            "content": [{"type": "tool_use", "id": "c1", "name": "Read", "input": {"file": "a"}}],
        },
    },
    {
        "type": "user",
        "message": {
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "1\tx"}],
                    "is_error": True,
                }
            ]
        },
    },
    {"type": "system", "subtype": "hook_started", "hook_event": "Stop", "hook_id": "h1"},
    {"type": "user", "message": {"content": [{"type": "text", "text": "Stop hook feedback: x"}]}},
    {"type": "assistant", "message": {"id": "m2", "content": [{"type": "text", "text": "Done."}]}},
    {"type": "result", "usage": {"output_tokens": 42, "cache_read_input_tokens": 10}},
]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    home = JobDir(tmp_path)
    data = reviewed()
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "prompt.txt").write_text("Please do it.")
    (folder / "hidden-1.json").write_text(verdict().model_dump_json())
    (folder / "hidden-final.json").write_text(verdict().model_dump_json())
    (folder / "meta.json").write_text('{"started_at": 1000.5}')
    lines = [json.dumps(event) for event in STREAM]
    (folder / "stream.jsonl").write_text("\n".join([*lines, "not json", "[1]"]) + "\n")
    (found,) = sources(home, data)
    return found


def test_hidden_tests_as_ctrf(source: Source) -> None:
    report = to_ctrf(source, "1.2.3")
    assert report["reportFormat"] == "CTRF"
    body = report["results"]
    assert [t["status"] for t in body["tests"]] == ["passed", "failed", "skipped", "other"] * 2
    assert body["tests"][0]["name"] == "stop 1: test_T1.py::a"
    assert body["tests"][-1]["extra"]["look"] == "end"
    summary = body["summary"]
    assert summary["tests"] == sum(summary[s] for s in STATUSES) == 8
    assert (summary["start"], summary["stop"]) == (1_000_500, 1_060_500)
    assert all(isinstance(t["duration"], int) for t in body["tests"])


def test_a_test_without_any_report_is_neither_passed_nor_failed() -> None:
    assert status_of(HiddenTest(id="x", requirement=None, outcomes={}, passed=False)) == "other"


AGENT_ONLY = {"model_name", "reasoning_content", "tool_calls", "metrics"}


def test_a_session_as_a_trajectory(source: Source) -> None:
    found = to_atif(source)
    assert found["schema_version"] == "ATIF-v1.8"
    steps = found["steps"]
    assert [s["step_id"] for s in steps] == list(range(1, len(steps) + 1))
    assert [s["source"] for s in steps] == ["user", "agent", "system", "agent"]
    assert steps[0]["message"] == "Please do it."
    agent = steps[1]
    assert agent["message"] == "Reading."
    assert agent["tool_calls"] == [
        {"tool_call_id": "c1", "function_name": "Read", "arguments": {"file": "a"}}
    ]
    assert agent["observation"]["results"] == [
        {"source_call_id": "c1", "content": "1\tx", "extra": {"is_error": True}}
    ]
    assert agent["metrics"] == {"prompt_tokens": 14, "cached_tokens": 10}
    assert steps[2]["message"].startswith("Stop 1: block.")
    assert steps[2]["extra"]["label"] == "right_block"
    assert not any(AGENT_ONLY & step.keys() for step in steps if step["source"] != "agent")
    final = found["final_metrics"]
    assert (final["total_steps"], final["total_completion_tokens"]) == (4, 42)


def test_a_trial_that_left_no_files_is_exported_all_the_same(tmp_path: Path) -> None:
    for found in sources(JobDir(tmp_path), six_trials()):
        assert to_ctrf(found, "0")["results"]["tests"] == []
        assert [s["source"] for s in to_atif(found)["steps"]] == ["user"]
    unfinished = job(Trial("T1-g1-r1", done=False))
    assert sources(JobDir(tmp_path), unfinished) == ()


def test_a_gate_without_reviewers_has_its_findings_told_and_nobody_says_they_are_true() -> None:
    data = reviewed()
    (trial,) = data.trials
    last = trial.stops[-1]
    given = ({**MINOR, "severity": "blocking", "text": "a test is gone"}, MINOR)
    own = last.gates[0].model_copy(
        update={"name": "diff-guard", "status": GateStatus.RED, "detail": {"findings": given}}
    )
    stops = (*trial.stops[:-1], last.model_copy(update={"gates": (own,)}))
    found = results_of(replace(data, trials=(replace(trial, stops=stops),)))
    blocking, minor = found[-2:]
    assert [r["ruleId"] for r in (blocking, minor)] == ["diff-guard/blocking", "diff-guard/minor"]
    told = [(r["properties"]["blocked"], r["properties"]["true"]) for r in (blocking, minor)]
    assert told == [(True, None), (False, None)]
    assert blocking["properties"]["reviewer"] is None

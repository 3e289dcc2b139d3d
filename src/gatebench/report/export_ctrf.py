"""Hidden tests' results as CTRF (Common Test Report Format, ctrf.io), one report per trial."""

from collections import Counter
from typing import Any

from gatebench.model.verdict import HiddenTest, Verdict
from gatebench.report.export_data import Source

SPEC = "0.0.0"
STATUSES = ("passed", "failed", "skipped", "pending", "other")
Json = dict[str, Any]


def to_ctrf(source: Source, version: str) -> Json:
    """Every look's tests: each stop's, then the end's.

    CTRF asks for a duration of each test; only whole runs are timed, so it is 0 and
    ``extra.runSeconds`` says how long the run took.
    """
    tests = [_test(look, v, t) for look, v in source.verdicts() for t in v.tests]
    counts = Counter(test["status"] for test in tests)
    start = round(1000 * float(source.meta.get("started_at") or 0))
    score = source.data.score
    wall = score.wall_s if score and score.wall_s else 0.0
    summary: Json = {
        "tests": len(tests),
        **{status: counts[status] for status in STATUSES},
        "start": start,
        "stop": start + round(1000 * wall),
    }
    return {
        "reportFormat": "CTRF",
        "specVersion": SPEC,
        "generatedBy": f"gate-bench {version}",
        "results": {
            "tool": {"name": "pytest", "extra": {"trial": source.name}},
            "summary": summary,
            "tests": tests,
            "extra": {"simulated": score.simulated if score else None},
        },
    }


def _test(look: str, verdict: Verdict, test: HiddenTest) -> Json:
    return {
        "name": f"{look}: {test.id}",
        "status": status_of(test),
        "duration": 0,
        "filePath": test.id.split("::")[0],
        "extra": {
            "look": look,
            "requirement": test.requirement,
            "runSeconds": verdict.wall_s,
            "phases": test.outcomes,
        },
    }


def status_of(test: HiddenTest) -> str:
    """``passed``, ``failed``, ``skipped``, or ``other`` where no report came."""
    if test.passed:
        return "passed"
    for outcome in ("failed", "skipped"):
        if outcome in test.outcomes.values():
            return outcome
    return "other"

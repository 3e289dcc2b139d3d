"""Findings of reviewers and of other gates as SARIF 2.1.0 (OASIS), one result per finding and stop.

The partial fingerprint follows a finding through the stops of a trial: by the requirements it is
about where that is known, else by its file and words, numbers and spacing aside. The property
``true`` says whether it was true of the snapshot it was said of; null where nobody can say, and for
what gates without reviewers report: the hidden tests don't look for that.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from gatebench.model.job import JobData, TrialData
from gatebench.model.reasons import FindingMatch, Said, findings_of, was_true
from gatebench.model.stop import Finding, Severity, StopRecord

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "gateBenchFinding/v1"
LEVELS = {Severity.BLOCKING: "error", Severity.MINOR: "note"}
Json = dict[str, Any]


def to_sarif(data: JobData, version: str) -> Json:
    """The log of one job.

    Args:
        data: the job.
        version: gate-bench's.
    """
    said = [s for trial in data.trials for stop in trial.stops for s in findings_of(stop)]
    sources = dict.fromkeys(("review", *(_source(s) for s in said)))
    driver: Json = {
        "name": "gate-bench",
        "version": version,
        "rules": [_rule(source, severity) for source in sources for severity in Severity],
    }
    run: Json = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"{data.name}/"},
        "results": [r for trial in data.trials for r in _results(trial)],
        "properties": {"simulated": data.simulated, "suite": data.suite},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _source(said: Said) -> str:
    """Whose finding: all reviewers' are of one kind, whichever gate asked them."""
    return "review" if said.reviewer else said.gate


def _rule(source: str, severity: Severity) -> Json:
    whose = "a reviewer" if source == "review" else f"the gate {source}"
    return {
        "id": f"{source}/{severity.value}",
        "shortDescription": {"text": f"A {severity.value} finding of {whose}."},
        "defaultConfiguration": {"level": LEVELS[severity]},
    }


def _results(trial: TrialData) -> Iterator[Json]:
    seen: set[str] = set()
    for stop in trial.stops:
        here: set[str] = set()
        for said in findings_of(stop):
            match = _match(trial, stop.n, said)
            print_ = fingerprint(str(trial.id), said.finding, match)
            here.add(print_)
            state = "unchanged" if print_ in seen else "new"
            yield {
                **_told(said),
                "baselineState": state,
                "partialFingerprints": {FINGERPRINT: print_},
                "properties": _properties(trial, stop, said, match),
            }
        seen |= here


def _match(trial: TrialData, n: int, said: Said) -> FindingMatch | None:
    known: Iterable[FindingMatch] = (m for t in trial.triage if t.n == n for m in t.findings)
    return next((m for m in known if (m.gate, m.finding) == (said.gate, said.finding)), None)


def fingerprint(trial: str, finding: Finding, match: FindingMatch | None) -> str:
    """The same for the same complaint at every stop of a trial."""
    words = re.sub(r"\W+|\d+", " ", finding.text.lower()).split()
    about: Sequence[str] = match.requirements if match and match.requirements else words
    parts = (trial, finding.severity.value, finding.file, *about)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def _told(said: Said) -> Json:
    finding = said.finding
    place: Json = {"artifactLocation": {"uri": quote(finding.file) or "unknown"}}
    if finding.line is not None and finding.line > 0:
        place["region"] = {"startLine": finding.line}
    return {
        "ruleId": f"{_source(said)}/{finding.severity.value}",
        "level": LEVELS[finding.severity],
        "message": {"text": finding.text or "(no words)"},
        "locations": [{"physicalLocation": place}],
    }


def _properties(trial: TrialData, stop: StopRecord, said: Said, match: FindingMatch | None) -> Json:
    return {
        "trial": str(trial.id),
        "stop": stop.n,
        "gate": said.gate,
        "reviewer": said.reviewer or None,
        "blocked": said.blocked,
        "requirements": list(match.requirements) if match else None,
        "true": was_true(match, stop) if said.reviewer else None,
    }

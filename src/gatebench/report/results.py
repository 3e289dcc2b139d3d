"""``results.json``: everything estimated from a job, with the five answers, in one record.

The shape has a version (``schema``). Every estimate is an object with at least ``value``, ``n``,
``interval`` and ``method``; where ``interval`` is null, ``reason`` says why; the key ``value``
occurs in estimates alone. ``docs/reading-results.md`` explains every key.
"""

import json
from typing import Any

from gatebench.model.base import Filed, Record
from gatebench.model.job import JobData
from gatebench.report.answers import Answer, answers
from gatebench.stats.analysis import WORTH_USD, analyze
from gatebench.stats.estimate import LEVEL
from gatebench.stats.records import Analysis

RESULTS_SCHEMA = 1
"""Raised whenever a reader of the old shape would misread the new one."""


class JobHead(Record):
    """Which job this is about."""

    name: str
    suite: str
    tasks: tuple[str, ...]
    configs: tuple[str, ...]
    reps: int
    requirements: dict[str, int]
    """Hidden requirements by task."""
    trials_planned: int
    trials_done: int
    trials_valid: int


class Head(Filed):
    """What comes before the tables."""

    schema_version: int = RESULTS_SCHEMA
    kind: str = "gatebench-results"
    simulated: bool
    """A scripted team played every role: nothing here is a finding about a model."""
    level: float = LEVEL
    """Confidence of every interval."""
    job: JobHead
    questions: tuple[Answer, ...]


class Results(Analysis, Head):
    """The whole file."""


def results(job: JobData, worth_usd: float = WORTH_USD) -> Results:
    """Analyse a job, finished or not.

    Args:
        job: as it is on disk; tagged trials are left out already.
        worth_usd: dollars a passing hidden requirement is worth, for the net benefit.
    """
    analysis = analyze(job, worth_usd)
    head = {"job": _head(job), "simulated": job.simulated, "questions": answers(job, analysis)}
    return Results.model_validate(head | dict(analysis))


def _head(job: JobData) -> JobHead:
    return JobHead(
        name=job.name,
        suite=job.suite,
        tasks=job.tasks,
        configs=job.configs,
        reps=job.reps,
        requirements=dict(job.requirements),
        trials_planned=len(job.trials),
        trials_done=sum(t.score is not None for t in job.trials),
        trials_valid=sum(t.valid for t in job.trials),
    )


def to_json(found: Results) -> str:
    """The file's text: indented, keys in the records' order, a newline at the end."""
    return json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> Results:
    """Read ``results.json`` back."""
    return Results.model_validate_json(text)


def json_schema() -> dict[str, Any]:
    """JSON Schema of ``results.json``, for readers that validate."""
    return Results.model_json_schema(by_alias=True)

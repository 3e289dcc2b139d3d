"""Which hidden test rests on which sentence of which prompt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from gatebench.checks.survivors import FOLDER
from gatebench.model.base import Record
from gatebench.model.task import PromptVariant, Task
from gatebench.suites.files import read_toml, validate
from gatebench.suites.format import Filled

UNSTATED = "unstated"
_REMEDY = "docs/strength.md says what it holds."
Quotes = Annotated[tuple[Filled, ...], Field(min_length=1)] | Literal["unstated"]


class Resting(Record):
    """``[[tests]]``: one test function (or what of it is marked with one requirement)."""

    test: Filled
    """Its name; in a class ``Class::name``."""
    requirement: Filled
    explicit: Quotes
    """The sentences of the explicit prompt that it rests on, word for word."""
    terse: Quotes
    """The same of the terse prompt."""

    def quotes(self, variant: PromptVariant) -> tuple[str, ...]:
        """The sentences of one prompt; none where it is unstated."""
        said = self.explicit if variant is PromptVariant.EXPLICIT else self.terse
        return () if said == UNSTATED else tuple(said)


class AssertionsFile(Record):
    """``strength/<id>.assertions.toml``."""

    tests: tuple[Resting, ...]


@dataclass(frozen=True)
class Resolved:
    """The table of one task, held against its tests and prompts."""

    rows: tuple[Resting, ...]
    problems: tuple[str, ...]

    def unstated(self, variant: PromptVariant) -> int:
        """How many tests rest on no sentence of a prompt."""
        return sum(not row.quotes(variant) for row in self.rows)


def assertions_path(root: Path, task_id: str) -> Path:
    """Where a task's table stands."""
    return root / FOLDER / f"{task_id}.assertions.toml"


def read_assertions(root: Path, task: Task, marks: Mapping[str, frozenset[str]]) -> Resolved:
    """A task's table, and everything in it that doesn't hold.

    Args:
        root: the suite's directory.
        task: the task, with its prompts.
        marks: requirements by test function, as the hidden tests carry them.

    Raises:
        SuiteError: the file is broken; names file, field and remedy.
    """
    path = assertions_path(root, task.id)
    if not path.is_file():
        return Resolved((), (f"{path.name}: missing: no test is traced to a prompt.",))
    rows = validate(path, AssertionsFile, read_toml(path, _REMEDY)).tests
    wanted = {(test, mark) for test, found in marks.items() for mark in found}
    said = [*_coverage(rows, wanted), *_quotes(rows, task), *_statements(rows, task)]
    return Resolved(rows, tuple(f"{path.name}: {problem}" for problem in said))


def _coverage(rows: Iterable[Resting], wanted: set[tuple[str, str]]) -> Iterable[str]:
    """Every test of every requirement once, and nothing else."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        key = (row.test, row.requirement)
        if key in seen:
            yield f"{row.test} ({row.requirement}) is listed twice."
        elif key not in wanted:
            yield f"{row.test} is no hidden test of {row.requirement}."
        seen.add(key)
    for test, requirement in sorted(wanted - seen):
        yield f"{test} ({requirement}) isn't listed."


def _quotes(rows: Iterable[Resting], task: Task) -> Iterable[str]:
    """What is quoted must stand in the prompt, line breaks aside."""
    prompts = {variant: _plain(prompt) for variant, prompt in task.prompts.items()}
    for row in rows:
        for variant, prompt in prompts.items():
            for quote in row.quotes(variant):
                if _plain(quote) not in prompt:
                    yield f"{row.test}: the {variant} prompt doesn't say '{quote}'."


def _statements(rows: Iterable[Resting], task: Task) -> Iterable[str]:
    """A prompt states a requirement if, and only if, one of its tests rests on that prompt."""
    resting = {(r.requirement, v) for r in rows for v in PromptVariant if r.quotes(v)}
    for requirement in task.requirements:
        for variant in PromptVariant:
            rests = (requirement.id, variant) in resting
            if rests and variant not in requirement.stated:
                yield f"{requirement.id} is unstated by the {variant} prompt, but a test quotes it."
            if not rests and variant in requirement.stated:
                yield f"{requirement.id} is stated by the {variant} prompt, but no test quotes it."


def _plain(text: str) -> str:
    return " ".join(text.split())

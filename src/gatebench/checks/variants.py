"""Further implementations of each task, right and wrong ones, judged as the suite says.

The lattice tries defects that its author thought of while writing the tests. These were written
afterwards, to fool the hidden tests or to differ from the reference as far as the prompt allows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import anyio
from pydantic import Field

from gatebench.checks.lanes import in_lanes
from gatebench.errors import SuiteError
from gatebench.model.base import Record
from gatebench.model.blueprint import Blueprint, Edit
from gatebench.model.task import Task
from gatebench.model.verdict import Outcome, Verdict
from gatebench.suites.files import read_toml, validate
from gatebench.suites.format import Filled
from gatebench.suites.solutions import Source, check_blueprint, check_on_upstream
from gatebench.trial.bench import Bench
from gatebench.trial.planting import plant

RIGHT, WRONG = "right", "wrong"
_REMEDY = "docs/suites.md says what it holds."


class Variant(Record):
    """One further implementation."""

    name: Filled
    note: Filled
    """What is odd about it."""
    fails: tuple[str, ...]
    """Exactly the requirements that it misses; none for a right one."""
    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]

    @property
    def blueprint(self) -> Blueprint:
        """Its edits as a solution."""
        return Blueprint(edits=self.edits)


class VariantsFile(Record):
    """``solutions/<id>.wrong.toml`` and ``solutions/<id>.right.toml``."""

    variants: Annotated[tuple[Variant, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Judged:
    """How the variants of one task came out."""

    right: int
    wrong: int
    problems: tuple[str, ...]
    """Every deviation from what the files say."""


@dataclass(frozen=True)
class _Case:
    """One variant and where it stands."""

    variant: Variant
    source: Source
    field: str


def read_variants(root: Path, task: Task, kind: str) -> tuple[Variant, ...]:
    """A task's ``right`` or ``wrong`` variants; none where the suite has no such file.

    Raises:
        SuiteError: the file is broken; names file, field and remedy.
    """
    return tuple(case.variant for case in _cases(root, task, kind))


async def judge_variants(bench: Bench, task: Task) -> Judged:
    """Have the oracle judge every variant of a task, and tell where it disagrees with the files.

    Raises:
        SuiteError: a file is broken, or an edit doesn't fit the library.
    """
    right, wrong = (_cases(bench.suite.root, task, kind) for kind in (RIGHT, WRONG))
    pristine = await bench.settle_trees()
    built = await anyio.to_thread.run_sync(_build, (*right, *wrong), bench.upstream)

    async def judge(item: tuple[_Case, dict[str, str]]) -> tuple[str, ...]:
        case, files = item
        tree = await plant(bench, pristine, files)
        verdict = (await bench.oracle.judge(tree, task.id)).verdict
        return tuple(_deviations(case, verdict))

    problems = await in_lanes(built, judge)
    return Judged(len(right), len(wrong), tuple(p for found in problems for p in found))


def _cases(root: Path, task: Task, kind: str) -> tuple[_Case, ...]:
    path = root / "solutions" / f"{task.id}.{kind}.toml"
    if not path.is_file():
        return ()
    variants = validate(path, VariantsFile, read_toml(path, _REMEDY)).variants
    source = Source(path, task)
    cases = tuple(_Case(v, source, f"variants.{n}") for n, v in enumerate(variants))
    for case in cases:
        _check(case, kind)
    names = [variant.name for variant in variants]
    if doubled := next((c for c in cases if names.count(c.variant.name) > 1), None):
        said = f"'{doubled.variant.name}' occurs twice"
        raise source.fault(f"{doubled.field}.name", said, "Rename one.")
    return cases


def _check(case: _Case, kind: str) -> None:
    """What can be seen without the library."""
    fails, known = case.variant.fails, case.source.task.requirement_ids
    field = f"{case.field}.fails"
    if unknown := set(fails) - set(known):
        remedy = f"The task has {', '.join(known)}."
        raise case.source.fault(field, f"'{min(unknown)}' is no requirement", remedy)
    if bool(fails) != (kind == WRONG):
        remedy = "Name the requirements that a wrong variant misses; a right one misses none."
        raise case.source.fault(field, "empty" if kind == WRONG else "not empty", remedy)
    with _Located(case):
        check_blueprint(case.variant.blueprint, case.source, conditional=False)


def _build(cases: Iterable[_Case], upstream: Path) -> list[tuple[_Case, dict[str, str]]]:
    """Each variant with its files; in one thread, because Python's parser isn't safe in several."""
    return [(case, _files(case, upstream)) for case in cases]


def _files(case: _Case, upstream: Path) -> dict[str, str]:
    """The changed files by path."""
    names = {edit.file for edit in case.variant.edits}
    pristine = {n: (upstream / n).read_text() for n in names if (upstream / n).is_file()}
    with _Located(case):
        check_on_upstream(case.variant.blueprint, case.source, pristine)
        return case.variant.blueprint.apply(pristine, ())


class _Located:
    """Says in a complaint about edits which variant they belong to."""

    def __init__(self, case: _Case) -> None:
        self._case = case

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Put the variant's name before the sentence."""
        if isinstance(error, SuiteError):
            where = f"{self._case.source.path}: variant '{self._case.variant.name}'"
            said = error.message.removeprefix(f"{self._case.source.path}: ")
            raise SuiteError(f"{where}: {said}", error.hint) from None


def _deviations(case: _Case, verdict: Verdict) -> Iterable[str]:
    where = f"{case.source.path.name}: variant '{case.variant.name}'"
    if verdict.unscorable_reason is not None:
        yield f"{where}: no verdict: {verdict.unscorable_reason}."
        return
    for requirement, outcome in verdict.requirements.items():
        passed = outcome is Outcome.PASS
        if passed and requirement in case.variant.fails:
            yield f"{where}: {requirement} passes, though the variant misses it: weak tests."
        elif not passed and requirement not in case.variant.fails:
            failed = [t.id for t in verdict.tests if t.requirement == requirement and not t.passed]
            yield f"{where}: {requirement} fails, though nothing is wrong with it: {failed[:3]}."

"""The team on the suite that ships: it knows its material, its edits apply, its diffs are read."""

import difflib
import itertools
import random
from pathlib import Path

import anyio
import pytest

from gatebench.model.material import TaskMaterial
from gatebench.suites import fetch_upstream, load_suite
from gatebench.suites.hidden import load_hidden
from gatebench.team import diffs, edits, words, worker
from gatebench.team.worker import Outcome

TASKS = ("T1", "T2", "T3", "T4", "T5", "T6")
TRANSITIONS = 120
"""Changes from one subset to another that are tried per task, of 992."""


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anyio.run(fetch_upstream, load_suite("tinydb"), tmp_path_factory.mktemp("cache"))


def material(task: str) -> TaskMaterial:
    found = load_hidden(load_suite("tinydb")).material(task)
    assert found is not None
    return found


def pristine(upstream: Path, own: TaskMaterial) -> dict[str, str]:
    paths = {edit.file for edit in own.blueprint.edits if edit.anchor}
    return {path: (upstream / path).read_text() for path in sorted(paths)}


def diff(before: dict[str, str], after: dict[str, str]) -> str:
    parts = []
    for path, text in sorted(after.items()):
        old, new = before.get(path, "").splitlines(), text.splitlines()
        lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
        parts += [f"diff --git a/{path} b/{path}", *lines]
    return "\n".join(parts)


@pytest.mark.parametrize("task", TASKS)
def test_every_subset_is_recognised_by_its_diff(task: str, upstream: Path) -> None:
    own = material(task)
    before, ids = pristine(upstream, own), tuple(own.requirements)
    for satisfied in edits.subsets(ids):
        seen = diffs.read(
            f"Review this.\n{diff(before, own.blueprint.apply(before, satisfied))}\nThanks."
        )
        assert diffs.recognise(seen, own.blueprint, ids, frozenset()) == satisfied


def typed(files: dict[str, str], own: TaskMaterial, way: tuple[Outcome, Outcome]) -> dict[str, str]:
    """The files after the worker's edits, each at a place that is there once."""
    files = dict(files)
    for use in edits.changes(own.blueprint, *way, ""):
        path, old = use.given("file_path").lstrip("/"), use.given("old_string")
        assert files[path].count(old) == 1, (path, old)
        files[path] = files[path].replace(old, use.given("new_string"))
    return files


@pytest.mark.parametrize("task", TASKS)
def test_the_workers_edits_lead_from_any_subset_to_any_other(task: str, upstream: Path) -> None:
    own = material(task)
    before = pristine(upstream, own)
    states = [Outcome(s, started=True, acted=True) for s in edits.subsets(own.requirements)]
    start = Outcome(frozenset(), started=False, acted=False)
    ways = [(start, state) for state in states]
    ways += random.Random(1).sample(list(itertools.permutations(states, 2)), TRANSITIONS)  # noqa: S311  # a sample
    for one, other in ways:
        files = own.blueprint.apply(before, one.subset) if one.started else before
        wanted = {**before, **own.blueprint.apply(before, other.subset)}
        assert typed({**before, **files}, own, (one, other)) == wanted


@pytest.mark.parametrize("task", TASKS)
def test_tests_and_findings_name_their_requirement_and_no_other(task: str) -> None:
    own = material(task)
    for r, about in own.requirements.items():
        tests = (about.visible, about.hedged, about.strict)
        texts = [f"FAILED acceptance/test_acceptance.py::{test.name} - x" for test in tests]
        for text in (*texts, *about.findings):
            assert worker.named_in(own, text) == {r}, text
    for _, text in (*own.false_findings, *own.minor_findings):
        assert worker.named_in(own, text) == set(), text


@pytest.mark.parametrize("task", TASKS)
def test_the_workers_own_tests_are_a_new_file_that_compiles(task: str, upstream: Path) -> None:
    own = material(task)
    assert not (upstream / words.own_test_path(own)).exists()
    compile(words.own_test_module(own, own.requirements), "own", "exec")

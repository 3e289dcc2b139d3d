"""docs/strength.md says what the suite's data say, and no other figures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebench.checks.assertions import read_assertions
from gatebench.checks.survivors import Kind, StrengthFile, read_strength
from gatebench.checks.variants import RIGHT, WRONG, read_variants
from gatebench.model.task import PromptVariant, Task
from gatebench.suites import load_suite
from gatebench.suites.hidden import load_hidden

PAGE = Path(__file__).parent.parent.parent / "docs" / "strength.md"
SUITE = load_suite("tinydb")
HIDDEN = load_hidden(SUITE)
LEAST_WRONG, LEAST_RIGHT = 15, 3
each_task = pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.id)


def strength_of(task: Task) -> StrengthFile:
    found = read_strength(SUITE.root, task)
    assert found is not None
    return found


def figures() -> Iterator[str]:
    """The page's first table."""
    yield (
        "| task | mutants | killed | raw score | without equivalents | wrong | right "
        "| hidden tests | unstated by the explicit prompt | by the terse one |"
    )
    yield "|---" * 10 + "|"
    for task in SUITE.tasks:
        known = strength_of(task)
        table = read_assertions(SUITE.root, task, HIDDEN.tests(task.id).marks)
        cells = [
            task.id,
            known.mutants,
            known.killed,
            f"{known.raw:.3f}",
            f"{known.without_equivalents:.3f}",
            *(len(read_variants(SUITE.root, task, kind)) for kind in (WRONG, RIGHT)),
            len(table.rows),
            *(table.unstated(v) for v in (PromptVariant.EXPLICIT, PromptVariant.TERSE)),
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def survivors() -> Iterator[str]:
    """The page's second table."""
    yield "| task | the reference's line | in the mutant | class | why |"
    yield "|---" * 5 + "|"
    for task in SUITE.tasks:
        for s in strength_of(task).survivors:
            was, now = (text.replace("|", "\\|") for text in (s.was, s.now))
            kind = s.kind.replace("_", " ")
            yield f"| {task.id} | `{was}` | `{now}` | {kind} | {s.why} |"


@pytest.mark.parametrize("table", [figures, survivors])
def test_the_page_shows_the_data(table: object) -> None:
    assert callable(table)
    lines = list(table())
    assert "\n".join(["", *lines, ""]) in PAGE.read_text(), "\n".join(lines)


@each_task
def test_no_survivor_is_a_weakness(task: Task) -> None:
    assert [s for s in strength_of(task).survivors if s.kind is Kind.WEAKNESS] == []


@each_task
def test_there_are_enough_further_implementations(task: Task) -> None:
    assert len(read_variants(SUITE.root, task, WRONG)) >= LEAST_WRONG
    assert len(read_variants(SUITE.root, task, RIGHT)) >= LEAST_RIGHT


@each_task
def test_wrong_ones_try_every_requirement(task: Task) -> None:
    missed = {r for variant in read_variants(SUITE.root, task, WRONG) for r in variant.fails}
    assert missed == set(task.requirement_ids)


@each_task
def test_every_test_rests_on_sentences_that_are_there(task: Task) -> None:
    table = read_assertions(SUITE.root, task, HIDDEN.tests(task.id).marks)
    assert table.problems == ()

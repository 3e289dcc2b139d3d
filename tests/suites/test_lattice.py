"""The shipped suite's promise: hidden tests pass exactly what a tree satisfies."""

import shutil
import subprocess
from pathlib import Path

import pytest
from suite_ground import Ground, shared_ground, subsets

from gatebench.model.blueprint import Blueprint
from gatebench.model.material import TaskMaterial
from gatebench.suites.loader import SHIPPED

TASKS = sorted(path.stem for path in (SHIPPED / "tinydb" / "tasks").glob("T*.toml"))
EMPTY = Blueprint(edits=())

# One task shows that it holds in the quick half; all of them take minutes and belong to the proof.
pytestmark = pytest.mark.parametrize(
    "task_id", [pytest.param(t, marks=() if t == "T1" else pytest.mark.proof) for t in TASKS]
)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return shared_ground(tmp_path_factory)


def acceptance(material: TaskMaterial, kind: str, place: Path) -> Path:
    """A module of one kind of the team's tests."""
    codes = [getattr(item, kind).code for item in material.requirements.values()]
    place.write_text("\n\n".join([material.imports, *codes]))
    return place


def names(material: TaskMaterial, kind: str) -> dict[str, str]:
    """Function name by requirement."""
    return {r: getattr(item, kind).name for r, item in material.requirements.items()}


def test_every_subset_passes_exactly_itself(ground: Ground, task_id: str, tmp_path: Path) -> None:
    wanted = subsets(ground.suite.task(task_id).requirement_ids)
    blueprint = ground.hidden.blueprint(task_id)
    trees = [ground.tree(tmp_path / str(n), blueprint, s) for n, s in enumerate(wanted)]
    outcomes = ground.run(ground.hidden.tests(task_id).file, trees)
    assert [sorted(o.requirements()) for o in outcomes] == [sorted(s) for s in wanted]


def test_no_two_subsets_look_alike(ground: Ground, task_id: str) -> None:
    wanted = subsets(ground.suite.task(task_id).requirement_ids)
    blueprint = ground.hidden.blueprint(task_id)
    texts = {tuple(text for _, text in blueprint.render(subset)) for subset in wanted}
    assert len(texts) == len(wanted)


def test_upstream_passes_nothing_but_guards(ground: Ground, task_id: str, tmp_path: Path) -> None:
    tree = ground.tree(tmp_path / "tree", EMPTY, ())
    (outcome,) = ground.run(ground.hidden.tests(task_id).file, [tree])
    guards = ground.suite.task(task_id).guards
    assert outcome.requirements() == guards


@pytest.mark.parametrize("which", ["blueprint", "second"])
def test_correct_solutions_pass_everything(
    ground: Ground, task_id: str, which: str, tmp_path: Path
) -> None:
    ids = ground.suite.task(task_id).requirement_ids
    blueprint = getattr(ground.hidden, which)(task_id)
    tree = ground.tree(tmp_path / "tree", blueprint, ids)
    (outcome,) = ground.run(ground.hidden.tests(task_id).file, [tree])
    assert outcome.requirements() == set(ids)
    shutil.copytree(ground.upstream / "tests", tree / "tests")
    argv = (str(ground.python), *ground.suite.library.command)
    done = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_visible_tests_fail_exactly_where_something_is_missing(
    ground: Ground, task_id: str, tmp_path: Path
) -> None:
    material = ground.hidden.material(task_id)
    assert material is not None
    wanted = subsets(ground.suite.task(task_id).requirement_ids)
    trees = [ground.tree(tmp_path / str(n), material.blueprint, s) for n, s in enumerate(wanted)]
    file = acceptance(material, "visible", tmp_path / "test_acceptance.py")
    by_name = names(material, "visible")
    failing = [{n for r, n in by_name.items() if r not in subset} for subset in wanted]
    assert [set(o.failed_names()) for o in ground.run(file, trees)] == failing


def test_hedged_tests_accept_right_and_wrong(ground: Ground, task_id: str, tmp_path: Path) -> None:
    material = ground.hidden.material(task_id)
    assert material is not None
    ids = frozenset(ground.suite.task(task_id).requirement_ids)
    cases = [ids, *(ids - {r} for r in sorted(ids))]
    trees = [ground.tree(tmp_path / str(n), material.blueprint, s) for n, s in enumerate(cases)]
    file = acceptance(material, "hedged", tmp_path / "test_acceptance.py")
    assert [o.failed_names() for o in ground.run(file, trees)] == [frozenset()] * len(cases)


def test_strict_tests_fail_on_the_reference(ground: Ground, task_id: str, tmp_path: Path) -> None:
    material = ground.hidden.material(task_id)
    assert material is not None
    ids = ground.suite.task(task_id).requirement_ids
    tree = ground.tree(tmp_path / "tree", material.blueprint, ids)
    (outcome,) = ground.run(acceptance(material, "strict", tmp_path / "test_a.py"), [tree])
    assert outcome.failed_names() == set(names(material, "strict").values())


@pytest.mark.parametrize("kind", ["visible", "hedged", "strict"])
def test_acceptance_tests_collect_on_upstream(
    ground: Ground, task_id: str, kind: str, tmp_path: Path
) -> None:
    material = ground.hidden.material(task_id)
    assert material is not None
    tree = ground.tree(tmp_path / "tree", EMPTY, ())
    (outcome,) = ground.run(acceptance(material, kind, tmp_path / "test_a.py"), [tree])
    assert len(outcome.passed) >= len(material.requirements)

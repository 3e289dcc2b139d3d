"""The hidden tests' ids, known in advance."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from suite_example import example_suite
from suite_ground import Ground, shared_ground, subsets

from gatebench.errors import SuiteError
from gatebench.sandbox import open_sandbox
from gatebench.suites import build_environment, fetch_upstream, load_suite
from gatebench.suites.collection import Bench, expected_tests
from gatebench.suites.hidden import load_hidden


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return shared_ground(tmp_path_factory)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return example_suite(tmp_path / "pocket")


def collect(root: Path, cache: Path, kind: str = "bwrap") -> dict[str, str]:
    async def run() -> dict[str, str]:
        suite = load_suite(str(root))
        upstream = await fetch_upstream(suite, cache)
        environment = await build_environment(suite, cache)
        sandbox = open_sandbox("bwrap" if kind == "bwrap" else "none")
        bench = Bench(environment, sandbox, cache)
        return dict(await expected_tests(load_hidden(suite, upstream), "T1", bench))

    return anyio.run(run)


@pytest.mark.parametrize("kind", ["bwrap", "none"])
def test_every_test_and_its_requirement(root: Path, ground: Ground, kind: str) -> None:
    with (root / "hidden" / "test_T1.py").open("a") as stream:
        stream.write(f"# {kind}\n")
    assert list(collect(root, ground.cache, kind).items()) == [
        ("test_T1.py::test_mean_of_numbers[numbers0-1.5]", "R1"),
        ("test_T1.py::test_mean_of_numbers[numbers1-3.0]", "R1"),
        ("test_T1.py::test_mean_of_nothing", "R2"),
    ]


def append(text: str) -> Callable[[str], str]:
    return lambda source: source + text


@pytest.mark.parametrize(
    ("change", "word"),
    [
        pytest.param(append("import nothing_of_the_kind\n"), "doesn't collect", id="import"),
        pytest.param(
            append(
                '@pytest.mark.parametrize("n", [pytest.param(1, id="a"), 2])\n'
                '@pytest.mark.requirement("R1")\ndef test_odd(n): ...\n'
                "def add(function, mark):\n    return pytest.mark.requirement(mark)(function)\n"
                'test_odd = add(test_odd, "R2")\n'
            ),
            "marked with R1, R2",
            id="two marks at run time",
        ),
    ],
)
def test_what_only_collecting_shows_is_said(
    root: Path, ground: Ground, change: Callable[[str], str], word: str
) -> None:
    file = root / "hidden" / "test_T1.py"
    file.write_text(change(file.read_text()))
    with pytest.raises(SuiteError, match=word) as caught:
        collect(root, ground.cache)
    assert str(file) in str(caught.value)


def test_the_examples_lattice_holds(root: Path, ground: Ground, tmp_path: Path) -> None:
    suite = load_suite(str(root))
    hidden = load_hidden(suite, root / "library")
    example = Ground(suite, root / "library", ground.environment, hidden, ground.cache)
    wanted = subsets(("R1", "R2"))
    trees = [
        example.tree(tmp_path / str(n), hidden.blueprint("T1"), s) for n, s in enumerate(wanted)
    ]
    outcomes = example.run(hidden.tests("T1").file, trees)
    assert [o.requirements() for o in outcomes] == wanted
    second = example.tree(tmp_path / "second", hidden.second("T1"), ())
    assert example.run(hidden.tests("T1").file, [second])[0].requirements() == {"R1", "R2"}

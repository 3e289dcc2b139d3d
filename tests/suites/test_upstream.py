"""Fetching the library, and making its repository, with the real package client and git."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from suite_example import example_suite
from suite_ground import Ground, shared_ground

from gatebench.errors import FetchError, SuiteError
from gatebench.suites import Suite, fetch_upstream, load_suite


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return shared_ground(tmp_path_factory)


@pytest.fixture
def pocket(tmp_path: Path) -> Suite:
    return load_suite(str(example_suite(tmp_path / "pocket")))


def git(work: Path, *arguments: str) -> str:
    argv = ("git", "-c", f"safe.directory={work}", *arguments)
    return subprocess.run(argv, cwd=work, capture_output=True, text=True, check=True).stdout


def green(ground: Ground, tree: Path) -> tuple[int, str]:
    """The library's own tests in a tree: exit code and output."""
    argv = (str(ground.python), "-B", *ground.suite.library.command)
    done = subprocess.run(argv, cwd=tree, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def patched(ground: Ground, tree: Path, *names: str) -> Path:
    """A copy of the library with injections applied by git."""
    shutil.copytree(ground.upstream, tree)
    for name in names:
        git(tree, "apply", str(ground.suite.injection(name)))
    return tree


def test_the_library_is_what_a_checkout_would_hold(ground: Ground) -> None:
    names = {path.name for path in ground.upstream.iterdir()}
    assert names == {
        *(".git", ".gitignore", "LICENSE", "README.rst", "pyproject.toml"),
        *("tests", "tinydb"),
    }


def test_the_repository_has_one_neutral_commit(ground: Ground) -> None:
    log = git(ground.upstream, "log", "--all", "--format=%an|%ae|%at|%ct|%s|%P")
    start = "1577836800"  # 2020-01-01 in UTC
    assert log == f"dev|dev@example.com|{start}|{start}|Initial import|\n"
    assert git(ground.upstream, "status", "--porcelain", "--ignored") == ""
    assert git(ground.upstream, "remote") == ""
    assert git(ground.upstream, "reflog") == ""


def test_the_librarys_own_tests_are_green(ground: Ground, tmp_path: Path) -> None:
    code, output = green(ground, patched(ground, tmp_path / "tree"))
    assert code == 0, output


def test_the_break_makes_exactly_one_test_red(ground: Ground, tmp_path: Path) -> None:
    code, output = green(ground, patched(ground, tmp_path / "tree", "break"))
    assert code == 1
    assert "1 failed" in output
    assert "test_queries.py::test_ge" in output


def test_the_thin_tests_touch_tests_and_are_green_on_the_reference(
    ground: Ground, tmp_path: Path
) -> None:
    tree = patched(ground, tmp_path / "tree", "thin")
    assert git(tree, "status", "--porcelain").split() == ["??", "tests/test_push_pull.py"]
    assert green(ground, tree)[0] != 0, "upstream has no push"
    ids = ground.suite.task("T1").requirement_ids
    for name, text in anyio.run(ground.hidden.solution_files, "T1", ids).items():
        (tree / name).write_text(text)
    code, output = green(ground, tree)
    assert code == 0, output


def test_a_second_call_fetches_nothing(ground: Ground) -> None:
    before = ground.upstream.stat().st_ino
    again = anyio.run(fetch_upstream, ground.suite, ground.cache)
    assert (again, again.stat().st_ino) == (ground.upstream, before)


def test_two_callers_at_once_make_it_once(pocket: Suite, tmp_path: Path) -> None:
    found: list[tuple[Path, int]] = []

    async def fetch() -> None:
        tree = await fetch_upstream(pocket, tmp_path / "cache")
        found.append((tree, tree.stat().st_ino))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(fetch)

    anyio.run(both)
    assert len(found) == 4
    assert len(set(found)) == 1


def test_two_processes_at_once_agree(pocket: Suite, tmp_path: Path) -> None:
    code = (
        "import sys, anyio, pathlib, gatebench.suites as s;"
        "print(anyio.run(s.fetch_upstream, s.load_suite(sys.argv[1]), pathlib.Path(sys.argv[2])))"
    )
    argv = (sys.executable, "-c", code, str(pocket.root), str(tmp_path / "cache"))
    running = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = {process.communicate(timeout=60)[0] for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(said) == 1


def test_a_half_made_cache_is_made_anew(pocket: Suite, tmp_path: Path) -> None:
    tree = anyio.run(fetch_upstream, pocket, tmp_path / "cache")
    (tree.parent / ".complete").unlink()
    shutil.rmtree(tree / "pocket")
    stale = tree.parent.with_name(f"{tree.parent.name}.part")
    (stale / "tree").mkdir(parents=True)
    again = anyio.run(fetch_upstream, pocket, tmp_path / "cache")
    assert (again / "pocket" / "__init__.py").is_file()
    assert not stale.exists()


def test_another_hash_is_refused(ground: Ground, tmp_path: Path) -> None:
    upstream = replace(ground.suite.upstream, sha256="0" * 64)
    with pytest.raises(FetchError, match="could not be fetched") as caught:
        anyio.run(fetch_upstream, replace(ground.suite, upstream=upstream), tmp_path)
    assert "pinned" in caught.value.hint
    assert not list((tmp_path / "upstream").glob("*/"))


def test_an_unreachable_index_is_said(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path),
        "PIP_CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(FetchError) as caught:
        anyio.run(fetch_upstream, ground.suite, tmp_path)
    assert "tinydb==4.9.0 could not be fetched" in str(caught.value)
    assert "index can be reached" in caught.value.hint


def test_a_library_that_isnt_as_said_is_refused(pocket: Suite, tmp_path: Path) -> None:
    library = replace(pocket.library, tests="checks")
    with pytest.raises(SuiteError, match=r"library\.tests.*'checks'"):
        anyio.run(fetch_upstream, replace(pocket, library=library), tmp_path / "cache")

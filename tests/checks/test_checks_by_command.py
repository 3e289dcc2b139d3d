"""`validate`, `writer`, `review` and `doctor`: what they say, and what they notice."""

import json
import shutil
from pathlib import Path

import pytest
from front import Front, Job

WRITER_TASK = "T1"


def test_doctor_finds_everything(front: Front) -> None:
    done = front("doctor")
    assert done.returncode == 0, done.stdout
    for name in ("python", "git", "sandbox", "suite", "agent"):
        assert f"ok   {name}" in done.stdout
    assert "Next: gatebench run" in done.stdout


def test_doctor_says_what_to_do_about_what_is_missing(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("no directory")
    done = Front(tmp_path, blocked)("doctor", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert not any(way["ok"] for way in found["ways"])
    bad = [finding for finding in found["findings"] if not finding["ok"]]
    assert bad
    assert all(finding["said"] and finding["remedy"] for finding in bad)


def test_a_writers_tests_are_measured(front: Front) -> None:
    done = front("writer", "--task", WRITER_TASK, "--validate", "--profile", "perfect", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["simulated"] is True
    (task,) = found["tasks"]
    assert task["caught"] == dict.fromkeys(("R1", "R2", "R3", "R4", "R5"), True)
    assert task["false_alarms"] == []
    assert task["fail_upstream"] == task["tests"] > 0


def test_a_writer_shows_its_tests(front: Front, pocket: Path) -> None:
    done = front("writer", "--suite", pocket, "--profile", "perfect")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# T1: 2 tests")
    assert "def test_mean_keeps_the_fraction" in done.stdout


@pytest.fixture
def change(pocket: Path, tmp_path: Path) -> Path:
    """The example's library with a hasty `mean`."""
    tree = Path(shutil.copytree(pocket / "library", tmp_path / "tree"))
    code = "\n\ndef mean(numbers):\n    return total(numbers) // len(numbers)\n"
    with (tree / "pocket/__init__.py").open("a") as file:
        file.write(code)
    return tree


@pytest.mark.parametrize("variant", ["indep", "adv"])
def test_a_directory_is_reviewed(variant: str, front: Front, pocket: Path, change: Path) -> None:
    where = ("--task", "T1", "--suite", pocket, "--profile", "perfect", "--variant", variant)
    done = front("review", change, *where, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["simulated"], found["status"]) == (True, "red")
    assert found["detail"]["variant"] == variant
    assert "divides with //" in found["reason"]


def test_a_blunted_requirement_is_noticed_and_named(front: Front, pocket: Path) -> None:
    file = pocket / "hidden/test_T1.py"
    file.write_text(file.read_text().replace('assert mean([]) == "null"', "assert True"))
    done = front("validate", pocket, "--only", "oracle")
    assert done.returncode == 1
    assert "FAIL oracle" in done.stdout
    assert "T1 R2: its hidden tests pass on the tree" in done.stdout
    assert "T1 R1" not in done.stdout
    assert "Not valid: oracle" in done.stdout


def test_a_promise_that_the_library_does_not_cover_is_named(front: Front, pocket: Path) -> None:
    file = pocket / "tasks/T1.toml"
    file.write_text(file.read_text().replace('id = "R2"', 'id = "R2"\ncovered = true'))
    done = front("validate", pocket, "--only", "oracle")
    assert done.returncode == 1, done.stdout
    assert "the library's own suite is green, so it doesn't cover R2." in done.stdout
    assert "cover R1" not in done.stdout


@pytest.mark.proof
def test_a_blunted_requirement_of_the_shipped_suite_is_noticed(
    front: Front, careless: Job, tmp_path: Path
) -> None:
    root = Path(__file__).parent.parent.parent / "src/gatebench/suites/tinydb"
    suite = Path(shutil.copytree(root, tmp_path / "blunt"))
    file = suite / "hidden/test_T2.py"
    _blunt(file, "R4")
    assert careless.done.returncode == 0
    done = front("validate", suite, "--only", "oracle")
    assert done.returncode == 1, done.stdout
    assert "T2 R4: its hidden tests pass on the tree" in done.stdout


def _blunt(file: Path, requirement: str) -> None:
    """Make every test of one requirement assert nothing."""
    out: list[str] = []
    marked = False
    for line in file.read_text().splitlines():
        out.append(line)
        marked = marked or line == f"@{requirement}"
        if marked and line.startswith("def "):
            out.append("    assert True\n    return")
            marked = False
    file.write_text("\n".join(out) + "\n")


@pytest.mark.proof
def test_the_shipped_suite_is_valid_here(front: Front) -> None:
    done = front("validate")
    assert done.returncode == 0, done.stdout
    assert "All steps green" in done.stdout
    assert done.stdout.count("ok  ") == 7

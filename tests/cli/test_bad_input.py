"""What can't be done is said in one sentence with the next step, and nothing is half-written."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from front import Front, complaint, digest

LOOK, USAGE = 1, 2
BAD_PATCH = "--- a/tinydb/nope.py\n+++ b/tinydb/nope.py\n@@ -1 +1 @@\n-a\n+b\n"
ONE = ("--configs", "g1", "--reps", "1")


@dataclass(frozen=True)
class Case:
    """A command line, and what is said about it."""

    args: tuple[str, ...]
    code: int
    names: str
    """Must stand in what is said."""


CASES = {
    "task": Case(("T9",), USAGE, "unknown task 'T9'"),
    "config": Case(("T1", "--configs", "g9"), USAGE, "unknown config 'g9'"),
    "profile": Case(("T1", "--profile", "sloppy"), USAGE, "unknown profile 'sloppy'"),
    "profile file": Case(("T1", "--profile", "none.toml"), USAGE, "none.toml"),
    "profile key": Case(("T1", *ONE, "--profile", "odd.toml"), USAGE, "worker.first_staded"),
    "profile value": Case(("T1", *ONE, "--profile", "far.toml"), USAGE, "worker.refuse"),
    "via": Case(("T1", "--via", "telepathy"), USAGE, "telepathy"),
    "agent": Case(("T1", "--agent", "hal"), USAGE, "unknown agent 'hal'"),
    "prompt": Case(("T1", "--prompt", "loud"), USAGE, "--prompt"),
    "matrix file": Case(("none.toml",), USAGE, "none.toml"),
    "matrix syntax": Case(("broken.toml",), USAGE, "broken.toml"),
    "matrix field": Case(("field.toml",), USAGE, "configs.a.giveup"),
    "gate": Case(("gate.toml",), USAGE, "unknown gate 'tests2'"),
    "gate setting": Case(("setting.toml", "--tasks", "T1"), USAGE, "setting 'variant'"),
    "settings of no gate": Case(("stray.toml", "--tasks", "T1"), USAGE, "'reveiw'"),
    "no gates": Case(("none_named.toml",), USAGE, "names no gates"),
    "no suite": Case(("./nowhere",), USAGE, "./nowhere"),
    "two suites": Case(("tinydb", "T1"), USAGE, "--tasks"),
    "injection": Case(("T1", "--inject", "smash"), USAGE, "unknown injection 'smash'"),
    "patch": Case(("T1", "--inject", "none.patch"), USAGE, "none.patch"),
    "patch that doesn't apply": Case(("T1", "--inject", "bad.patch"), LOOK, "bad.patch"),
    "no agent there": Case(("T1", "--agent-bin", "none"), LOOK, "no such file"),
    "agent not executable": Case(("T1", "--agent-bin", "odd.toml"), LOOK, "not executable"),
    "agent fails": Case(("T1", "--agent-bin", "fails"), LOOK, "exit code 1"),
    "agent is silent": Case(("T1", "--agent-bin", "silent"), LOOK, "nothing"),
    "agent for a stub": Case(("T1", "--agent", "nop", "--agent-bin", "fails"), USAGE, "nop"),
    "tag": Case(("T1", "--tag", "a/b"), USAGE, "a/b"),
}
FILES = {
    "odd.toml": "[worker]\nfirst_staded = 0.4\n",
    "far.toml": "[worker]\nrefuse = 4\n",
    "broken.toml": "tasks = [\n",
    "field.toml": "[configs.a]\ngates = []\ngiveup = 3\n",
    "gate.toml": '[configs.a]\ngates = ["tests2"]\n',
    "setting.toml": '[configs.a]\ngates = ["review"]\nsettings.review.variant = "loud"\n',
    "stray.toml": '[configs.a]\ngates = ["review"]\nsettings.reveiw.variant = "adv"\n',
    "none_named.toml": "[configs.a]\n",
    "bad.patch": BAD_PATCH,
    "fails": "#!/bin/sh\nexit 1\n",
    "silent": "#!/bin/sh\nexit 0\n",
}


@pytest.fixture(scope="module")
def place(front: Front, tmp_path_factory: pytest.TempPathFactory) -> Front:
    """A directory with bad files in it."""
    home = tmp_path_factory.mktemp("bad")
    for name, text in FILES.items():
        (home / name).write_text(text)
    for name in ("fails", "silent"):
        (home / name).chmod(0o755)
    return Front(home, front.cache)


@pytest.fixture(scope="module")
def said(place: Front) -> dict[str, subprocess.CompletedProcess[str]]:
    """Every case, run two at a time."""
    with ThreadPoolExecutor(2) as pool:
        runs = {
            name: pool.submit(place, "run", *case.args, "--out", f"out/{number}")
            for number, (name, case) in enumerate(CASES.items())
        }
        return {name: run.result() for name, run in runs.items()}


@pytest.mark.parametrize("name", CASES)
def test_one_sentence_and_the_next_step(
    name: str, said: dict[str, subprocess.CompletedProcess[str]]
) -> None:
    case = CASES[name]
    assert case.names in complaint(said[name], case.code)


def test_no_job_was_begun(place: Front, said: dict[str, subprocess.CompletedProcess[str]]) -> None:
    assert said
    assert {p.name for p in place.cwd.iterdir()} == set(FILES)


def test_a_real_model_needs_a_key(front: Front, tmp_path: Path) -> None:
    # Without --yes on purpose: should a key ever reach this test, nobody pays.
    done = front("run", "T1", "--model", "sonnet", "--out", tmp_path / "out")
    assert "ANTHROPIC_API_KEY" in complaint(done, USAGE)
    assert not (tmp_path / "out").exists()


def test_an_out_that_holds_something_else_stays_as_it_is(place: Front, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    before = digest(tmp_path)
    assert "no lock.json" in complaint(place("run", "T1", "--out", tmp_path), LOOK)
    assert digest(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["diary.txt"]


@pytest.mark.parametrize("below", ["", "deeper"])
def test_an_out_that_is_a_file_is_refused(below: str, front: Front, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text")
    args = ("run", "T1", *ONE, "--agent", "nop", "--out", file / below)
    assert str(file) in complaint(front(*args), LOOK)
    assert file.read_text() == "text"


def test_a_cache_that_cannot_be_made_is_named(front: Front, tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("no directory")
    args = ("run", "T1", *ONE, "--agent", "nop", "--out", tmp_path / "out")
    assert "GATEBENCH_CACHE" in complaint(Front(front.cwd, blocked)(*args), LOOK)
    assert not (tmp_path / "out").exists()


def test_a_suite_without_a_hidden_file_names_it(front: Front, pocket: Path) -> None:
    (pocket / "hidden/test_T1.py").unlink()
    assert "hidden/test_T1.py" in complaint(_run(front, pocket), LOOK)


def test_a_requirement_without_a_test_is_named(front: Front, pocket: Path) -> None:
    file = pocket / "hidden/test_T1.py"
    file.write_text(file.read_text().replace('requirement("R2")', 'requirement("R1")'))
    words = complaint(_run(front, pocket), LOOK)
    assert "R2" in words
    assert "test_T1.py" in words


def test_a_suites_patch_that_does_not_apply_is_named(front: Front, pocket: Path) -> None:
    file = pocket / "patches/broken.patch"
    file.write_text(file.read_text().replace("def total", "def totals"))
    assert "broken.patch" in complaint(_run(front, pocket, "--inject", "broken"), LOOK)


def test_a_suites_broken_field_is_named_with_its_file(front: Front, pocket: Path) -> None:
    file = pocket / "tasks/T1.toml"
    file.write_text(file.read_text().replace("terse =", "tense ="))
    words = complaint(_run(front, pocket), LOOK)
    assert "T1.toml" in words
    assert "terse" in words or "tense" in words


def _run(front: Front, suite: Path, *more: str) -> subprocess.CompletedProcess[str]:
    out = suite.parent / "out"
    done = front("run", suite, *ONE, *more, "--agent", "nop", "--out", out)
    assert not out.exists()
    return done


@pytest.mark.parametrize("command", ["show", "analyze", "rescore"])
def test_without_any_job_the_first_step_is_named(
    command: str, place: Front, tmp_path: Path
) -> None:
    words = complaint(Front(tmp_path, place.cache)(command), USAGE)
    assert "gatebench run" in words


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("show", "none"), "unknown job 'none'"),
        (("clean",), "nothing named"),
        (("clean", "none"), "unknown job 'none'"),
        (("review", ".", "--task", "T9"), "unknown task 'T9'"),
        (("review", ".", "--task", "T1", "--variant", "loud"), "setting 'variant'"),
        (("review", "none", "--task", "T1"), "'none'"),
        (("writer", "--task", "T9"), "unknown task 'T9'"),
        (("writer", "--prompt", "loud"), "'loud'"),
        (("writer", "--profile", "sloppy"), "unknown profile 'sloppy'"),
        (("validate", "--only", "luck"), "unknown step 'luck'"),
        (("validate", "./nowhere"), "nowhere"),
    ],
)
def test_other_commands_say_it_as_clearly(args: tuple[str, ...], names: str, place: Front) -> None:
    done = place(*args)
    assert done.returncode in {LOOK, USAGE}, done.stderr
    assert names in complaint(done, done.returncode)

"""Loading: the documented example loads, and each way to break it is named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from suite_example import example_suite

from gatebench.errors import SuiteError, UnknownName
from gatebench.model.task import PromptVariant
from gatebench.suites import load_suite, shipped_suites
from gatebench.suites.hidden import load_hidden


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return example_suite(tmp_path / "pocket")


def replace(file: str, old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / file).read_text()
        assert old in text
        (root / file).write_text(text.replace(old, new, 1))

    return change


def remove(file: str) -> Callable[[Path], None]:
    return lambda root: (root / file).unlink()


def write(file: str, data: bytes) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        (root / file).write_bytes(data)

    return change


def load_all(root: Path) -> None:
    load_hidden(load_suite(str(root)), root / "library")


def test_the_documented_example_loads(root: Path) -> None:
    suite = load_suite(str(root))
    task = suite.task("T1")
    assert task.requirement_ids == ("R1", "R2")
    assert task.stated(PromptVariant.TERSE) == {"R1"}
    assert suite.injections == {"broken": root / "patches" / "broken.patch"}
    hidden = load_hidden(suite, root / "library")
    assert hidden.tests("T1").marks == {
        "test_mean_of_numbers": {"R1"},
        "test_mean_of_nothing": {"R2"},
    }
    assert hidden.material("T1") is not None
    assert hidden.second("T1").edits


def test_the_shipped_suite_loads_by_name() -> None:
    assert "tinydb" in shipped_suites()
    suite = load_suite("tinydb")
    assert suite.task("T1").requirement_ids == ("R1", "R2", "R3", "R4", "R5")
    assert set(suite.injections) == {"break", "thin"}
    assert all(not task.spare or task.id == "T6" for task in suite.tasks), (
        "T6 alone is kept out of the matrix"
    )


def test_the_shipped_lock_pins_what_is_needed_and_names_no_index() -> None:
    suite = load_suite("tinydb")
    names = {pin.partition("==")[0] for pin in suite.environment.packages}
    assert names == {"iniconfig", "packaging", "pluggy", "pygments", "pytest", "pyyaml"}
    assert suite.environment.hashed
    assert "//" not in suite.environment.requirements


def test_no_team_means_no_material(root: Path) -> None:
    (root / "team" / "T1.toml").unlink()
    assert load_hidden(load_suite(str(root))).material("T1") is None


def test_unknown_names_tell_the_known_ones(root: Path) -> None:
    with pytest.raises(UnknownName, match="Known: tinydb"):
        load_suite("nothing")
    with pytest.raises(UnknownName, match="Known: T1"):
        load_suite(str(root)).task("T9")
    with pytest.raises(UnknownName, match="Known: broken"):
        load_suite(str(root)).injection("x")


BREAKAGES = [
    ("no suite.toml", remove("suite.toml"), ["suite.toml", "docs/suites.md"]),
    ("no toml", write("suite.toml", b"name ="), ["suite.toml", "TOML"]),
    ("no utf-8", write("tasks/T1.toml", b"id = '\xff'"), ["tasks/T1.toml", "UTF-8"]),
    ("unknown key", replace("suite.toml", "title =", "titel ="), ["injections.0.titel"]),
    ("missing key", replace("tasks/T1.toml", "title =", "#"), ["tasks/T1.toml", "'title'", "Add"]),
    ("missing prompt", replace("tasks/T1.toml", "terse =", "#"), ["tasks/T1.toml", "'terse'"]),
    (
        "no upstream hash",
        replace("suite.toml", 'path = "library"', 'package = "p"'),
        ["suite.toml", "'upstream'", "sha256"],
    ),
    (
        "upstream missing",
        replace("suite.toml", '"library"', '"elsewhere"'),
        ["'upstream.path'", "elsewhere"],
    ),
    ("loose pin", replace("suite.toml", "pytest==9.2.0", "pytest>=9"), ["packages", "pytest>=9"]),
    ("no pytest", replace("suite.toml", '"-m", "pytest"', '"run.py"'), ["library.command"]),
    ("no patch", remove("patches/broken.patch"), ["injections.broken.patch", "missing"]),
    ("other id", replace("tasks/T1.toml", '"T1"', '"T2"'), ["T1.toml", "'id'", "Rename"]),
    ("no hidden file", remove("hidden/test_T1.py"), ["hidden/test_T1.py", "missing", "Add it"]),
    ("no solution", remove("solutions/T1.toml"), ["solutions/T1.toml", "missing"]),
    ("doubled requirement", replace("tasks/T1.toml", '"R2"', '"R1"'), ["requirements", "twice"]),
    (
        "explicit leaves something out",
        replace("tasks/T1.toml", 'stated = ["explicit"]', "stated = []"),
        ["requirements", "R2", "explicit"],
    ),
    (
        "requirement without a test",
        replace("hidden/test_T1.py", 'requirement("R2")', 'requirement("R1")'),
        ["hidden/test_T1.py", "R2", "Add one"],
    ),
    (
        "unmarked test",
        replace("hidden/test_T1.py", '@pytest.mark.requirement("R2")', "@pytest.mark.other"),
        ["test_mean_of_nothing", "no requirement"],
    ),
    (
        "two marks",
        replace(
            "hidden/test_T1.py",
            "import pytest",
            'import pytest\npytestmark = pytest.mark.requirement("R1")',
        ),
        ["test_mean_of_numbers", "R1, R1"],
    ),
    (
        "unknown mark",
        replace("hidden/test_T1.py", 'requirement("R2")', 'requirement("R7")'),
        ["test_mean_of_nothing", "R7", "R1, R2"],
    ),
    ("no python", write("hidden/test_T1.py", b"def"), ["hidden/test_T1.py", "line 1"]),
    ("unknown condition", replace("solutions/T1.toml", "#if R2", "#if R9"), ["edits.0.text", "R9"]),
    ("odd condition", replace("solutions/T1.toml", "#if R2", "#if R1 or R2"), ["R1 or R2", "and"]),
    ("open condition", replace("solutions/T1.toml", "#end", "#"), ["edits.0.text", "#end"]),
    (
        "directives in the second",
        replace("solutions/T1.second.toml", "    count", "#if R1\n    count"),
        ["T1.second.toml", "without directives"],
    ),
    (
        "not upstream's file",
        replace("solutions/T1.toml", "__init__", "other"),
        ["edits.0.file", "pocket/other.py"],
    ),
    (
        "anchor not there",
        replace("solutions/T1.toml", "sum(numbers, 0)", "nothing"),
        ["edits.0.anchor", "occurs 0 times"],
    ),
    (
        "anchor not unique",
        replace("solutions/T1.second.toml", '"    return sum(numbers, 0)"', '"numbers"'),
        ["T1.second.toml", "edits.0.anchor", "occurs 3 times"],
    ),
    (
        "new file that exists",
        replace("solutions/T1.toml", '"    return sum(numbers, 0)"', '""'),
        ["edits.0.anchor", "exists"],
    ),
    (
        "solution that doesn't parse",
        replace("solutions/T1.toml", "def mean(numbers):", "def mean(numbers)"),
        ["solutions/T1.toml", "doesn't parse"],
    ),
    (
        "team lacks a requirement",
        replace("tasks/T1.toml", '[[requirements]]\nid = "R2"', '[[requirements]]\nid = "R3"'),
        ["R2"],
    ),
    (
        "team's hunk isn't added",
        replace("team/T1.toml", 'hunk = "        return None"', 'hunk = "nothing"'),
        ["team/T1.toml", "requirements.R2.hunk"],
    ),
    (
        "team's test has another name",
        replace("team/T1.toml", 'name = "test_mean_of_nothing_raises"', 'name = "test_x"'),
        ["requirements.R2.strict.name", "test_x"],
    ),
    (
        "team's test doesn't parse",
        replace("team/T1.toml", "def test_mean_of_nothing_raises():", "def test_mean("),
        ["requirements.R2.strict.code", "line"],
    ),
    (
        "team names a requirement",
        replace("team/T1.toml", "drops the fraction", "breaks R1"),
        ["team/T1.toml", "R1"],
    ),
]


@pytest.mark.parametrize(
    ("change", "words"), [pytest.param(c, w, id=name) for name, c, w in BREAKAGES]
)
def test_what_is_broken_is_named(
    root: Path, change: Callable[[Path], None], words: list[str]
) -> None:
    load_all(root)
    change(root)
    with pytest.raises(SuiteError) as caught:
        load_all(root)
    assert caught.value.hint
    for word in words:
        assert word in str(caught.value)


def test_marks_may_stand_on_parameters_and_classes(root: Path) -> None:
    text = (root / "hidden" / "test_T1.py").read_text()
    text += (
        '@pytest.mark.parametrize("n", [\n'
        '    pytest.param(1, marks=pytest.mark.requirement("R1")),\n'
        '    pytest.param(2, marks=pytest.mark.requirement("R2")),\n'
        "])\ndef test_both(n): ...\n"
        'R2 = pytest.mark.requirement("R2")\n@R2\nclass TestMore:\n    def test_x(self): ...\n'
    )
    (root / "hidden" / "test_T1.py").write_text(text)
    marks = load_hidden(load_suite(str(root))).tests("T1").marks
    assert marks["test_both"] == {"R1", "R2"}
    assert marks["TestMore::test_x"] == {"R2"}


def test_digests_tell_the_halves_apart(root: Path) -> None:
    suite = load_suite(str(root))
    hidden = load_hidden(suite)
    with (root / "hidden" / "test_T1.py").open("a") as stream:
        stream.write("# changed\n")
    assert load_suite(str(root)).digest == suite.digest
    assert load_hidden(suite).digest != hidden.digest
    with (root / "tasks" / "T1.toml").open("a") as stream:
        stream.write("# changed\n")
    assert load_suite(str(root)).digest != suite.digest


def test_a_local_library_is_identified_by_its_contents(root: Path) -> None:
    before = load_suite(str(root)).upstream.sha256
    (root / "library" / "pocket" / "new.py").write_text("")
    assert load_suite(str(root)).upstream.sha256 != before


def test_the_anchors_hold_hardly_any_of_the_librarys_code() -> None:
    suite = load_suite("tinydb")
    hidden = load_hidden(suite)
    for task in suite.tasks:
        for blueprint in (hidden.blueprint(task.id), hidden.second(task.id)):
            lengths = [len(edit.anchor.splitlines()) for edit in blueprint.edits]
            assert max(lengths) <= 2, task.id

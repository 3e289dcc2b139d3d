"""What a change does to the tests that should judge it, found without running any of it."""

from collections.abc import Mapping

import anyio
import pytest
from court import CODE, Court, shared_court
from gate_ground import Stage, stop

from gatebench.gates.diff_guard import DiffGuard
from gatebench.gates.reason import build_reason
from gatebench.gates.weakening.findings import look
from gatebench.model.stop import GateResult, GateStatus

ALL = {"R1", "R2", "R3", "R4", "R5"}
TESTS = """\
import sys
import pytest


def test_one():
    assert 1 + 1 == 2
    with pytest.raises(ValueError):
        int("x")


class TestMore:
    def test_two(self):
        self.assertEqual(1, 1)
"""


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def looked(court: Court, files: Mapping[str, str | None]) -> GateResult:
    return anyio.run(DiffGuard(Stage(court).ground).check, stop(court.tree(files)))


def found(
    after: str | None, path: str = "tests/test_x.py", before: str | None = TESTS
) -> list[str]:
    """Findings of one file, as ``path:line words``."""
    findings, _ = look("tests", {path: (before, after)})
    return [f"{line}: {words}" for name, line, words in findings if name == path]


def test_the_reference_is_let_be(court: Court) -> None:
    result = looked(court, court.solution(ALL))
    assert (result.status, result.reason) == (GateStatus.PASS, "")
    assert result.detail == {"findings": [], "unread": []}


def test_findings_name_file_and_line(court: Court) -> None:
    tests = court.ground.upstream / "tests/test_operations.py"
    text = tests.read_text()
    first = "def test_delete(db):"
    assert first in text
    line = text[: text.index(first)].count("\n") + 1
    code = court.solution(ALL)[CODE] + "\n\nimport os\nos._exit(0)\n"
    result = looked(
        court, {CODE: code, "tests/test_operations.py": text.replace(first, "def gone(db):")}
    )
    assert result.status is GateStatus.RED
    exits = code.count("\n")
    places = [(f["file"], f["line"]) for f in result.detail["findings"]]
    assert places == [("tests/test_operations.py", line), (CODE, exits)]
    reason = build_reason([result])
    assert f"1. tests/test_operations.py:{line} the test test_delete was deleted" in reason
    assert f"2. {CODE}:{exits} os._exit was added" in reason


WEAKER = {
    "file-deleted": (None, ["5: the test test_one was deleted", "12: the test TestMore.test_two"]),
    "test-deleted": (TESTS[: TESTS.index("class")], ["12: the test TestMore.test_two was deleted"]),
    "assert-gone": (
        TESTS.replace("assert 1 + 1 == 2", "1 + 1 == 2"),
        ["5: the test test_one checks less: 1 of 2"],
    ),
    "assert-that-cannot-fail": (
        TESTS.replace("1 + 1 == 2", "1 + 1 == 2 or True"),
        ["5: the test test_one checks less: 1 of 2"],
    ),
    "left-before-its-asserts": (
        TESTS.replace("    assert 1", "    return\n    assert 1"),
        ["5: the test test_one checks less: 0 of 2"],
    ),
    "skip-mark": (
        TESTS.replace("def test_one", "@pytest.mark.skip\ndef test_one"),
        ["5: pytest.mark.skip was added"],
    ),
    "skip-by-another-name": (
        TESTS.replace("import sys", "from pytest import mark as m\nimport sys").replace(
            "    assert 1", "    m.xfail\n    assert 1"
        ),
        ["7: pytest.mark.xfail was added"],
    ),
    "skip-of-the-module": (TESTS + "pytestmark = pytest.mark.skipif(True)\n", ["14: pytest.mark"]),
    "unittest-skip": (TESTS.replace("self.assertEqual(1, 1)", "self.skipTest('')"), ["12", "13"]),
    "exit": (TESTS + "sys.exit(0)\n", ["14: sys.exit was added"]),
    "exit-by-another-name": (TESTS + "from os import _exit as e\ne(0)\n", ["15: os._exit"]),
    "exit-raised": (TESTS + "raise SystemExit(0)\n", ["14: raise SystemExit was added"]),
    "exit-built-in": (TESTS + "exit()\n", ["14: exit() was added"]),
    "always-equal": (
        TESTS + "class Any:\n    def __eq__(self, other):\n        return True\n",
        ["15: __eq__ says the same of every value"],
    ),
    "never-unequal": (TESTS + "class Any:\n    __ne__ = lambda *_: False\n", ["15: __ne__ says"]),
    "always-equal-made": (
        TESTS + "A = type('A', (), {'__eq__': lambda *_: True})\n",
        ["14: __eq__"],
    ),
    "unreadable": ("def test_one(:\n", ["None: this test file can't be read"]),
    "nul": (TESTS + "\0", ["None: this test file can't be read"]),
    "too-large": (TESTS + "#" * 1_000_001, ["None: this test file can't be read"]),
    "too-deep": (TESTS + "x = " + "(" * 5_000 + ")" * 5_000, ["None: this test file can't be"]),
}


@pytest.mark.parametrize("name", WEAKER)
def test_what_weakens_a_test_file(name: str) -> None:
    after, expected = WEAKER[name]
    findings = found(after)
    assert len(findings) == len(expected)
    for said, start in zip(findings, expected, strict=True):
        assert said.startswith(start)


HARMLESS = {
    "more": TESTS + "def test_three():\n    assert [1]\n",
    "rewritten": TESTS.replace("assert 1 + 1 == 2", "assert sum([1, 1]) == 2"),
    "other-equality": TESTS + "class A:\n    def __eq__(self, other):\n        return other == 1\n",
    "program-of-its-own": TESTS + "if __name__ == '__main__':\n    sys.exit(1)\n",
    "own-exit": TESTS + "def exit_all(db):\n    db.exit()\n",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_not(name: str) -> None:
    assert found(HARMLESS[name]) == []


def test_a_test_that_was_moved_is_not_deleted() -> None:
    head, tail = TESTS[: TESTS.index("class")], "import pytest\n" + TESTS[TESTS.index("class") :]
    files = {"tests/test_x.py": (TESTS, head), "tests/test_y.py": (None, tail)}
    assert look("tests", files) == ([], [])


def test_what_was_there_before_is_no_finding() -> None:
    skipping = TESTS.replace("def test_one", "@pytest.mark.skip\ndef test_one") + "sys.exit(0)\n"
    assert found(skipping, before=skipping + "\n") == []
    again = skipping + "sys.exit(1)\n"
    assert found(again, before=skipping) == [
        "16: sys.exit was added: it can end a test run before its results are in"
    ]


PLANTED = {
    "tests/conftest.py": ("def pytest_runtest_makereport(item, call):\n    pass\n", "1: pytest_ru"),
    "conftest.py": ("import pytest\n@pytest.hookimpl(wrapper=True)\ndef any(): yield\n", "3: any"),
    "tests/sub/conftest.py": ("collect_ignore = ['x']\n", "1: collect_ignore was added"),
    "sitecustomize.py": ("", "None: Python or pytest loads this"),
    "_pytest/__init__.py": ("", "None: Python or pytest loads this"),
    "x.pth": ("import os\n", "None: Python or pytest loads this"),
    "pytest.ini": ("[pytest]\naddopts = -k nothing\n", "2: this changes which tests are run"),
}


@pytest.mark.parametrize("path", PLANTED)
def test_what_is_planted_beside_the_tests(path: str) -> None:
    after, start = PLANTED[path]
    (said,) = found(after, path, before=None)
    assert said.startswith(start)


def test_code_may_skip_and_name_its_functions_as_it_likes() -> None:
    code = "import pytest\npytest.mark.skip\ndef pytest_configure(): pass\n"
    assert found(code, "tinydb/x.py", before="") == []
    assert found("x = (\n", "tinydb/x.py", before="") == []


def test_what_crashes_the_parser_costs_one_file(court: Court) -> None:
    """Whatever it does to Python, the other findings are there and the gate has spoken."""
    files = {
        "tests/test_deep.py": "x = " + "-" * 400_000 + "1\n",
        "tests/test_latin.py": "# coding: latin-1\nx = 'é'\n",
        "tests/test_more.py": "import sys\nsys.exit(0)\n",
    }
    result = looked(court, files)
    assert result.status is GateStatus.RED
    places = {f["file"] for f in result.detail["findings"]}
    assert "tests/test_more.py" in places
    assert set(result.detail["unread"]) <= {"tests/test_deep.py", "tests/test_latin.py"}


def test_hostile_names_are_cleaned(court: Court) -> None:
    result = looked(court, {"tests/test_\x1b[31m\nx.py": "import sys\nsys.exit(0)\n"})
    (finding,) = result.detail["findings"]
    assert "\x1b" not in finding["file"]
    assert "\x1b" not in result.reason

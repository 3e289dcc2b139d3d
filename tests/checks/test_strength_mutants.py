"""Mutants: only of the feature's lines, the same in every run, each a real change."""

import ast

import pytest

from gatebench.errors import LookError
from gatebench.suites.mutants import Mutant, feature_lines, make_mutants

BEFORE = "def old(a, b):\n    return a + b\n"
AFTER = (
    BEFORE
    + '''

def new(items, name):
    """Says 'in'."""
    if name not in items:
        raise KeyError(f"no {name} here")
    for item in items:
        if item in name:
            continue
        items[0] = 'x'
    return len(items) > 3 and name
'''
)


def made() -> tuple[Mutant, ...]:
    return make_mutants({"m.py": BEFORE}, {"m.py": AFTER})


def test_only_new_lines_are_changed() -> None:
    assert feature_lines(BEFORE, AFTER) == frozenset(range(3, 14))
    assert feature_lines("a\nb\nc\n", "a\nB\nc\n") == {2}
    assert {mutant.line for mutant in made()} <= feature_lines(BEFORE, AFTER)
    for mutant in made():
        assert mutant.text.startswith(BEFORE)


def test_every_run_makes_the_same() -> None:
    first, second = made(), made()
    assert first == second
    assert [m.text for m in first] == [m.text for m in second]
    assert len({(m.line, m.operator, m.occurrence) for m in first}) == len(first)


def test_each_is_a_change_that_parses_and_no_other_made() -> None:
    shapes = [ast.dump(ast.parse(mutant.text)) for mutant in made()]
    assert len(set(shapes)) == len(shapes)
    assert ast.dump(ast.parse(AFTER)) not in shapes


@pytest.mark.parametrize(
    ("operator", "now"),
    [
        ("ReplaceNotInWithIn", "if name in items:"),
        ("ReplaceInWithNotIn", "if item not in name:"),
        ("DeleteStatement", "pass"),
        ("ChangeText", 'raise KeyError(f"XXno {name} here")'),
        ("ChangeText", "items[0] = 'XXx'"),
        ("ReplaceComparisonOperator_Gt_GtE", "return len(items) >= 3 and name"),
        ("ReplaceAndWithOr", "return len(items) > 3 or name"),
        ("NumberReplacer", "items[ 1] = 'x'"),
        ("ReplaceContinueWithBreak", "break"),
        ("ZeroIterationForLoop", "for item in []:"),
    ],
)
def test_kinds_of_change(operator: str, now: str) -> None:
    found = [mutant.now.strip() for mutant in made() if mutant.operator == operator]
    assert now in found


def test_docstrings_stay() -> None:
    assert all('"""Says \'in\'."""' in mutant.text for mutant in made())


def test_a_new_file_is_all_feature() -> None:
    found = make_mutants({}, {"n.py": "A = 'a'\n", "n.txt": "1 + 1"})
    assert {(m.file, m.now) for m in found} == {("n.py", "A = 'XXa'"), ("n.py", "pass")}


def test_without_the_library_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("gatebench.suites.mutants.importlib.import_module", missing)
    with pytest.raises(LookError, match="cosmic-ray") as caught:
        made()
    assert "dev" in caught.value.hint

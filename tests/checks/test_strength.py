"""`validate --strength` on the example suite: what it says, and what it notices."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from front import Front

from gatebench.checks.assertions import read_assertions
from gatebench.checks.survivors import Kind, StrengthFile, Survivor, compare, read_strength
from gatebench.checks.variants import WRONG, read_variants
from gatebench.errors import SuiteError
from gatebench.suites import load_suite
from gatebench.suites.hidden import load_hidden
from gatebench.suites.mutants import Mutant

TESTS, WRONG_ONES = "hidden/test_T1.py", "solutions/T1.wrong.toml"
STRENGTH, ASSERTIONS = "strength/T1.toml", "strength/T1.assertions.toml"


def change(root: Path, name: str, old: str, new: str) -> None:
    file = root / name
    assert file.read_text().count(old) == 1
    file.write_text(file.read_text().replace(old, new))


def measured(front: Front, suite: Path, repeats: int = 0) -> tuple[int, dict[str, Any]]:
    """Exit code, and the only task's figures."""
    done = front("validate", suite, "--strength", "--repeats", str(repeats), "--json")
    assert done.stdout, done.stderr
    (task,) = json.loads(done.stdout)
    return done.returncode, task


def has(problems: Iterable[str], pattern: str) -> bool:
    return any(re.search(pattern, problem) for problem in problems)


@pytest.mark.proof
def test_a_strong_suite_is_called_strong(front: Front, pocket: Path) -> None:
    done = front("validate", pocket, "--strength", "--repeats", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in (
        "ok   T1",
        "mutants: 15 of 15 killed; score 1.000, without equivalents 1.000",
        "survivors: none",
        "further implementations: 2 wrong, 1 right",
        "repeats: 2 in other orders, 1 of them under load",
        "hidden tests: 2, 0 of them unstated by the explicit prompt, 1 by the terse one",
        "R2 explicit: “Without any numbers it returns None.”",
        "terse:    unstated",
        "tests:    test_mean_of_nothing",
    ):
        assert line in done.stdout


@pytest.mark.proof
def test_a_blunted_test_lets_mutants_and_wrong_ones_live(front: Front, pocket: Path) -> None:
    change(pocket, TESTS, '([1, 2], "1.5"), ', "")
    code, found = measured(front, pocket)
    assert code == 1
    assert found["killed"] < found["mutants"] == 15
    assert found["survivors"] == {"unlisted": 15 - found["killed"]}
    assert has(found["problems"], r"survives, but isn't listed: .*Div_FloorDiv.*//")
    assert has(found["problems"], r"'whole numbers': R1 passes, though the variant misses it")
    assert not has(found["problems"], "'zero'")
    listed = [_entry(problem) for problem in found["problems"] if "survives, but" in problem]
    head = f"mutants = 15\nkilled = {found['killed']}\nraw = {found['raw']}\n"
    (pocket / STRENGTH).write_text("\n".join([head, "without_equivalents = 1.0\n", *listed]))
    _, again = measured(front, pocket)
    assert again["survivors"] == {"equivalent": len(listed)}
    assert (again["raw"], again["without_equivalents"]) == (found["raw"], 1.0)
    assert not has(again["problems"], "listed|survive|killed")


def _entry(problem: str) -> str:
    """A survivor as it is to be listed, from what was printed of it."""
    found = re.search(r"listed: (\S+):(\d+) (\S+) #(\d+): '(.*)' became '(.*)'$", problem)
    assert found
    file, line, operator, occurrence, was, now = found.groups()
    return (
        f'[[survivors]]\nfile = "{file}"\nline = {line}\noperator = "{operator}"\n'
        f'occurrence = {occurrence}\nwas = "{was}"\nnow = "{now}"\n'
        'kind = "equivalent"\nwhy = "a test"\n'
    )


MUTANT = Mutant("m.py", 3, "AddNot", 0, "  if a:", "  if not a:", "")


def known(mutant: Mutant, kind: Kind) -> StrengthFile:
    """What a suite records whose two mutants are killed but for this one."""
    survivor = Survivor(
        file=mutant.file,
        line=mutant.line,
        operator=mutant.operator,
        occurrence=mutant.occurrence,
        was=mutant.was.strip(),
        now=mutant.now.strip(),
        kind=kind,
        why="a test",
    )
    without = 1.0 if kind is Kind.EQUIVALENT else 0.5
    return StrengthFile(
        mutants=2, killed=1, raw=0.5, without_equivalents=without, survivors=(survivor,)
    )


@pytest.mark.parametrize("kind", Kind)
def test_a_weakness_may_not_stay(kind: Kind) -> None:
    found = compare(Path("T1.toml"), known(MUTANT, kind), 2, [MUTANT])
    assert found.kinds == {str(kind): 1}
    assert (found.raw, found.without_equivalents) == (0.5, 1.0 if kind == "equivalent" else 0.5)
    assert has(found.problems, "is a weakness: mend the hidden tests") == (kind == "weakness")
    assert len(found.problems) == (kind == "weakness")


def test_what_is_listed_and_dies_is_noticed() -> None:
    found = compare(Path("T1.toml"), known(MUTANT, Kind.EQUIVALENT), 2, [])
    assert has(found.problems, "T1.toml: listed, but didn't survive: m.py:3 AddNot: 'if not a:'")
    assert has(found.problems, "it says 1 of 2 killed, seen were 2 of 2")


@pytest.mark.parametrize(
    "change", [{"line": 4}, {"operator": "X"}, {"occurrence": 1}, {"now": "x"}]
)
def test_another_mutant_is_not_the_listed_one(change: dict[str, Any]) -> None:
    other = replace(MUTANT, **change)
    found = compare(Path("T1.toml"), known(MUTANT, Kind.OUT_OF_PROMISE), 2, [other])
    assert found.kinds == {"unlisted": 1}
    assert has(found.problems, "survives, but isn't listed")
    assert has(found.problems, "listed, but didn't survive")


@pytest.mark.proof
def test_a_flake_is_found_by_another_order(front: Front, pocket: Path) -> None:
    """One test leaves something behind on which the other stumbles; the fixed order hides it."""
    file = pocket / TESTS
    text = file.read_text().replace("import json\n", "import json\n\nSEEN = []\n", 1)
    text = text.replace("    assert mean(numbers)", "    assert not SEEN\n    assert mean(numbers)")
    text = text.replace("    assert mean([])", "    SEEN.append(1)\n    assert mean([])")
    file.write_text(text)
    code, found = measured(front, pocket, repeats=6)
    assert code == 1
    assert has(found["problems"], r"in another order \(seed \d\) the reference fails .*of_numbers")
    assert not has(found["problems"], "the oracle's verdict")


@pytest.mark.proof
def test_without_data_everything_is_still_looked_at(front: Front, pocket: Path) -> None:
    for name in (STRENGTH, ASSERTIONS, WRONG_ONES, "solutions/T1.right.toml"):
        (pocket / name).unlink()
    code, found = measured(front, pocket)
    assert code == 1
    assert (found["killed"], found["wrong_variants"], found["tests"]) == (15, 0, 0)
    (problem,) = found["problems"]
    assert "T1.assertions.toml: missing" in problem


def test_steps_and_strength_do_not_mix(front: Front, pocket: Path) -> None:
    done = front("validate", pocket, "--strength", "--only", "oracle")
    assert done.returncode == 2
    assert "--only and --strength" in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (WRONG_ONES, 'fails = ["R1"]', 'fails = ["R7"]', r"variants\.0\.fails.*'R7'"),
        (WRONG_ONES, 'fails = ["R1"]', "fails = []", r"variants\.0\.fails.*empty"),
        (WRONG_ONES, 'name = "zero"', 'name = "whole numbers"', r"variants\.\d\.name.*twice"),
        (WRONG_ONES, 'note = "The', 'nota = "The', r"variants\.1\.nota"),
        (WRONG_ONES, "or 1)\n", "or 1)\n#if R1\n#end\n", r"'zero'.*edits\.0\.text.*#if"),
    ],
)
def test_a_broken_variant_names_file_and_field(
    pocket: Path, name: str, old: str, new: str, said: str
) -> None:
    change(pocket, name, old, new)
    with pytest.raises(SuiteError, match=said) as caught:
        read_variants(pocket, load_suite(str(pocket)).task("T1"), WRONG)
    assert str(pocket / name) in caught.value.message
    assert caught.value.hint


@pytest.mark.proof
def test_a_variant_that_does_not_fit_is_named(front: Front, pocket: Path) -> None:
    text = (pocket / WRONG_ONES).read_text()
    (pocket / WRONG_ONES).write_text(text.replace("return sum(numbers, 0)", "return nothing", 1))
    done = front("validate", pocket, "--strength", "--repeats", "0")
    assert done.returncode == 1
    assert "variant 'whole numbers'" in done.stderr + done.stdout
    assert "occurs 0 times" in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'explicit = ["the arithmetic mean of some numbers."]',
            'explicit = ["the arithmetic\\nmean"]',
            None,
        ),
        (
            'explicit = ["Without any numbers it returns None."]',
            'explicit = ["It returns None."]',
            "test_mean_of_nothing: the explicit prompt doesn't say 'It returns None.'",
        ),
        (
            '"test_mean_of_nothing"',
            '"test_mean_of_all"',
            "test_mean_of_all is no hidden test of R2",
        ),
        ('"test_mean_of_nothing"', '"test_mean_of_all"', "test_mean_of_nothing (R2) isn't listed"),
        ('terse = "unstated"', 'terse = ["some numbers"]', "R2 is unstated by the terse prompt"),
        (
            'terse = ["the arithmetic mean of some numbers."]',
            'terse = "unstated"',
            "R1 is stated by the terse prompt, but no test quotes it",
        ),
    ],
)
def test_the_table_of_assertions_is_held_against_tests_and_prompts(
    pocket: Path, old: str, new: str, said: str | None
) -> None:
    change(pocket, ASSERTIONS, old, new)
    suite = load_suite(str(pocket))
    marks = load_hidden(suite).tests("T1").marks
    problems = read_assertions(pocket, suite.task("T1"), marks).problems
    assert has(problems, re.escape(said)) if said else problems == ()


def test_figures_must_add_up(pocket: Path) -> None:
    task = load_suite(str(pocket)).task("T1")
    for old, new in (("killed = 15", "killed = 14"), ("raw = 1.0", "raw = 0.9")):
        change(pocket, STRENGTH, old, new)
        with pytest.raises(SuiteError, match=r"add up|raw isn't"):
            read_strength(pocket, task)
        change(pocket, STRENGTH, new, old)
    assert isinstance(read_strength(pocket, task), StrengthFile)


def test_what_is_recorded_decides_no_result(pocket: Path) -> None:
    before = load_suite(str(pocket)).digest
    (pocket / STRENGTH).unlink()
    assert load_suite(str(pocket)).digest == before

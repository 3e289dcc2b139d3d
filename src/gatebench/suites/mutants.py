"""Mutants of the reference: small changes to the lines that a feature adds.

cosmic-ray makes them: its operators, and a few of ours in the same form, find the places and change
the code. We only choose which count (the feature's own lines) and give each a name that stays the
same from run to run.
"""

import ast
import difflib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from gatebench.errors import LookError
from gatebench.suites.operators import OWN

DRAWN = frozenset({"VariableReplacer", "VariableInserter"})
"""Operators that draw random numbers: their mutants would be others in every run."""
PROVIDER = "core"


@dataclass(frozen=True)
class Mutant:
    """One changed place.

    All but ``text`` is its identity: where the reference changes, mutants are others.
    """

    file: str
    line: int
    """In the reference, from 1."""
    operator: str
    """cosmic-ray's name for the kind of change, or ours."""
    occurrence: int
    """Which of the operator's places on that line it is, from 0."""
    was: str
    """The reference's line."""
    now: str
    """The line after the change."""
    text: str = field(repr=False, compare=False)
    """The whole changed file."""

    def __str__(self) -> str:
        """As a person wants to see it."""
        where = f"{self.file}:{self.line} {self.operator} #{self.occurrence}"
        return f"{where}: '{self.was.strip()}' became '{self.now.strip()}'"


def make_mutants(pristine: Mapping[str, str], reference: Mapping[str, str]) -> tuple[Mutant, ...]:
    """Every mutant of the feature's lines, in a fixed order.

    Changes that don't parse, that leave the code's meaning untouched to the letter, or that
    another operator made already are left out.

    Args:
        pristine: the library's files by path, as far as they are changed.
        reference: the changed files by path.

    Raises:
        LookError: cosmic-ray isn't installed.
    """
    library = _Library()
    found: list[Mutant] = []
    for name in sorted(n for n in reference if n.endswith(".py")):
        lines = feature_lines(pristine.get(name, ""), reference[name])
        found += _worth_judging(library.mutants(name, reference[name], lines), reference[name])
    return tuple(sorted(found, key=lambda m: (m.file, m.line, m.operator, m.occurrence)))


def feature_lines(before: str, after: str) -> frozenset[int]:
    """Numbers, from 1, of the lines of ``after`` that were added or changed."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    changes = [op for op in matcher.get_opcodes() if op[0] in {"insert", "replace"}]
    return frozenset(n + 1 for _, _, _, start, end in changes for n in range(start, end))


def _worth_judging(mutants: Iterable[Mutant], reference: str) -> Iterator[Mutant]:
    seen = {ast.dump(ast.parse(reference))}
    for mutant in mutants:
        try:
            shape = ast.dump(ast.parse(mutant.text))
        except SyntaxError:
            continue
        if shape not in seen:
            seen.add(shape)
            yield mutant


class _Library:
    """cosmic-ray, as far as we use it."""

    def __init__(self) -> None:
        self._tree = _load("cosmic_ray.ast")
        self._mutating = _load("cosmic_ray.mutating")
        provider = _load("cosmic_ray.plugins").OPERATOR_PROVIDERS[PROVIDER]
        theirs = {name: provider[name] for name in sorted(set(provider) - DRAWN)}
        self._operators = theirs | {operator.__name__: operator for operator in OWN}

    def mutants(self, file: str, code: str, lines: frozenset[int]) -> Iterator[Mutant]:
        """Each change on one of the lines, by operator and place."""
        nodes = list(self._tree.ast_nodes(self._tree.get_ast(code)))
        for name, operator in self._operators.items():
            places = [p for node in nodes for p in operator().mutation_positions(node)]
            on_line: dict[int, int] = {}
            for number, ((line, _), _) in enumerate(places):
                if line not in lines:
                    continue
                on_line[line] = on_line.get(line, -1) + 1
                text = self._mutating.mutate_code(code, operator(), number)
                yield _mutant(file, code, text, line=line, name=name, occurrence=on_line[line])


def _mutant(file: str, code: str, text: str, **place: Any) -> Mutant:
    line = place["line"]
    was = code.splitlines()[line - 1]
    now = _changed_line(code, text) or was
    return Mutant(file, line, place["name"], place["occurrence"], was, now, text)


def _changed_line(code: str, text: str) -> str | None:
    """The first line of the mutant that differs."""
    pairs = zip(code.splitlines(), text.splitlines(), strict=False)
    return next((now for was, now in pairs if was != now), None)


def _load(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise LookError(
            "mutants are made by cosmic-ray, which isn't installed.",
            "Install it: pip install 'gate-bench[dev]', or cosmic-ray alone.",
        ) from error

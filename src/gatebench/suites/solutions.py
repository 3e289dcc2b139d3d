"""Checking blueprints and the team's material before anything is built from them."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gatebench.errors import SuiteError
from gatebench.model.blueprint import Blueprint
from gatebench.model.material import AcceptanceTest, TaskMaterial
from gatebench.model.task import Task

_TERM = re.compile(r"(?:not )?(R[1-9]\d*)")
_WORDS = ("visible", "hedged", "strict")


@dataclass(frozen=True)
class Source:
    """A checked thing and the file it stands in, for the complaints."""

    path: Path
    task: Task

    def fault(self, field: str, said: str, remedy: str) -> SuiteError:
        """A complaint about one field of the file."""
        return SuiteError(f"{self.path}: field '{field}': {said}.", remedy)


def check_blueprint(blueprint: Blueprint, source: Source, *, conditional: bool) -> None:
    """Every directive must be readable, and name requirements of the task.

    Raises:
        SuiteError: one can't be read, or there is one where none belongs.
    """
    for index, edit in enumerate(blueprint.edits):
        field = f"edits.{index}.text"
        for line in edit.text.splitlines():
            word, _, rest = line.strip().partition(" ")
            if word in {"#if", "#else", "#end"} and not conditional:
                remedy = "The second solution is one whole; write it without directives."
                raise source.fault(field, f"'{line.strip()}' in a second solution", remedy)
            if word == "#if":
                _check_condition(rest, field, source)
        try:
            edit.render(frozenset(source.task.requirement_ids))
        except SuiteError as error:
            raise source.fault(field, error.message.removesuffix("."), error.hint) from None


def _check_condition(condition: str, field: str, source: Source) -> None:
    """Terms joined by ``and``, each naming a requirement of the task."""
    for term in condition.split(" and "):
        found = _TERM.fullmatch(term.strip())
        if found is None:
            remedy = "Write terms like 'R1' or 'not R1', joined by 'and'."
            raise source.fault(field, f"can't read '#if {condition}'", remedy)
        if found[1] not in source.task.requirement_ids:
            remedy = f"The task has {', '.join(source.task.requirement_ids)}."
            raise source.fault(field, f"'#if {condition}' names an unknown requirement", remedy)


def check_on_upstream(blueprint: Blueprint, source: Source, pristine: dict[str, str]) -> None:
    """Every edit must fit the fetched library, and give Python that parses.

    Args:
        blueprint: the solution.
        source: where it stands.
        pristine: the library's text files by path.

    Raises:
        SuiteError: a file that isn't there, an anchor that isn't unique, a syntax error.
    """
    for index, edit in enumerate(blueprint.edits):
        field = f"edits.{index}"
        if edit.anchor and edit.file not in pristine:
            remedy = "Name a file of the library; leave the anchor empty to make a new one."
            raise source.fault(f"{field}.file", f"upstream has no '{edit.file}'", remedy)
        if not edit.anchor and edit.file in pristine:
            remedy = "Give the anchor that is to be replaced."
            raise source.fault(f"{field}.anchor", f"empty, but '{edit.file}' exists", remedy)
        if edit.anchor and (times := pristine[edit.file].count(edit.anchor)) != 1:
            remedy = "Choose a piece of text that occurs exactly once in the pristine file."
            said = f"occurs {times} times in upstream's {edit.file}"
            raise source.fault(f"{field}.anchor", said, remedy)
    for satisfied in ((), source.task.requirement_ids):
        _check_syntax(blueprint, source, pristine, satisfied)


def _check_syntax(
    blueprint: Blueprint, source: Source, pristine: dict[str, str], satisfied: Iterable[str]
) -> None:
    """What is rendered must parse, where it is Python."""
    satisfied = tuple(satisfied)
    for path, text in blueprint.apply(pristine, satisfied).items():
        if not path.endswith(".py"):
            continue
        try:
            ast.parse(text)
        except SyntaxError as error:
            which = ", ".join(satisfied) or "no requirement"
            said = f"{path} with {which} doesn't parse: line {error.lineno}: {error.msg}"
            raise source.fault("edits", said, "Mend the edit.") from None


def check_material(material: TaskMaterial, source: Source) -> None:
    """The team's words and tests must fit the task.

    Raises:
        SuiteError: a requirement without material, a test that isn't the function it names, a
            hunk the reference doesn't add, or a requirement's id in what the team says.
    """
    ids = set(source.task.requirement_ids)
    if odd := ids ^ set(material.requirements):
        said = f"{min(odd)} is " + ("missing" if min(odd) in ids else "no requirement of the task")
        raise source.fault("requirements", said, "Give every requirement of the task its material.")
    added = "\n".join(text for _, text in material.blueprint.render(ids))
    names: list[str] = []
    for requirement, item in material.requirements.items():
        where = f"requirements.{requirement}"
        for word in _WORDS:
            test: AcceptanceTest = getattr(item, word)
            _check_test(test, material.imports, f"{where}.{word}", source)
            names.append(test.name)
        if not item.findings:
            raise source.fault(f"{where}.findings", "empty", "Give at least one wording.")
        if item.hunk.strip() not in added or not item.hunk.strip():
            remedy = "Quote one line that the reference adds."
            raise source.fault(f"{where}.hunk", "the reference doesn't add it", remedy)
    if doubled := {name for name in names if names.count(name) > 1}:
        raise source.fault("requirements", f"two tests are named {min(doubled)}", "Rename one.")
    _check_silence(material, source)


def _check_test(test: AcceptanceTest, imports: str, field: str, source: Source) -> None:
    """One acceptance test must parse, and be the function it names."""
    try:
        ast.parse(imports)
        body = ast.parse(test.code).body
    except SyntaxError as error:
        said = f"line {error.lineno}: {error.msg}"
        raise source.fault(f"{field}.code", said, "Mend it (or 'imports').") from None
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    if functions != [test.name] or not test.name.startswith("test_"):
        said = f"the code isn't one test function '{test.name}'"
        raise source.fault(f"{field}.name", said, "Name it as the function in 'code'.")


def _check_silence(material: TaskMaterial, source: Source) -> None:
    """No requirement's id may reach a work copy or a prompt."""
    said = [material.imports, *material.summaries]
    said += [text for _, text in (*material.false_findings, *material.minor_findings)]
    for item in material.requirements.values():
        said += [*item.findings, *(getattr(item, word).code for word in _WORDS)]
    said += [text for _, text in material.blueprint.render(source.task.requirement_ids)]
    for requirement in source.task.requirement_ids:
        if re.search(rf"\b{requirement}\b", "\n".join(said)):
            remedy = "Speak of the behaviour; ids must not reach the agent."
            raise source.fault("(any)", f"the text names '{requirement}'", remedy)

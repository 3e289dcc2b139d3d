"""Which requirement each hidden test is marked with, read from the source without running it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from gatebench.errors import SuiteError
from gatebench.model.task import Task

_MARK = "requirement"
_REMEDY = 'Mark every test with exactly one @pytest.mark.requirement("R1").'
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_marks(path: Path, source: str, task: Task) -> dict[str, frozenset[str]]:
    """The requirements of each test function, by its qualified name.

    A mark stands on the function, its class, the module (``pytestmark``), or on each
    ``pytest.param`` of the function; it may have got a name in the module before.

    Raises:
        SuiteError: the file doesn't parse, a test has no or several marks, a mark names no
            requirement of the task, or a requirement has no test.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise SuiteError(f"{path}: line {error.lineno}: {error.msg}.", "Mend it.") from None
    tree = _Inlined(tree).visit(tree)
    found = {name: _of_test(path, name, node, outer) for name, node, outer in _tests(tree)}
    unknown = {r for marks in found.values() for r in marks} - set(task.requirement_ids)
    if unknown:
        name = next(n for n, marks in found.items() if marks & unknown)
        raise SuiteError(
            f"{path}: {name}: the mark names '{min(unknown)}', which task {task.id} doesn't have.",
            f"Its requirements: {', '.join(task.requirement_ids)}.",
        )
    for requirement in task.requirement_ids:
        if not any(requirement in marks for marks in found.values()):
            raise SuiteError(
                f"{path}: no test is marked with {requirement} of task {task.id}.",
                f'Add one marked @pytest.mark.requirement("{requirement}").',
            )
    return found


class _Inlined(ast.NodeTransformer):
    """Puts marks in the place of the names that the module gave them (``R1 = …``)."""

    def __init__(self, tree: ast.Module) -> None:
        self._named = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and _marks([node.value])
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is read, not one that is given."""
        read = isinstance(node.ctx, ast.Load)
        return self._named.get(node.id, node) if read else node


def _tests(tree: ast.Module) -> Iterator[tuple[str, _Function, list[str]]]:
    """Each test function with its name and the marks around it."""
    around = _assigned(tree.body)
    for node in tree.body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield node.name, node, around
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            outer = around + _marks(node.decorator_list) + _assigned(node.body)
            for inner in node.body:
                if isinstance(inner, _Function) and inner.name.startswith("test"):
                    yield f"{node.name}::{inner.name}", inner, outer


def _assigned(body: list[ast.stmt]) -> list[str]:
    """Marks in ``pytestmark = …``."""
    values = [
        node.value
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets)
    ]
    return [mark for value in values for mark in _marks([value])]


def _of_test(path: Path, name: str, node: _Function, outer: list[str]) -> frozenset[str]:
    """The marks of one test; several only where each parameter has its own."""
    outside = outer + [m for d in node.decorator_list for m in _marks([d]) if not _parametrize(d)]
    params = [p for d in node.decorator_list if _parametrize(d) for p in _params(d)]
    inside = [_marks(p.keywords) for p in params]
    alone = len(outside) == 1 and not any(inside)
    each = not outside and inside and all(len(marks) == 1 for marks in inside)
    if not (alone or each):
        said = ", ".join(outside + [m for marks in inside for m in marks]) or "no requirement"
        raise SuiteError(f"{path}: line {node.lineno}: {name} is marked with {said}.", _REMEDY)
    return frozenset(outside or [marks[0] for marks in inside])


def _marks(nodes: "list[ast.expr] | list[ast.keyword]") -> list[str]:
    """The arguments of every ``….requirement("…")`` in some expressions."""
    calls = [c for node in nodes for c in ast.walk(node) if isinstance(c, ast.Call)]
    return [
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == _MARK
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    ]


def _parametrize(node: ast.expr) -> bool:
    """``@pytest.mark.parametrize(…)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parametrize"
    )


def _params(node: ast.expr) -> list[ast.Call]:
    """The ``pytest.param(…)`` calls inside."""
    calls = [c for c in ast.walk(node) if isinstance(c, ast.Call)]
    return [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "param"]

"""What one version of a file holds: its tests, and what is worth a finding where it is new."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_BYTES = 1_000_000
SKIPS = frozenset(
    {
        "pytest.mark.skip",
        "pytest.mark.skipif",
        "pytest.mark.xfail",
        "pytest.skip",
        "pytest.xfail",
        "pytest.importorskip",
        "unittest.skip",
        "unittest.skipIf",
        "unittest.skipUnless",
        "unittest.expectedFailure",
        "unittest.SkipTest",
        "self.skipTest",
    }
)
EXITS = frozenset({"sys.exit", "os._exit", "os.abort", "os.kill", "pytest.exit"})
BARE_EXITS = frozenset({"exit", "quit"})
CHECKS = re.compile(r"(^|\.)(raises|warns|assert\w+|fail\w*)$")
"""Calls that check something, by the end of their name."""
COLLECTS = frozenset({"pytest_plugins", "collect_ignore", "collect_ignore_glob"})
Spot = tuple[str, int]
"""What was seen, and on which line."""


@dataclass
class Facts:
    """What one version of a file holds."""

    tests: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Line and number of checks of each test, by its name with its classes before it."""
    spots: list[Spot] = field(default_factory=list)


def facts_of(text: str | None) -> Facts | None:
    """``None`` where it can't be read; no file is an empty one."""
    if text is None:
        return Facts()
    if len(text) > MOST_BYTES:
        return None
    try:
        return _read(ast.parse(text.encode("latin-1")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read(tree: ast.Module) -> Facts:
    names = _aliases(tree)
    facts = Facts()
    for name, test in _tests(tree.body, ""):
        facts.tests[name] = (test.lineno, sum(_checks(s, names) for s in _reached(test.body)))
    for node in _walk(tree):
        facts.spots += [(what, node.lineno) for what in _seen(node, names)]
    return facts


def _walk(tree: ast.Module) -> Iterator[ast.stmt | ast.expr]:
    """Every statement and expression but what runs only as a program of its own."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and _is_main(node.test):
            todo += node.orelse
            continue
        if isinstance(node, ast.stmt | ast.expr):
            yield node
        todo += ast.iter_child_nodes(node)


def _is_main(test: ast.expr) -> bool:
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    texts = {n.value for n in ast.walk(test) if isinstance(n, ast.Constant)}
    return isinstance(test, ast.Compare) and names == {"__name__"} and texts == {"__main__"}


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What imported names, and names given to them, stand for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute | ast.Name):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, _dotted(node.value, found))
    return found


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    """``pytest.mark.skip``, whatever it was imported as; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def _tests(
    body: list[ast.stmt], before: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                yield before + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{before}{node.name}.")


def _reached(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements up to the first that leaves."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.Return | ast.Raise):
            return


def _checks(statement: ast.stmt, names: dict[str, str]) -> int:
    """How much a statement checks: asserts that can fail, ``raises``, ``assertEqual`` and so on."""
    nodes = list(ast.walk(statement))
    asserts = sum(isinstance(n, ast.Assert) and not _always_true(n.test) for n in nodes)
    calls = (n for n in nodes if isinstance(n, ast.Call))
    return asserts + sum(bool(CHECKS.search(_dotted(n.func, names))) for n in calls)


def _always_true(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_always_true(part) for part in test.values)
    return isinstance(test, ast.Constant) and bool(test.value)


def _seen(node: ast.stmt | ast.expr, names: dict[str, str]) -> Iterator[str]:
    """What of a node is worth a finding where it is new."""
    if isinstance(node, ast.Attribute | ast.Name):
        yield from _named(_dotted(node, names))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in BARE_EXITS and node.func.id not in names:
            yield f"exit:{node.func.id}()"
    elif isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if _dotted(raised, names) == "SystemExit":
            yield "exit:raise SystemExit"
    else:
        yield from _defined(node)


def _named(name: str) -> Iterator[str]:
    if name in SKIPS:
        yield f"skip:{name}"
    elif name in EXITS:
        yield f"exit:{name}"


def _defined(node: ast.stmt | ast.expr) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if _is_hook(node):
            yield f"hook:{node.name}"
        if _tells(node.name, _returned(node)):
            yield f"equal:{node.name}"
    elif isinstance(node, ast.Assign):
        targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
        yield from (f"hook:{name}" for name in targets if name in COLLECTS)
        yield from (f"equal:{name}" for name in targets if _tells(name, _value(node.value)))
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        keyed = ((str(k.value), v) for k, v in pairs if isinstance(k, ast.Constant))
        yield from (f"equal:{name}" for name, v in keyed if _tells(name, _value(v)))


def _is_hook(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    marked = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    return node.name.startswith("pytest_") or any(
        isinstance(d, ast.Attribute) and d.attr == "hookimpl" for d in marked
    )


def _tells(name: object, returned: list[object]) -> bool:
    """Whether a comparison says the same of everything: equal, or not unequal."""
    return bool(returned) and (
        (name == "__eq__" and all(r is True for r in returned))
        or (name == "__ne__" and all(r is False for r in returned))
    )


def _returned(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[object]:
    found = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    return [n.value if isinstance(n, ast.Constant) else node for n in found]


def _value(node: ast.expr) -> list[object]:
    if isinstance(node, ast.Lambda) and isinstance(node.body, ast.Constant):
        return [node.body.value]
    return []

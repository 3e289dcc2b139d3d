"""Notices when the machinery that judges was changed by the code it judges.

Before any code of the tree is imported, every function and class of pytest, pluggy, the builtins
and the modules the tests compare with is noted down, with the code objects beneath. Whatever is
another object later has been patched.
"""

import sys
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

_MACHINERY = ("_pytest", "pytest", "pluggy")
_VALUES = ("builtins", "json", "operator", "functools", "contextlib", "importlib", "types")
_MISSING = object()

# pytest itself sets these anew for every test.
_RESTLESS = frozenset(
    f"_pytest.assertion.util.{name}" for name in ("_reprcompare", "_assertion_pass", "_config")
)


class _Row(NamedTuple):
    name: str
    owner: Any
    key: str
    value: Any
    inner: Tuple[Any, ...]


def _inner(value: Any) -> Tuple[Any, ...]:
    """The parts of a function that can be swapped while the function stays the same object."""
    plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    if not isinstance(plain, FunctionType):
        return ()
    return (plain.__code__, plain.__defaults__, plain.__kwdefaults__)


def _worth(value: Any) -> bool:
    return callable(value) or isinstance(value, (staticmethod, classmethod, property))


def _rows(prefix: str, owner: Any) -> "List[_Row]":
    return [
        _Row(f"{prefix}.{key}", owner, key, value, _inner(value))
        for key, value in list(vars(owner).items())
        if _worth(value) and f"{prefix}.{key}" not in _RESTLESS
    ]


def _module_rows(module: ModuleType) -> "List[_Row]":
    rows = _rows(module.__name__, module)
    classes = [r for r in rows if isinstance(r.value, type) and r.value is not type]
    own = [r for r in classes if r.value.__module__ == module.__name__]
    return rows + [inner for r in own for inner in _rows(r.name, r.value)]


def _same(row: _Row) -> bool:
    now = vars(row.owner).get(row.key, _MISSING)
    if now is not row.value:
        return False
    return all(a is b for a, b in zip(_inner(now), row.inner))


class Fingerprint:
    """The state of the judging machinery at one moment.

    Args:
        extra: names of further modules to watch: the test modules, and what they import.
        hooks: gives the registered hook implementations, to notice a plugin that came later.
    """

    def __init__(self, extra: "Iterable[str]", hooks: "Callable[[], List[Any]]") -> None:
        tops = _MACHINERY + _VALUES
        names = [n for n in list(sys.modules) if n.split(".")[0] in tops or n in set(extra)]
        self._modules: Dict[str, Any] = dict(sys.modules)
        self._rows = [
            row
            for name in names
            if isinstance(module := sys.modules[name], ModuleType)
            for row in _module_rows(module)
        ]
        machinery = _MACHINERY + tuple(extra)
        self._core = [r for r in self._rows if r.name.startswith(machinery)]
        self._finders = (list(sys.meta_path), list(sys.path_hooks))
        self._hooks = hooks
        self._implementations = hooks()

    def accept_hooks(self) -> None:
        """Take the hooks registered now for the right ones."""
        self._implementations = self._hooks()

    def core_changes(self) -> "List[str]":
        """What changed in pytest and the test modules (a test never patches these itself)."""
        changed = [row.name for row in self._core if not _same(row)]
        return changed + self._hook_changes()

    def changes(self) -> "List[str]":
        """Everything that changed, sorted."""
        changed = {row.name for row in self._rows if not _same(row)}
        changed.update(self._hook_changes(), self._import_changes())
        return sorted(changed)

    def _hook_changes(self) -> "List[str]":
        now = self._hooks()
        known = self._implementations
        same = len(now) == len(known) and all(a is b for a, b in zip(now, known))
        return [] if same else ["pytest's hooks"]

    def _import_changes(self) -> "List[str]":
        changed = [f"sys.modules['{n}']" for n, m in self._modules.items() if _replaced(n, m)]
        if (list(sys.meta_path), list(sys.path_hooks)) != self._finders:
            changed.append("sys.meta_path")
        return changed + [f"sys.modules['{n}']" for n in list(sys.modules) if self._planted(n)]

    def _planted(self, name: str) -> bool:
        """Whether a standard module that came later is something else than what Python has."""
        if name in self._modules or name.split(".")[0] not in sys.stdlib_module_names:
            return False
        origin = getattr(getattr(sys.modules[name], "__spec__", None), "origin", None)
        genuine = origin in ("built-in", "frozen") or str(origin).startswith(_STDLIB)
        return not genuine


def _replaced(name: str, module: Any) -> bool:
    # A module may go (tests do drop modules to import them anew); another in its place is a swap.
    return sys.modules.get(name, module) is not module


_STDLIB = tuple({p for p in sys.path if p.startswith((sys.base_prefix, sys.base_exec_prefix))})


def behaviour(numbers: "List[int]") -> "Dict[str, Any]":
    """What comparison, sorting, JSON and ``pytest.raises`` do right now, to be judged elsewhere.

    Args:
        numbers: distinct integers chosen by the judge after the test's body has ended.
    """
    import json  # noqa: PLC0415  # whatever the name means now is what shall be seen

    import pytest  # noqa: PLC0415  # the same

    try:
        with pytest.raises(ZeroDivisionError):
            pass
    except BaseException as error:  # noqa: BLE001  # pytest's failures are no Exceptions
        raised = type(error).__name__
    else:
        raised = "nothing"
    return {
        "sorted": json.dumps(sorted(numbers)),
        "equal": json.dumps(numbers) == json.dumps(numbers[1:]),
        "same": numbers == list(numbers),
        "raised": raised,
    }


def expected_behaviour(numbers: "List[int]") -> "Dict[str, Any]":
    """What `behaviour` says where nothing was touched."""
    text = "[" + ", ".join(str(n) for n in sorted(numbers)) + "]"
    return {"sorted": text, "equal": False, "same": True, "raised": "Failed"}

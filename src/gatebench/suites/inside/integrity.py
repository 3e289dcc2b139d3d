"""Notices when the machinery that judges was changed by the code it judges.

Before any code of the tree is imported, every function and class of pytest, pluggy, the builtins
and the modules the tests compare with is noted down, with the code objects beneath. Whatever is
another object later has been patched.
"""

import builtins
import operator
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

_PYTEST = (
    "_code.code main monkeypatch nodes outcomes python python_api raises recwarn reports runner "
    "skipping"
)
_MACHINERY = ("pytest", "pluggy", "inside", *(f"_pytest.{name}" for name in _PYTEST.split()))
_VALUES = ("builtins", "json", "operator", "functools", "contextlib")
_MISSING = object()


class _Row(NamedTuple):
    """One name in a module or class, and what it stood for."""

    name: str
    owner: Any
    key: str
    value: Any
    function: Any
    """The plain function beneath, if there is one: its parts can be swapped while it stays."""
    code: Any
    defaults: Any


def _row(prefix: str, owner: Any, key: str, value: Any) -> _Row:
    plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
    if not isinstance(plain, FunctionType):
        return _Row(f"{prefix}.{key}", owner, key, value, None, None, None)
    return _Row(f"{prefix}.{key}", owner, key, value, plain, plain.__code__, plain.__defaults__)


def _worth(value: Any) -> bool:
    return callable(value) or isinstance(value, (staticmethod, classmethod, property))


def _rows(prefix: str, owner: Any) -> "list[_Row]":
    names = list(vars(owner).items())
    return [_row(prefix, owner, key, value) for key, value in names if _worth(value)]


def _module_rows(module: ModuleType) -> "list[_Row]":
    rows = _rows(module.__name__, module)
    own = [r for r in rows if isinstance(r.value, type) and r.value.__module__ == module.__name__]
    if module.__name__ == "builtins":
        own = []  # Python forbids to change these
    return rows + [inner for r in own for inner in _rows(r.name, r.value)]


class _Rows:
    """Many rows, laid out so that one look at all of them is quick: it is taken after every test.

    Args:
        rows: what was noted down.
    """

    def __init__(self, rows: "list[_Row]") -> None:
        self._rows = rows
        by_owner: dict[int, list[_Row]] = {}
        for row in rows:
            by_owner.setdefault(id(row.owner), []).append(row)
        self._owners = [
            (own[0].owner, tuple(r.key for r in own), tuple(r.value for r in own))
            for own in by_owner.values()
        ]
        plain = [r for r in rows if r.function is not None]
        self._functions = tuple(r.function for r in plain)
        self._codes = tuple(r.code for r in plain)
        self._defaults = tuple(r.defaults for r in plain)

    def changed(self) -> "list[str]":
        """Names that stand for something else now."""
        return [] if self._is_same() else self._names()

    def _is_same(
        self,
        # Taken here, where nobody can put others in their place.
        every: Any = all,
        over: Any = map,
        same: Any = operator.is_,
        code: Any = operator.attrgetter("__code__"),
        defaults: Any = operator.attrgetter("__defaults__"),
    ) -> bool:
        for owner, keys, values in self._owners:
            if not every(over(same, over(owner.__dict__.get, keys), values)):
                return False
        functions = self._functions
        return bool(
            every(over(same, over(code, functions), self._codes))
            and every(over(same, over(defaults, functions), self._defaults))
        )

    def _names(self) -> "list[str]":
        found = []
        for name, owner, key, value, function, code, defaults in self._rows:
            if owner.__dict__.get(key, _MISSING) is not value or (
                function is not None
                and (function.__code__ is not code or function.__defaults__ is not defaults)
            ):
                found.append(name)
        return found


class Fingerprint:
    """The state of the judging machinery at one moment.

    Args:
        extra: names of the test modules.
        values: names of further modules that the tests compare with.
        hooks: gives the registered hook implementations, to notice a plugin that came later.
    """

    def __init__(
        self,
        hooks: "Callable[[], list[Any]]",
        extra: "Iterable[str]" = (),
        values: "Iterable[str]" = (),
    ) -> None:
        core = (*_MACHINERY, *extra)
        self._modules: dict[str, Any] = dict(sys.modules)
        self._core = self._watched(core)
        self._values = self._watched(tuple({*_VALUES, *values}))
        self._builtins = dict(vars(builtins))
        self._finders = (list(sys.meta_path), list(sys.path_hooks))
        self._hooks = hooks
        self._implementations = hooks()

    def _watched(self, tops: "tuple[str, ...]") -> _Rows:
        below = tuple(f"{top}." for top in tops)
        modules = [m for n, m in self._modules.items() if n in tops or n.startswith(below)]
        return _Rows([r for m in modules if isinstance(m, ModuleType) for r in _module_rows(m)])

    def restore_builtins(self) -> "list[str]":
        """Put the builtins back as they were; our own code after a test's body rests on them.

        Nothing here looks up a builtin.

        Returns:
            names of those that had been changed.
        """
        now = builtins.__dict__
        kept = self._builtins
        changed = [f"builtins.{name}" for name in kept if now.get(name, _MISSING) is not kept[name]]
        now.update(kept)
        return changed

    def accept_hooks(self) -> None:
        """Take the hooks registered now for the right ones."""
        self._implementations = self._hooks()

    def core_changes(self) -> "list[str]":
        """What changed in pytest and the test modules (a test never patches these itself)."""
        return self._core.changed() + self._hook_changes()

    def changes(self) -> "list[str]":
        """Everything that changed."""
        return [*self._values.changed(), *self.core_changes(), *self._import_changes()]

    def _hook_changes(self) -> "list[str]":
        now = self._hooks()
        known = self._implementations
        same = len(now) == len(known) and all(a is b for a, b in zip(now, known, strict=True))
        return [] if same else ["pytest's hooks"]

    def _import_changes(self) -> "list[str]":
        changed = [f"sys.modules['{n}']" for n, m in self._modules.items() if _replaced(n, m)]
        if (list(sys.meta_path), list(sys.path_hooks)) != self._finders:
            changed.append("sys.meta_path")
        return changed + [f"sys.modules['{n}']" for n in list(sys.modules) if self._planted(n)]

    def _planted(self, name: str) -> bool:
        """Whether a standard module that came later is something else than what Python has."""
        if name in self._modules or name.split(".", maxsplit=1)[0] not in sys.stdlib_module_names:
            return False
        origin = getattr(getattr(sys.modules[name], "__spec__", None), "origin", None)
        genuine = origin in ("built-in", "frozen") or str(origin).startswith(_STDLIB)
        return not genuine


def _replaced(name: str, module: Any) -> bool:
    # A module may go (tests do drop modules to import them anew); another in its place is a swap.
    return sys.modules.get(name, module) is not module


_STDLIB = tuple({p for p in sys.path if p.startswith((sys.base_prefix, sys.base_exec_prefix))})


def behaviour(numbers: "list[int]") -> "dict[str, Any]":
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


def expected_behaviour(numbers: "list[int]") -> "dict[str, Any]":
    """What `behaviour` says where nothing was touched."""
    text = "[" + ", ".join(str(n) for n in sorted(numbers)) + "]"
    return {"sorted": text, "equal": False, "same": True, "raised": "Failed"}

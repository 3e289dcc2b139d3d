"""The child's side: run a group of tests, say what happened, and nothing more."""

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pytest
from _pytest.runner import runtestprotocol

from .channel import Sender
from .integrity import Fingerprint, behaviour
from .whole import outcome_of, tail

_FORBIDDEN = frozenset(("gc.get_objects", "gc.get_referrers", "gc.get_referents"))
_REACHING = _FORBIDDEN | {
    "sys._getframe",
    "sys._current_frames",
    "sys.settrace",
    "sys.setprofile",
    "ctypes.dlopen",
}
_MOST_REACHES = 5


_FAILED = pytest.fail.Exception


@dataclass
class Child:
    """What one child runs, and how it tells."""

    items: "Sequence[pytest.Item]"
    fingerprint: Fingerprint
    line: socket.socket
    key: bytearray
    roots: "Sequence[str]"
    tree: str


class Observer:
    """Calls the test functions itself, and asks the parent what comes after each body."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._sender = Sender(child.line.fileno(), child.key)
        # As the parent collected them, whatever the items say later.
        self._functions = {item: getattr(item, "obj", None) for item in child.items}
        self._changed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: "pytest.Function") -> bool:
        """Call the function, then fail if the parent says that this is the control."""
        names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001  # as pytest's own hook does
        function = self._functions[pyfuncitem]
        place = vars(pyfuncitem.cls or pyfuncitem.module)
        if place.get(pyfuncitem.originalname) is not getattr(function, "__func__", function):
            self._changed.append(f"the test function {pyfuncitem.originalname}")
        result = function(**{name: pyfuncitem.funcargs[name] for name in names})  # type: ignore[misc]
        self._changed += self._child.fingerprint.restore_builtins()
        if result is not None:
            pytest.fail("a test must return None")
        self._changed += self._child.fingerprint.core_changes()
        if self._ask():
            raise _FAILED("control", pytrace=False)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: "pytest.Item", call: "pytest.CallInfo[None]") -> None:
        """Show a failure from the test's own frames on: those above are pytest's and ours."""
        del item
        if call.excinfo is None:
            return
        shown = tuple(self._child.roots)
        trace: Any = call.excinfo.tb
        while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(shown):
            trace = trace.tb_next
        if trace is not None:
            failure = (call.excinfo.type, call.excinfo.value, trace)
            call.excinfo = pytest.ExceptionInfo.from_exc_info(failure)

    def _ask(self) -> bool:
        """Whether this was the control; the parent tells only now."""
        self._sender.send({"kind": "returned"})
        word = self._child.line.recv(4096)
        numbers = [int(number) for number in word[1:].split()]
        self._sender.send({"kind": "behaviour", "seen": behaviour(numbers)})
        return word[:1] != b"p"

    def finish(self, reports: "list[pytest.TestReport]", reach: "list[str]") -> None:
        """Tell one test's phases and what was seen."""
        changed = [*self._changed, *self._child.fingerprint.changes()]
        self._sender.send(
            {
                "kind": "ended",
                "phases": {str(r.when): outcome_of(r) for r in reports},
                "texts": {str(r.when): tail(r.longreprtext) for r in reports if not r.passed},
                "changed": changed,
                "reach": reach,
            }
        )
        self._changed = []


def _watch(tree: str) -> "list[str]":
    """Note when code of the tree reaches for frames or C; refuse the collector's lists to all.

    An audit hook can't be taken away again.
    """
    seen: list[str] = []
    busy = False

    def hook(event: str, args: Any) -> None:
        nonlocal busy
        del args
        if busy or event not in _REACHING:
            return
        busy = True
        file = sys._getframe(1).f_code.co_filename  # noqa: SLF001  # nothing else tells who asked
        busy = False
        forbidden = event in _FORBIDDEN
        if (forbidden or file.startswith(tree)) and len(seen) < _MOST_REACHES:
            seen.append(f"{event} from {os.path.basename(file)}")  # noqa: PTH119
        if forbidden:
            raise RuntimeError(f"{event} is not available here")

    sys.addaudithook(hook)
    return seen


def run_child(child: Child, output: int) -> NoReturn:
    """Run the child's tests and end the process, whatever they do."""
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        observer = Observer(child)
        child.items[0].config.pluginmanager.register(observer)
        child.fingerprint.accept_hooks()
        sys.path.extend(child.roots)
        reach = _watch(child.tree)
        for item, following in zip(child.items, [*child.items[1:], None], strict=True):
            reports = runtestprotocol(item, log=False, nextitem=following)
            sys.stdout.flush()
            sys.stderr.flush()
            observer.finish(reports, reach)
            reach.clear()
    finally:
        os._exit(0)

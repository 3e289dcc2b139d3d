"""The child's side: run one test, say what happened, and nothing more."""

import os
import socket
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, NoReturn, Sequence

import pytest
from _pytest.runner import runtestprotocol

from .channel import Sender
from .integrity import Fingerprint, behaviour
from .whole import outcome_of, tail

_REACHING = frozenset(
    (
        "gc.get_objects",
        "gc.get_referrers",
        "gc.get_referents",
        "sys._getframe",
        "sys._current_frames",
        "sys.settrace",
        "sys.setprofile",
        "ctypes.dlopen",
    )
)
_MOST_REACHES = 5


class ControlFailure(Exception):
    """Raised after a control's body has ended, so that it must fail."""


@dataclass
class Child:
    """What one child runs, and how it tells."""

    item: "pytest.Item"
    fingerprint: Fingerprint
    line: socket.socket
    key: bytearray
    roots: Sequence[str]
    tree: str


class Observer:
    """Calls the test function itself, and asks the parent what comes after its body."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._sender = Sender(child.line.fileno(), child.key)
        self._function = getattr(child.item, "obj", None)
        self.changed: "List[str]" = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: "pytest.Function") -> bool:
        """Call the function the parent collected, whatever the item says now."""
        names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001  # as pytest's own hook does
        result = self._function(**{name: pyfuncitem.funcargs[name] for name in names})
        if result is not None:
            pytest.fail("a test must return None")
        self.changed += self._child.fingerprint.core_changes()
        if self._ask():
            raise ControlFailure
        return True

    def _ask(self) -> bool:
        """Whether this run is the control; the parent tells only now."""
        self._sender.send({"kind": "returned"})
        word = self._child.line.recv(4096)
        numbers = [int(number) for number in word[1:].split()]
        self._sender.send({"kind": "behaviour", "seen": behaviour(numbers)})
        return word[:1] != b"p"

    def finish(self, reports: "List[pytest.TestReport]", reach: "List[str]") -> None:
        """Tell the phases and what was seen."""
        changed = sorted({*self.changed, *self._child.fingerprint.changes()})
        phases = {str(r.when): outcome_of(r) for r in reports}
        texts = {str(r.when): tail(r.longreprtext) for r in reports if not r.passed}
        record: "Dict[str, Any]" = {"kind": "ended", "phases": phases, "texts": texts}
        self._sender.send({**record, "changed": changed, "reach": reach})


def _watch(tree: str) -> "List[str]":
    """Note when code of the tree reaches for frames, the collector's lists, or C."""
    seen: "List[str]" = []
    busy = False

    def hook(event: str, args: Any) -> None:
        nonlocal busy
        del args
        if busy or event not in _REACHING or len(seen) >= _MOST_REACHES:
            return
        busy = True
        frame = sys._getframe(1)  # noqa: SLF001  # there is no other way to see who asked
        if frame.f_code.co_filename.startswith(tree):
            seen.append(f"{event} from {os.path.basename(frame.f_code.co_filename)}")  # noqa: PTH119
        busy = False

    sys.addaudithook(hook)
    return seen


def run_child(child: Child, output: int) -> NoReturn:
    """Run the child's test and end the process, whatever the test does."""
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        observer = Observer(child)
        # Under the fingerprint's eyes from here on: its own registration is part of the state.
        child.item.config.pluginmanager.register(observer)
        child.fingerprint.accept_hooks()
        sys.path.extend(child.roots)
        reach = _watch(child.tree)
        reports = runtestprotocol(child.item, log=False, nextitem=None)
        sys.stdout.flush()
        sys.stderr.flush()
        observer.finish(reports, reach)
    finally:
        os._exit(0)

"""The parent's side of one child: listen, answer, keep the time, leave nothing behind."""

import os
import random
import select
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .channel import KEY_BYTES, Receiver

_OUTPUT_BYTES = 10_000
_MESSAGE_BYTES = 16_000_000
_TICK_S = 0.5
_MOST_NAMES = 100
_PIECE = 65_536


@dataclass
class Told:
    """What one child told of one test."""

    outcomes: "dict[str, str]" = field(default_factory=dict)
    texts: "dict[str, str]" = field(default_factory=dict)
    changed: "list[str]" = field(default_factory=list)
    reach: "list[str]" = field(default_factory=list)
    behaviour: "dict[str, Any]" = field(default_factory=dict)
    numbers: "list[int]" = field(default_factory=list)
    how: str = ""
    """Why nothing was told, where nothing was."""
    output: str = ""

    def all_passed(self) -> bool:
        """Whether all three phases were reported as passed."""
        return self.outcomes == dict.fromkeys(("setup", "call", "teardown"), "passed")


@dataclass
class Ended:
    """What became of one child."""

    tests: "dict[int, Told]" = field(default_factory=dict)
    """By number in the group; a test without its last word is absent."""
    strays: int = 0
    timed_out: bool = False
    how: str = ""
    """How it ended, where it ended without its last report."""
    output: str = ""

    def test(self, number: int) -> Told:
        """What was told of a test, or why nothing was."""
        return self.tests.get(number) or Told(how=self.how or "no report came", output=self.output)


class Listener:
    """One child's line and its output.

    Args:
        controls: for each test of the group, whether it is a control in this child.
        each_s: seconds for one test, until the child is killed.
        ends: the whole run's deadline, on the monotonic clock.
    """

    def __init__(self, controls: "Sequence[bool]", *, each_s: float, ends: float) -> None:
        self.key = os.urandom(KEY_BYTES)
        self._controls = controls
        self._each_s = each_s
        self._last = ends
        self._renew()
        self._line, self.childs_end = socket.socketpair()
        self._output, self.output_end = os.pipe()
        os.set_blocking(self._output, False)
        self._receiver = Receiver(self.key)
        self._ended = Ended()
        self._current = Told()
        self._asked = False
        self._kept = b""
        self._bytes = 0

    def listen(self, pid: int) -> Ended:
        """Wait for the child's end or its deadline; its descendants are gone on return."""
        self.childs_end.close()
        os.close(self.output_end)
        gone = os.pidfd_open(pid)
        ends: list[Any] = [self._line, self._output, gone]
        while gone in ends and not self._late():
            self._drain(ends, _TICK_S)
        self._settle(pid, finished=gone not in ends)
        os.close(gone)
        self._rest([e for e in ends if e != gone])
        return self._finish()

    def close_ours(self) -> None:
        """In the child: the parent's ends are not for it."""
        self._line.close()
        os.close(self._output)

    def _finish(self) -> Ended:
        self._receiver.close()
        self._ended.strays = self._receiver.strays
        self._ended.output = self._take_output()
        self._line.close()
        os.close(self._output)
        return self._ended

    def _renew(self) -> None:
        self._ends = min(time.monotonic() + self._each_s, self._last)

    def _late(self) -> bool:
        return time.monotonic() > self._ends

    def _settle(self, pid: int, *, finished: bool) -> None:
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        _, status = os.waitpid(pid, 0)
        _sweep()
        if finished:
            code = os.waitstatus_to_exitcode(status)
            self._ended.how = f"the process ended before the test's report (exit {code})"
        else:
            self._ended.timed_out = True
            self._ended.how = "the test did not end in time"

    def _drain(self, ends: "list[Any]", wait_s: float) -> None:
        """Read what is there; waits at most ``wait_s`` for something to happen."""
        ready, _, _ = select.select(ends, (), (), wait_s)
        for end in ready:
            if not self._take(end):
                ends.remove(end)

    def _rest(self, ends: "list[Any]") -> None:
        """Read what the child had written before it ended."""
        while ends and not self._late() and select.select(ends, (), (), 0)[0]:
            self._drain(ends, 0)

    def _take(self, end: Any) -> bool:
        """Read once from one end; whether there may be more."""
        if end is self._line:
            return self._take_line()
        return self._keep_output() if end == self._output else False

    def _keep_output(self) -> bool:
        try:
            data = os.read(self._output, _PIECE)
        except BlockingIOError:
            return True
        self._kept = (self._kept + data)[-_OUTPUT_BYTES:]
        return bool(data)

    def _take_output(self) -> str:
        """The output since the last test."""
        self._keep_output()
        text, self._kept = self._kept.decode(errors="replace"), b""
        return text

    def _take_line(self) -> bool:
        try:
            data = self._line.recv(_PIECE)
        except ConnectionError:
            return False
        self._bytes += len(data)
        if self._bytes <= _MESSAGE_BYTES:
            self._hear_all(data)
        return bool(data)

    def _hear_all(self, data: bytes) -> None:
        for record in self._receiver.feed(data):
            # The child may be in the hands of the code under test: its words may have any shape.
            try:
                self._hear(record)
            except (KeyError, TypeError, ValueError, AttributeError):
                self._receiver.strays += 1

    def _hear(self, record: "dict[str, Any]") -> None:
        number = len(self._ended.tests)
        kind = record["kind"]
        if kind == "returned" and not self._asked and number < len(self._controls):
            self._answer(control=self._controls[number])
        elif kind == "behaviour":
            self._current.behaviour = record["seen"]
        elif kind == "ended":
            told = self._current
            told.outcomes, told.texts = _texts(record["phases"]), _texts(record["texts"])
            told.changed, told.reach = _names(record["changed"]), _names(record["reach"])
            told.output = self._take_output()
            self._ended.tests[number] = told
            self._current, self._asked = Told(), False
            self._renew()

    def _answer(self, *, control: bool) -> None:
        self._asked = True
        self._current.numbers = random.sample(range(1_000_000), 5)
        numbers = " ".join(map(str, self._current.numbers))
        try:
            self._line.send((b"f" if control else b"p") + numbers.encode())
        except OSError:
            return  # the child has gone; its end is noticed elsewhere


def _texts(value: Any) -> "dict[str, str]":
    return {str(key): str(text) for key, text in value.items()}


def _names(value: Any) -> "list[str]":
    return sorted({str(name) for name in value[:_MOST_NAMES]})


def _sweep() -> None:
    """Kill and reap what the child left: as the subreaper, all of it becomes ours."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(200):
        try:
            pids = [int(word) for word in children.read_text().split()]
        except OSError:
            return
        if not pids:
            return
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

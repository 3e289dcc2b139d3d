"""The parent's side of one child: listen, answer, keep the time, leave nothing behind."""

import os
import select
import signal
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List

from .channel import KEY_BYTES, Receiver

_OUTPUT_BYTES = 10_000
_MESSAGE_BYTES = 4_000_000
_TICK_S = 0.5
_STDIO = 65_536


@dataclass
class Ended:
    """What became of one child."""

    outcomes: "Dict[str, str]" = field(default_factory=dict)
    texts: "Dict[str, str]" = field(default_factory=dict)
    changed: "List[str]" = field(default_factory=list)
    reach: "List[str]" = field(default_factory=list)
    behaviour: "Dict[str, Any]" = field(default_factory=dict)
    numbers: "List[int]" = field(default_factory=list)
    strays: int = 0
    returned: int = 0
    timed_out: bool = False
    how: str = ""
    """How it ended, where it ended without its report."""
    output: str = ""

    def all_passed(self) -> bool:
        """Whether it reported all three phases as passed."""
        return self.outcomes == dict.fromkeys(("setup", "call", "teardown"), "passed")

    def forgeries(self) -> "List[str]":
        """What speaks against the child's own report."""
        unfinished = ["the test's body did not end exactly once"] if self.returned != 1 else []
        return self.lines() + unfinished

    def lines(self) -> "List[str]":
        """Forged lines, if any."""
        return [f"{self.strays} forged lines"] if self.strays else []


class Listener:
    """One child's line and its output.

    Args:
        fail: whether the child is a control.
        numbers: for `integrity.behaviour`.
        limit_s: seconds until the child is killed.
    """

    def __init__(self, *, fail: bool, numbers: "List[int]", limit_s: float) -> None:
        self.key = os.urandom(KEY_BYTES)
        self._answer = (b"f" if fail else b"p") + " ".join(map(str, numbers)).encode()
        self._ends = time.monotonic() + limit_s
        self._line, self.childs_end = socket.socketpair()
        self._output, self.output_end = os.pipe()
        self._receiver = Receiver(self.key)
        self._ended = Ended(numbers=numbers)
        self._kept = b""
        self._bytes = 0

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        os.close(self._output)

    def listen(self, pid: int) -> Ended:
        """Wait for the child's end or its deadline; its descendants are gone on return."""
        self.childs_end.close()
        os.close(self.output_end)
        gone = os.pidfd_open(pid)
        ends: "List[Any]" = [self._line, self._output, gone]
        while gone in ends and not self._late():
            self._drain(ends, _TICK_S)
        self._settle(pid, finished=gone not in ends)
        os.close(gone)
        self._rest([e for e in ends if e != gone])
        self._receiver.close()
        self._ended.strays = self._receiver.strays
        self._ended.output = self._kept.decode(errors="replace")
        return self._ended

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
        if not finished:
            self._ended.timed_out = True
            self._ended.how = "the test did not end in time"
        elif not self._ended.outcomes:
            code = os.waitstatus_to_exitcode(status)
            self._ended.how = f"the process ended before the test's report (exit {code})"

    def _drain(self, ends: "List[Any]", wait_s: float) -> None:
        """Read what is there; waits at most ``wait_s`` for something to happen."""
        ready, _, _ = select.select(ends, (), (), wait_s)
        for end in ready:
            if not self._take(end):
                ends.remove(end)

    def _rest(self, ends: "List[Any]") -> None:
        """Read what the child had written before it ended."""
        while ends and not self._late() and select.select(ends, (), (), 0)[0]:
            self._drain(ends, 0)

    def _take(self, end: Any) -> bool:
        """Read once from one end; whether there may be more."""
        if end not in (self._line, self._output):
            return False  # the child has ended
        if end == self._output:
            data = os.read(end, _STDIO)
            self._kept = (self._kept + data)[-_OUTPUT_BYTES:]
            return bool(data)
        try:
            data = self._line.recv(_STDIO)
        except ConnectionError:
            return False
        self._bytes += len(data)
        if self._bytes <= _MESSAGE_BYTES:
            for record in self._receiver.feed(data):
                self._hear(record)
        return bool(data)

    def _hear(self, record: "Dict[str, Any]") -> None:
        kind = record["kind"]
        if kind == "returned":
            self._ended.returned += 1
            self._line.send(self._answer)
        elif kind == "behaviour":
            self._ended.behaviour = record["seen"]
        elif kind == "ended":
            self._ended.outcomes = record["phases"]
            self._ended.texts = record["texts"]
            self._ended.changed = record["changed"]
            self._ended.reach = record["reach"]


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

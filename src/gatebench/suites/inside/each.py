"""Runs every test in a process of its own, forked from one that never imports the tree.

The parent collects, forks, listens and reports; it alone holds the report channel and its key, and
no code of the tree ever runs in it. Every test is run twice, in random order, each time in a fresh
child: once as it is, and once as a *control* that must fail. When the test's body has ended the
child asks the parent which of the two it is; until then nothing in its memory tells. Whatever makes
tests pass by force makes the control pass too.
"""

import os
import random
import time
from typing import Any, Dict, List, Optional

import pytest

from .child import Child, run_child
from .integrity import Fingerprint, expected_behaviour
from .listen import Ended, Listener
from .channel import Sender
from .whole import CollectReporter, implementations

PHASES = ("setup", "call", "teardown")


class EachReporter(CollectReporter):
    """The session's driver in the parent process.

    Args:
        sender: the report channel.
        order: what the host asked for; ``each_s`` and ``wall_s`` in seconds.
    """

    def __init__(self, sender: Sender, order: "Dict[str, Any]") -> None:
        super().__init__(sender, order["mark"])
        self._order = order
        self._ends = time.monotonic() + order["wall_s"]
        self._noise: "set[str]" = set()
        self._fingerprint: "Optional[Fingerprint]" = None

    def pytest_collection_finish(self, session: "pytest.Session") -> None:
        """Tell the ids, and note the machinery's state: all is loaded, nothing has run."""
        super().pytest_collection_finish(session)
        modules = {i.module.__name__ for i in session.items if isinstance(i, pytest.Function)}
        watched = modules | set(self._order["watch"])
        self._fingerprint = Fingerprint(watched, lambda: implementations(session.config))

    def pytest_runtest_protocol(self, item: "pytest.Item") -> bool:
        """Run one item in children instead of here."""
        real, control = self._both(item)
        notes = self._judge(item, real, control)
        for phase in PHASES:
            if phase in real.outcomes:
                self._tell(item, phase, real)
        proof = {"kind": "proof", "id": item.nodeid, "ok": not notes, "notes": notes}
        self.sender.send({**proof, "tampered": _tampering(real, notes)})
        self._show(item, real, notes)
        return True

    def _both(self, item: "pytest.Item") -> "tuple[Ended, Optional[Ended]]":
        """The test and its control, in random order; the control only where it can matter."""
        if random.getrandbits(1):
            control = self._run(item, fail=True)
            return (control if control.timed_out else self._run(item, fail=False)), control
        real = self._run(item, fail=False)
        return real, (self._run(item, fail=True) if real.all_passed() else None)

    def _run(self, item: "pytest.Item", *, fail: bool) -> Ended:
        left = self._ends - time.monotonic()
        if left <= 0:
            return Ended(timed_out=True, how="the deadline of the whole run had passed")
        assert self._fingerprint is not None  # noqa: S101  # collection came first
        numbers = random.sample(range(1_000_000), 5)
        limit = min(left, self._order["each_s"])
        with Listener(fail=fail, numbers=numbers, limit_s=limit) as listener:
            child = Child(
                item=item,
                fingerprint=self._fingerprint,
                line=listener.childs_end,
                key=bytearray(listener.key),
                roots=self._order["roots"],
                tree=self._order["tree"],
            )
            pid = os.fork()
            if pid == 0:
                self.sender.blind()
                run_child(child, listener.output_end)
            return listener.listen(pid)

    def _judge(self, item: "pytest.Item", real: Ended, control: "Optional[Ended]") -> "List[str]":
        """What stands against a pass of this test, beyond its own phases."""
        if item.name == self._order["calibrate"]:
            # No code of the tree has run yet: what changed here is pytest's own doing.
            self._noise.update(real.changed)
        if not real.all_passed():
            return [real.how] if real.how else []
        notes = [f"changed: {name}" for name in real.changed if name not in self._noise]
        if real.behaviour != expected_behaviour(real.numbers):
            notes.append("comparison, json or pytest.raises no longer do what they should")
        if control is None or control.outcomes.get("call") != "failed":
            passed = control is not None and control.all_passed()
            notes.append("the control that must fail passed" if passed else "the control was lost")
        return notes + real.forgeries()

    def _tell(self, item: "pytest.Item", phase: str, ended: Ended) -> None:
        record = {"kind": "report", "id": item.nodeid, "phase": phase}
        text = ended.texts.get(phase, "")
        self.sender.send({**record, "outcome": ended.outcomes[phase], "text": text})

    def _show(self, item: "pytest.Item", ended: Ended, notes: "List[str]") -> None:
        """Let pytest's own terminal and exit code know."""
        hook = item.config.hook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for phase in PHASES:
            bad = ended.outcomes.get(phase, "missing") != "passed"
            if phase in ended.outcomes or (phase == "call" and bad):
                text = ended.texts.get(phase) or ended.how or "no report came"
                self._log(item, phase, text if bad else "", ended.output)
        if notes and ended.all_passed():
            self._log(item, "teardown", "\n".join(notes), ended.output)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _log(self, item: "pytest.Item", phase: str, trouble: str, output: str) -> None:
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            {},
            "failed" if trouble else "passed",
            trouble or None,
            phase,  # type: ignore[arg-type]
            [("Captured output", output)] if trouble and output else [],
        )
        item.config.hook.pytest_runtest_logreport(report=report)


def _tampering(real: Ended, notes: "List[str]") -> "List[str]":
    """Of what stands against a test, what looks like an attempt to sway it."""
    forced = notes if real.all_passed() else real.lines()
    return [*forced, *(f"reached for {what}" for what in real.reach)]

"""Runs every requirement's tests in processes forked from one that never imports the tree.

The parent collects, forks, listens and reports; it alone holds the report channel and its key, and
no code of the tree ever runs in it. The tests of one mark (one requirement) share a child, and each
group is run in two children. In one of them a test counts as it is, in the other it is a *control*
that must fail; which is which is drawn for every test, and the parent tells the child only after
the test's body has ended. Until then nothing in the child's memory says it. Whatever makes tests
pass by force makes the controls pass too.
"""

import gc
import importlib
import os
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from .channel import Sender
from .child import Child, run_child
from .integrity import Fingerprint, expected_behaviour
from .listen import Ended, Listener, Told
from .whole import PHASES, CollectReporter, describe, implementations


class EachReporter(CollectReporter):
    """The session's driver in the parent process.

    Args:
        sender: the report channel.
        order: what the host asked for; ``each_s`` and ``wall_s`` in seconds.
    """

    def __init__(self, sender: Sender, order: "dict[str, Any]") -> None:
        super().__init__(sender, order["mark"])
        self._order = order
        self._ends = time.monotonic() + order["wall_s"]
        self._noise: set[str] = set()
        self._fingerprint = Fingerprint(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: "pytest.Session") -> bool:
        """Run what was collected, in children instead of here."""
        for name in self._order["watch"]:
            importlib.import_module(name)
        gc.freeze()  # keeps the children's collector off the pages they share with us
        modules = [i.module.__name__ for i in session.items if isinstance(i, pytest.Function)]
        config, values = session.config, self._order["watch"]
        self._fingerprint = Fingerprint(lambda: implementations(config), set(modules), values)
        for group in self._groups(session.items):
            self._run_group(group)
        return True

    def _groups(self, items: "Sequence[pytest.Item]") -> "list[list[pytest.Item]]":
        """Items by their marks, in order; an item without a mark stays alone."""
        groups: dict[str, list[pytest.Item]] = {}
        for item in items:
            marks = describe(item, self.mark)["marks"]
            groups.setdefault(repr(marks) if marks else item.nodeid, []).append(item)
        return list(groups.values())

    def _run_group(self, items: "list[pytest.Item]") -> None:
        draw = [bool(random.getrandbits(1)) for _ in items]
        one = self._run(items, draw)
        # A test that hung in one child has failed already; hanging again tells nothing more.
        skipped = Ended(how=f"not run: {one.how}", timed_out=True)
        other = skipped if one.timed_out else self._run(items, [not bit for bit in draw])
        for number, item in enumerate(items):
            real, control = (other, one) if draw[number] else (one, other)
            self._judge(item, real.test(number), control.tests.get(number))
        self._note_lines(items[0], one.strays + other.strays)

    def _run(self, items: "list[pytest.Item]", controls: "list[bool]") -> Ended:
        """Run a group once.

        Args:
            items: the tests.
            controls: for each of them, whether it is a control this time.
        """
        left = self._ends - time.monotonic()
        if left <= 0:
            return Ended(how="the deadline of the whole run had passed", timed_out=True)
        listener = Listener(controls, each_s=self._order["each_s"], ends=self._ends)
        child = Child(
            items=items,
            fingerprint=self._fingerprint,
            line=listener.childs_end,
            key=bytearray(listener.key),
            roots=self._order["roots"],
            tree=self._order["tree"],
        )
        pid = os.fork()
        if pid == 0:
            self.sender.blind()
            listener.close_ours()
            run_child(child, listener.output_end)
        return listener.listen(pid)

    def _judge(self, item: "pytest.Item", real: Told, control: "Told | None") -> None:
        """Report one test."""
        notes = self._notes(item, real, control)
        for phase in PHASES:
            if phase in real.outcomes:
                self._tell(item, phase, real)
        forced = notes if real.all_passed() else []
        tampered = [*forced, *(f"reached for {what}" for what in real.reach)]
        proof = {"kind": "proof", "id": item.nodeid, "ok": not notes, "notes": notes}
        self.sender.send({**proof, "tampered": tampered})
        self._show(item, real, notes)

    def _notes(self, item: "pytest.Item", real: Told, control: "Told | None") -> "list[str]":
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
        return notes

    def _note_lines(self, item: "pytest.Item", strays: int) -> None:
        if strays:
            note = f"{strays} forged lines while the tests ran"
            self.sender.send({"kind": "noted", "id": item.nodeid, "tampered": [note]})

    def _tell(self, item: "pytest.Item", phase: str, told: Told) -> None:
        record = {"kind": "report", "id": item.nodeid, "phase": phase}
        text = told.texts.get(phase, "")
        self.sender.send({**record, "outcome": told.outcomes[phase], "text": text})

    def _show(self, item: "pytest.Item", told: Told, notes: "list[str]") -> None:
        """Let pytest's own terminal and exit code know; controls are nobody's business."""
        if self._order["controls"] and item.nodeid.startswith(f"{self._order['controls']}::"):
            return
        hook = item.config.hook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for phase in PHASES:
            bad = told.outcomes.get(phase, "missing") != "passed"
            if phase in told.outcomes or (phase == "call" and not told.outcomes):
                text = told.texts.get(phase) or told.how or "no report came"
                self._log(item, phase, text if bad else "", told.output)
        if notes and told.all_passed():
            self._log(item, "teardown", "\n".join(notes), told.output)
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

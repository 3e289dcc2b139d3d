"""Reports a whole pytest session, as it goes, in the session's own process."""

from typing import Any

import pytest

from .channel import Sender
from .integrity import Fingerprint

PHASES = ("setup", "call", "teardown")
TEXT_CHARS = 4000


def tail(text: str) -> str:
    """The end of a failure's text, which names the error."""
    return text if len(text) <= TEXT_CHARS else "…" + text[-TEXT_CHARS:]


def outcome_of(report: "pytest.TestReport") -> str:
    """The report's outcome, with expected failures told apart from skips and passes."""
    if hasattr(report, "wasxfail"):
        return "xpassed" if report.passed else "xfailed"
    return report.outcome


def implementations(config: "pytest.Config") -> "list[Any]":
    """Every hook implementation registered, in order."""
    hooks = [h for h in vars(config.hook).values() if hasattr(h, "get_hookimpls")]
    return [one for hook in hooks for one in hook.get_hookimpls()]


def describe(item: "pytest.Item", mark: str) -> "dict[str, Any]":
    """An item's id and the arguments of its marks of one name."""
    args = [str(a) for m in item.iter_markers(mark) for a in m.args] if mark else []
    return {"id": item.nodeid, "marks": args}


class CollectReporter:
    """Tells what was collected, and what could not be."""

    def __init__(self, sender: Sender, mark: str) -> None:
        self.sender = sender
        self.mark = mark

    def pytest_configure(self, config: "pytest.Config") -> None:
        """Make the mark known."""
        if self.mark:
            config.addinivalue_line("markers", f"{self.mark}(id): what the test is about")

    def pytest_collectreport(self, report: "pytest.CollectReport") -> None:
        """Tell of a module that can't be collected."""
        if report.failed:
            text = tail(report.longreprtext)
            self.sender.send({"kind": "collect_error", "id": report.nodeid, "text": text})

    def pytest_collection_finish(self, session: "pytest.Session") -> None:
        """Tell the ids, in order."""
        items = [describe(item, self.mark) for item in session.items]
        self.sender.send({"kind": "collected", "items": items})


class WholeReporter(CollectReporter):
    """Tells every test's phases, and at the end what was changed in pytest meanwhile."""

    def __init__(self, sender: Sender, mark: str) -> None:
        super().__init__(sender, mark)
        # Now, before the tree's own conftest can be imported; its hooks are legitimate here, so
        # they are not watched.
        self._fingerprint = Fingerprint(list)

    def pytest_runtest_logreport(self, report: "pytest.TestReport") -> None:
        """Tell one phase of one test."""
        record = {"kind": "report", "id": report.nodeid, "phase": str(report.when)}
        text = "" if report.passed else tail(report.longreprtext)
        self.sender.send({**record, "outcome": outcome_of(report), "text": text})

    def changes(self) -> "list[str]":
        """What the session changed in pytest and left changed."""
        return sorted(self._fingerprint.core_changes())

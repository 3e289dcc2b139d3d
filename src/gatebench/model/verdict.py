"""The oracle's word on one tree."""

from enum import StrEnum

from gatebench.model.base import Filed, Record
from gatebench.model.stop import HiddenSummary


class Outcome(StrEnum):
    """A requirement's verdict."""

    PASS = "pass"
    FAIL = "fail"
    UNSCORABLE = "unscorable"


class HiddenTest(Record):
    """One hidden test's result, by pytest node id."""

    id: str
    requirement: str | None
    """The requirement it is marked with."""
    outcomes: dict[str, str]
    """By phase (``setup``, ``call``, ``teardown``): ``passed``, ``failed``, ``skipped``; absent
    where no report came."""
    passed: bool
    """It ran, and every phase passed."""


class Verdict(Filed):
    """``hidden-<n>.json``: one verdict per requirement, and the tests beneath."""

    tree: str
    requirements: dict[str, Outcome]
    tests: tuple[HiddenTest, ...]
    exit_code: int | None
    wall_s: float
    tampered: tuple[str, ...] = ()
    """What the oracle saw of attempts to sway it."""
    unscorable_reason: str | None = None
    cached: bool = False

    def summary(self) -> HiddenSummary:
        """The counts that ``gate.jsonl`` carries."""
        by = {o: tuple(r for r, v in self.requirements.items() if v is o) for o in Outcome}
        return HiddenSummary(
            passed=len(by[Outcome.PASS]),
            failed=len(by[Outcome.FAIL]),
            unscorable=len(by[Outcome.UNSCORABLE]),
            failed_reqs=by[Outcome.FAIL],
        )


class SuiteRun(Record):
    """One run of the library's own test suite."""

    passed: int | None
    failed: int | None
    """Failures and errors together."""
    green: bool | None
    """``None`` where the run itself broke."""
    wall_s: float
    log: str = ""
    """Cleaned and capped output."""

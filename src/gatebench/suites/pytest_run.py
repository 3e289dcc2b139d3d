"""What one run of pytest in the sandbox came to, by structured report alone."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

PHASES = ("setup", "call", "teardown")
PROOF = "proof"
"""The phase beyond pytest's own, in which an isolated test's run itself is judged."""


@dataclass(frozen=True)
class Report:
    """One phase of one test."""

    id: str
    """Pytest's node id, relative to the run's root."""
    phase: str
    """``setup``, ``call``, ``teardown`` or ``proof``."""
    outcome: str
    """``passed``, ``failed``, ``skipped``, ``xfailed`` or ``xpassed``."""
    text: str = ""
    """The failure's text, its end if it was long."""


@dataclass(frozen=True)
class PytestRun:
    """One run. A test that left no report, or more than one, is no pass."""

    reports: tuple[Report, ...]
    collected: tuple[str, ...]
    """Node ids in order; empty where collecting never ended."""
    collect_errors: Mapping[str, str]
    """The error's text by module, for modules that could not be collected."""
    exit_code: int | None
    """Of the process; ``None`` where it was ended from outside."""
    ended: bool
    """Its last record came and agrees with the exit code and the reports."""
    log: str
    """Output, cleaned and capped."""
    timed_out: bool
    wall_s: float
    tampered: tuple[str, ...] = ()
    """What was seen of attempts to sway the run."""
    proofs: bool = False
    """Every test needs a ``proof`` phase to pass."""
    controls: str = ""
    """Module of our own control tests: they judge the run and are counted nowhere."""
    started: bool = True
    """Our own program in the sandbox got as far as reporting anything."""
    limit: str | None = None
    """A breached limit other than time."""
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Arguments of the marks asked for, by node id."""

    @cached_property
    def _by_id(self) -> Mapping[str, tuple[Report, ...]]:
        found: dict[str, list[Report]] = {}
        for report in self.reports:
            found.setdefault(report.id, []).append(report)
        return {name: tuple(reports) for name, reports in found.items()}

    @property
    def _counted(self) -> tuple[str, ...]:
        controls = f"{self.controls}::"
        return tuple(n for n in self._by_id if not (self.controls and n.startswith(controls)))

    def outcomes(self, node: str) -> dict[str, str]:
        """A test's outcome by phase; a phase reported twice is ``doubled``."""
        reports = self._by_id.get(node, ())
        times = Counter(r.phase for r in reports)
        return {r.phase: r.outcome if times[r.phase] == 1 else "doubled" for r in reports}

    def has_passed(self, node: str) -> bool:
        """Whether a test ran and every phase passed."""
        wanted = (*PHASES, PROOF) if self.proofs else PHASES
        return self.outcomes(node) == dict.fromkeys(wanted, "passed")

    def text(self, node: str) -> str:
        """A test's failure texts."""
        return "\n".join(r.text for r in self._by_id.get(node, ()) if r.text)

    @cached_property
    def passed_ids(self) -> tuple[str, ...]:
        """Tests that passed, in order of their first report."""
        return tuple(node for node in self._counted if self.has_passed(node))

    @cached_property
    def failed_ids(self) -> tuple[str, ...]:
        """Tests and modules with a failure or an error."""
        bad = ("failed", "doubled", "xpassed")
        failed = [n for n in self._counted if any(o in bad for o in self.outcomes(n).values())]
        return (*self.collect_errors, *failed)

    @property
    def passed(self) -> int:
        """Number of tests that passed."""
        return len(self.passed_ids)

    @property
    def failed(self) -> int:
        """Number of failures and errors, modules that can't be collected included."""
        return len(self.failed_ids)

    @property
    def skipped(self) -> int:
        """Number of tests skipped or expected to fail."""
        return len(set(self._counted) - set(self.passed_ids) - set(self.failed_ids))

    @property
    def green(self) -> bool:
        """It came to its end with exit code 0, at least one test ran, and nothing failed."""
        return self.ended and self.exit_code == 0 and bool(self.reports) and not self.failed


def from_records(records: Iterable[Mapping[str, Any]], run: PytestRun) -> PytestRun:
    """Fill a run that knows only its process with what was reported.

    Args:
        records: genuine records, in order.
        run: exit code, log, times, and what was seen of tampering so far.
    """
    heard = _Heard()
    for record in records:
        heard.take(record)
    filled = {**vars(run), **heard.fields()}
    filled["tampered"] = (*run.tampered, *heard.tampered)
    filled = {k: v for k, v in filled.items() if k in PytestRun.__dataclass_fields__}
    whole = PytestRun(**filled)
    return PytestRun(**{**filled, "ended": _agrees(heard.exit_code, whole)})


def _agrees(said: int | None, run: PytestRun) -> bool:
    if said is None or said != run.exit_code:
        return False
    return (said == 0) == (not run.failed) or said > 1


class _Heard:
    """Gathers records."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.items: list[Mapping[str, Any]] = []
        self.errors: dict[str, str] = {}
        self.exit_code: int | None = None
        self._notes: Counter[str] = Counter()
        self.any = False

    def take(self, record: Mapping[str, Any]) -> None:
        self.any = True
        kind = record["kind"]
        if kind == "collected":
            self.items = record["items"]
        elif kind == "collect_error":
            self.errors[record["id"]] = record["text"]
        elif kind == "report":
            fields = (record[key] for key in ("id", "phase", "outcome", "text"))
            self.reports.append(Report(*fields))
        elif kind == "proof":
            self._proof(record)
        elif kind == "noted":
            self._notes.update(record["tampered"])
        elif kind == "end":
            self.exit_code = record["exit_code"]
            self._notes.update(f"changed: {name}" for name in record["changed"])

    def _proof(self, record: Mapping[str, Any]) -> None:
        outcome, notes = ("passed" if record["ok"] else "failed"), record["notes"]
        self.reports.append(Report(record["id"], PROOF, outcome, "\n".join(notes)))
        self._notes.update(record["tampered"])

    @property
    def tampered(self) -> list[str]:
        """Each thing seen once, with the number of tests in which it was."""
        return [f"{note} ({times}x)" for note, times in sorted(self._notes.items())]

    def fields(self) -> dict[str, Any]:
        return {
            "reports": tuple(self.reports),
            "collected": tuple(item["id"] for item in self.items),
            "marks": {item["id"]: tuple(item["marks"]) for item in self.items},
            "collect_errors": self.errors,
            "started": self.any,
        }

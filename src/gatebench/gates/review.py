"""Gate 3, adversarial review: two reviewers side by side, or a reviewer and a challenger."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gatebench.gates.base import Ground, StopView
from gatebench.gates.calls import Ask, Challenge, Heard, Review, Table, hear
from gatebench.gates.checkout import checkout
from gatebench.gates.runner import side_by_side
from gatebench.gates.settings import read_settings
from gatebench.gates.words import (
    CHALLENGE_SCHEMA,
    REVIEW_SCHEMA,
    challenge_prompt,
    diff_text,
    place,
    review_prompt,
)
from gatebench.model.base import Record
from gatebench.model.stop import Finding, GateResult, GateStatus, ReviewerResult, Severity
from gatebench.model.usage import Role

_REQUEST = "Please fix them, re-run the tests and stop."


class ReviewSettings(Record):
    """Settings of the gate ``review``."""

    variant: Literal["indep", "adv"] = "indep"
    """``indep``: two reviewers; ``adv``: a reviewer and a challenger."""
    max_turns: int = 15
    limit_s: float = 600.0
    """Limit of one call, seconds."""


@dataclass(frozen=True)
class Panel:
    """What the reviewers said at one stop."""

    reviewers: tuple[ReviewerResult, ...]
    blocking: tuple[Finding, ...]


class ReviewGate:
    """The gate ``review``; made for one trial."""

    name = "review"

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._settings = read_settings(ReviewSettings, self.name, ground.settings)

    async def prepare(self) -> None:
        """Nothing is needed."""

    async def recall(self) -> None:
        """Nothing was kept."""

    async def check(self, stop: StopView) -> GateResult:
        """Have the change reviewed; a blocking finding blocks.

        A call that fails is an error, never an approval; if all fail the gate has not spoken.

        Raises:
            GateFault: a fault of ours.
        """
        ground, settings = self._ground, self._settings
        diff = diff_text(await ground.trees.diff(ground.start_tree, stop.tree), stop.cut)
        async with checkout(ground.trees, stop.tree) as copy:
            table = Table(ground, stop.n, copy, settings.max_turns, settings.limit_s)
            hold = independent if settings.variant == "indep" else adversarial
            panel = await hold(table, diff)
        return result_of(panel, settings.variant)

    async def last(self, tree: str) -> None:
        """Nothing more is to be said."""


async def independent(table: Table, diff: str) -> Panel:
    """A and B, the same prompt, side by side; the union of their blocking findings."""
    prompt = review_prompt(table.ground.prompt, diff)
    heard: dict[str, Heard[Review]] = {}

    async def one(name: str, role: Role) -> None:
        heard[name] = await hear(table, Ask(role, prompt, REVIEW_SCHEMA, Review))

    await side_by_side(lambda: one("A", Role.REVIEWER_A), lambda: one("B", Role.REVIEWER_B))
    results = tuple(reviewer_result(name, heard[name]) for name in ("A", "B"))
    return Panel(results, union(f for r in results for f in r.findings))


async def adversarial(table: Table, diff: str) -> Panel:
    """A, then a challenger who rules on A's findings and adds what is missing."""
    task = table.ground.prompt
    ask = Ask(Role.REVIEWER_A, review_prompt(task, diff), REVIEW_SCHEMA, Review)
    first = reviewer_result("A", await hear(table, ask))
    prompt = challenge_prompt(task, diff, first.findings)
    heard = await hear(table, Ask(Role.CHALLENGER, prompt, CHALLENGE_SCHEMA, Challenge))
    if heard.answer is None:
        # An errored challenger upholds nothing.
        return Panel((first, heard.result("B")), ())
    rulings = {r.id: r.ruling for r in heard.answer.rulings}
    numbered = enumerate(first.findings, start=1)
    upheld = [f for number, f in numbered if rulings.get(number) == "upheld"]
    blocking = union([*upheld, *heard.answer.added_findings])
    second = heard.result("B").model_copy(
        update={
            "approve": not blocking,
            "findings": heard.answer.added_findings,
            "rulings": heard.answer.rulings,
        }
    )
    return Panel((first, second), blocking)


def reviewer_result(name: str, heard: Heard[Review]) -> ReviewerResult:
    """A reviewer's record; effective approval is having no blocking finding."""
    result, answer = heard.result(name), heard.answer
    if answer is None:
        return result
    return result.model_copy(
        update={
            "approve": not union(answer.findings),
            "approve_raw": answer.approve,
            "findings": answer.findings,
        }
    )


def union(findings: Any) -> tuple[Finding, ...]:
    """The blocking ones, each once, in order."""
    blocking = (f for f in findings if f.severity is Severity.BLOCKING)
    return tuple({(f.file, f.line, f.text): f for f in blocking}.values())


def result_of(panel: Panel, variant: str) -> GateResult:
    """The gate's word."""
    errors = [r.error for r in panel.reviewers if r.error is not None]
    return GateResult(
        name=ReviewGate.name,
        status=_status(panel, len(errors)),
        reason=reason_of(panel.blocking) if panel.blocking else "",
        cost_usd=_sum([r.cost_usd for r in panel.reviewers]),
        error="; ".join(errors) or None,
        detail={
            "variant": variant,
            "reviewers": [r.model_dump(mode="json") for r in panel.reviewers],
            "blocking_findings": [f.model_dump(mode="json") for f in panel.blocking],
            "reviewer_errors": len(errors),
        },
    )


def _status(panel: Panel, errors: int) -> GateStatus:
    if panel.blocking:
        return GateStatus.RED
    return GateStatus.ERROR if errors == len(panel.reviewers) else GateStatus.PASS


def reason_of(blocking: Sequence[Finding]) -> str:
    """What the agent is told."""
    lines = [f"{n}. {place(f)} {' '.join(f.text.split())}" for n, f in enumerate(blocking, start=1)]
    head = f"Code review found {len(blocking)} blocking defect(s):"
    return "\n".join([head, *lines, "", _REQUEST])


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None

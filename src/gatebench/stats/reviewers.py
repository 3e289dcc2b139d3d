"""Two independent reviewers on the same stops: do they see the same things?"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gatebench.model.stop import GateResult, StopRecord
from gatebench.stats.agreement import (
    TwoByTwo,
    chapman,
    double_fault,
    effective_reviewers,
    kappa,
    pabak,
)
from gatebench.stats.cells import Cells, Done
from gatebench.stats.records import ReviewerTable

TWO = 2


@dataclass(frozen=True)
class Said:
    """What both said of one state, and what was true."""

    first_blocks: bool
    second_blocks: bool
    failing: bool


def reviewer_tables(cells: Cells) -> tuple[ReviewerTable, ...]:
    """One row for each config whose reviewers worked side by side."""
    said = {c: tuple(_said(cells.of(c))) for c in cells.job.configs}
    return tuple(_table(config, given) for config, given in said.items() if given)


def _said(trials: Iterable[Done]) -> Iterable[Said]:
    for done in trials:
        for stop in done.trial.stops:
            pair = next((p for g in stop.gates if (p := _approvals(g)) is not None), None)
            if pair and stop.hidden and not stop.hidden.unscorable:
                yield Said(not pair[0], not pair[1], failing=_failing(stop))


def _failing(stop: StopRecord) -> bool:
    return stop.hidden is not None and stop.hidden.failed > 0


def _approvals(gate: GateResult) -> tuple[bool, bool] | None:
    """Both approvals; ``None`` where one failed to answer or ruled on the other's findings."""
    calls: list[dict[str, Any]] = list(gate.detail.get("reviewers", ()))
    if len(calls) != TWO or gate.detail.get("variant") == "adv" or calls[1].get("rulings"):
        return None
    first, second = (call.get("approve") for call in calls)
    if not isinstance(first, bool) or not isinstance(second, bool):
        return None
    return first, second


def _table(config: str, said: tuple[Said, ...]) -> ReviewerTable:
    blocks = two_by_two((s.first_blocks, s.second_blocks) for s in said)
    wrong = two_by_two((s.first_blocks != s.failing, s.second_blocks != s.failing) for s in said)
    caught = two_by_two((s.first_blocks, s.second_blocks) for s in said if s.failing)
    estimate = chapman(caught.both, caught.first, caught.second)
    bias = None if estimate.value is None else round(estimate.value - caught.n)
    return ReviewerTable(
        config=config,
        stops=len(said),
        caught_by_both=caught.both,
        caught_by_first=caught.first,
        caught_by_second=caught.second,
        caught_by_none=caught.neither,
        kappa=kappa(blocks),
        pabak=pabak(blocks),
        double_fault=double_fault(wrong),
        effective_reviewers=effective_reviewers(wrong),
        chapman=estimate,
        chapman_bias=bias,
    )


def two_by_two(pairs: Iterable[tuple[bool, bool]]) -> TwoByTwo:
    """Count yes/no pairs."""
    given = list(pairs)
    return TwoByTwo(
        both=given.count((True, True)),
        first=given.count((True, False)),
        second=given.count((False, True)),
        neither=given.count((False, False)),
    )

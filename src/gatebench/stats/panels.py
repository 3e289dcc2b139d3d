"""One reviewer, two, or a challenger: verdicts made of the same calls, and gates asked again.

Two reviewers' gate calls A and B, the challenger's calls A and a challenger; in a replay A is one
and the same call. So the four ways to decide differ in nothing but the way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from statsmodels.stats.inter_rater import fleiss_kappa

from gatebench.model.labels import Label
from gatebench.model.replay import Look, Spec, State
from gatebench.model.trial import kind_of
from gatebench.stats.agreement import NO_INTERVAL
from gatebench.stats.estimate import Estimate, undefined
from gatebench.stats.replay_records import Group, ReplayTables, RetestRow, RuleRow
from gatebench.stats.replayed import (
    GROUPS,
    Judged,
    Seen,
    pair_rows,
    replay_rows,
    same_rows,
    verdict_of,
)

RULES = ("one reviewer", "union", "intersection", "challenger")
TWO = 2
Call = Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """The calls about one state at one time; what wasn't asked, or failed, is ``None``."""

    state: State
    first: Call
    second: Call | None
    """B, the independent reviewer."""
    challenger: Call | None
    upheld: bool | None
    """Whether anything blocks after the challenger's rulings."""

    def blocks(self, rule: str) -> bool | None:
        """What a rule makes of the calls."""
        one = not self.first["approve"]
        if rule == "challenger":
            return self.upheld if self.challenger else None
        if rule == "one reviewer":
            return one
        if self.second is None:
            return None
        other = not self.second["approve"]
        return one or other if rule == "union" else one and other

    def cost_usd(self, rule: str) -> float | None:
        """Dollars of the calls that a rule needs."""
        needed = [self.first]
        if rule == "challenger" and self.challenger:
            needed.append(self.challenger)
        elif rule != "one reviewer" and self.second:
            needed.append(self.second)
        costs = [call.get("cost_usd") for call in needed]
        known = [float(cost) for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None


def replay_tables(seen: Seen) -> ReplayTables:
    """Every table of a job's replays."""
    return ReplayTables(
        states=len({look.state for look in seen.data.looks}),
        looks=len(seen.data.looks),
        times=len(seen.times),
        rows=replay_rows(seen),
        rules=rule_rows(seen),
        retest=retest_rows(seen),
        pairs=pair_rows(seen),
        recorded=same_rows(seen),
        writer_usd=seen.data.writer_usd,
    )


def rule_rows(seen: Seen) -> tuple[RuleRow, ...]:
    """For each reviewing gate and group: each rule on the looks at which all of them can decide."""
    found: list[RuleRow] = []
    for asked in _reviews(seen):
        panels = tuple(_panels(seen, asked))
        for group, kinds in GROUPS.items():
            mine = [p for p in panels if p.state.kind in kinds]
            settings = next(iter(asked.values())).settings
            plain = {k: v for k, v in settings.items() if k != "variant"}
            found += [_rule_row(rule, group, plain, mine) for rule in _decidable(mine)]
    return tuple(found)


def _reviews(seen: Seen) -> list[dict[str, Spec]]:
    """Gates that differ in their variant alone, together."""
    together: dict[str, dict[str, Spec]] = {}
    for arm in seen.data.arms:
        for spec in arm.specs:
            if kind_of(spec.gate) == "review":
                variant = str(spec.settings.get("variant", "indep"))
                rest = {k: v for k, v in spec.settings.items() if k != "variant"}
                alike = spec.model_copy(update={"settings": rest}).model_dump_json()
                together.setdefault(alike, {})[variant] = spec
    return list(together.values())


def _panels(seen: Seen, asked: Mapping[str, Spec]) -> Iterator[Panel]:
    for state in seen.data.states:
        for time in seen.times:
            looks = {
                variant: look
                for variant, spec in asked.items()
                if (look := seen.looks.get((state.id, spec.id, time)))
            }
            panel = _panel(state, looks) if len(looks) == len(asked) else None
            if panel is not None:
                yield panel


def _panel(state: State, looks: Mapping[str, Look]) -> Panel | None:
    """``None`` where a call failed, or where the two gates did not share their first."""
    calls = {
        variant: tuple(look.result.detail.get("reviewers", ())) for variant, look in looks.items()
    }
    if any(len(pair) != TWO or any(c["approve"] is None for c in pair) for pair in calls.values()):
        return None
    indep, adv = calls.get("indep"), calls.get("adv")
    pair = indep or adv
    if pair is None or (indep and adv and indep[0] != adv[0]):
        return None
    upheld = bool(looks["adv"].result.detail.get("blocking_findings")) if adv else None
    return Panel(state, pair[0], indep[1] if indep else None, adv[1] if adv else None, upheld)


def _decidable(panels: Sequence[Panel]) -> list[str]:
    return [r for r in RULES if panels and all(p.blocks(r) is not None for p in panels)]


def _rule_row(
    rule: str, group: Group, settings: dict[str, Any], panels: Sequence[Panel]
) -> RuleRow:
    said = Counter(verdict_of(p.state, blocks=bool(p.blocks(rule))) for p in panels)
    costs = [p.cost_usd(rule) for p in panels]
    known = [cost for cost in costs if cost is not None]
    return RuleRow(
        rule=rule,
        settings=settings,
        group=group,
        looks=len(panels),
        labels={found.value: said[found] for found in Label},
        usd_per_look=fmean(known) if known and len(known) == len(costs) else None,
    )


def retest_rows(seen: Seen) -> tuple[RetestRow, ...]:
    """Each config that looked more than once, against itself."""
    if len(seen.times) < TWO:
        return ()
    rows = (_retest(arm, judged) for arm, judged in seen.judged.items())
    return tuple(row for row in rows if row is not None)


def _retest(arm: str, judged: Iterable[Judged]) -> RetestRow | None:
    said: dict[str, list[bool]] = {}
    for one in judged:
        if one.blocks is not None:
            said.setdefault(one.state.id, []).append(one.blocks)
    times = max(map(len, said.values()), default=0)
    whole = [answers for answers in said.values() if len(answers) == times]
    if times < TWO:
        return None
    return RetestRow(
        config=arm,
        times=times,
        states=len(whole),
        unlike=sum(len(set(answers)) > 1 for answers in whole),
        agreement=_agreement(whole),
        kappa=_fleiss(whole),
    )


def _agreement(whole: Sequence[Sequence[bool]]) -> Estimate:
    pairs = [a == b for answers in whole for a, b in combinations(answers, TWO)]
    method = "share of pairs of looks at one state that agree"
    value = sum(pairs) / len(pairs)
    return Estimate(
        value=value,
        n=len(pairs),
        interval=None,
        method=method,
        count=sum(pairs),
        reason=NO_INTERVAL,
    )


def _fleiss(whole: Sequence[Sequence[bool]]) -> Estimate:
    """Fleiss's κ over looks; Psychol. Bull. 76 (1971) 378–382, by statsmodels."""
    name = "Fleiss's κ"
    if len({answer for answers in whole for answer in answers}) < TWO:
        return undefined("it always said the same: chance agreement is 1", name, len(whole))
    table = np.array([[sum(a), len(a) - sum(a)] for a in whole])
    value = float(fleiss_kappa(table))
    return Estimate(value=value, n=len(whole), interval=None, method=name, reason=NO_INTERVAL)

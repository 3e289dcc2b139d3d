"""Gates on the same states: confusion, agreement, and what was recorded, asked again.

The states of a replay are chosen, not met, so the tables keep them apart by where they come from.
Rates rest on the first look at each state (of a trial its first stop alone), because further looks
and further stops hang together with it; all looks are told as counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean

from gatebench.model.labels import Label, label
from gatebench.model.policy import decide
from gatebench.model.replay import GOLD, Arm, Kind, Look, ReplayData, State
from gatebench.model.stop import GateResult, GateStatus, StopRecord
from gatebench.stats.judged import FAILING, FALSE, PASSING, RIGHT
from gatebench.stats.proportions import Cluster, clustered_share, small_share
from gatebench.stats.replay_records import Group, PairRow, ReplayRow, SameRow

GROUPS: Mapping[Group, frozenset[Kind]] = {
    Group.STOPS: frozenset({Kind.STOP}),
    Group.SOLUTIONS: GOLD,
    Group.LATTICE: frozenset({Kind.LATTICE}),
}
ALIKE = {Label.RIGHT_BLOCK: True, Label.FALSE_BLOCK: True, Label.REGRESSION_BLOCK: True} | {
    Label.MISS: False,
    Label.CORRECT_ALLOW: False,
}
"""Whether a label is a block; labels that say nothing about the gate are not here."""


@dataclass(frozen=True)
class Judged:
    """One config at one state, once."""

    arm: str
    state: State
    time: int
    stop: StopRecord
    cost_usd: float | None

    @property
    def label(self) -> Label:
        """What its word was worth."""
        return label(self.stop) or Label.UNSCORABLE

    @property
    def blocks(self) -> bool | None:
        """Whether it blocked; ``None`` where it has not spoken or nobody knows the truth."""
        return ALIKE.get(self.label)


@dataclass(frozen=True)
class Seen:
    """A replay's looks, put together into what each config said."""

    data: ReplayData

    @cached_property
    def looks(self) -> Mapping[tuple[str, str, int], Look]:
        """By state, gate and time."""
        return {(look.state, look.spec, look.time): look for look in self.data.looks}

    @cached_property
    def times(self) -> tuple[int, ...]:
        """Every time index there is."""
        return tuple(sorted({look.time for look in self.data.looks}))

    @cached_property
    def arms(self) -> tuple[Arm, ...]:
        """The configs, and each gate of theirs that no config has for itself.

        Every gate looked at every state, so behind an earlier one it isn't left with what that one
        let through.
        """
        alone = {arm.specs[0].id for arm in self.data.arms if len(arm.specs) == 1}
        pairs = ((arm, spec) for arm in reversed(self.data.arms) for spec in arm.specs)
        parts = {
            spec.id: Arm(name=f"{arm.name} · {spec.gate}", specs=(spec,))
            for arm, spec in pairs
            if spec.id not in alone
        }
        return (*self.data.arms, *parts.values())

    @cached_property
    def judged(self) -> Mapping[str, tuple[Judged, ...]]:
        """By config."""
        return {arm.name: tuple(self._of(arm)) for arm in self.arms}

    def _of(self, arm: Arm) -> Iterator[Judged]:
        for state in self.data.states:
            for time in self.times:
                gates = self._gates(arm, state, time)
                if gates is not None:
                    yield Judged(arm.name, state, time, judge(state, gates), _cost(gates))

    def _gates(self, arm: Arm, state: State, time: int) -> tuple[GateResult, ...] | None:
        """What the config's gates say in order; ``None`` where a look is missing."""
        said: list[GateResult] = []
        for spec in arm.specs:
            if not arm.run_all and any(g.status is GateStatus.RED for g in said):
                said.append(GateResult(name=spec.gate, status=GateStatus.SKIPPED))
                continue
            look = self.looks.get((state.id, spec.id, time))
            if look is None or look.tree != state.tree:
                return None
            said.append(look.result)
        return tuple(said)

    def paired(self, group: Group) -> tuple[tuple[str, ...], frozenset[str]]:
        """Configs looked at in a group, and the states that all of them saw at time 1."""
        kinds = GROUPS[group]
        sets = {
            arm: frozenset(j.state.id for j in all_ if j.time == 1 and j.state.kind in kinds)
            for arm, all_ in self.judged.items()
        }
        there = {arm: ids for arm, ids in sets.items() if ids}
        shared = frozenset.intersection(*there.values()) if there else frozenset[str]()
        return tuple(there), shared


def judge(state: State, gates: Sequence[GateResult]) -> StopRecord:
    """A stop at which these gates said this; no patience is used up in a replay."""
    return StopRecord(
        ts=0.0,
        n=state.n,
        tree=state.tree,
        stop_hook_active=None,
        gates=tuple(gates),
        hidden=state.hidden,
        suite_green=state.suite_green,
        decision=decide(gates, 0, 1),
    )


def verdict_of(state: State, *, blocks: bool) -> Label:
    """The label of a bare yes or no at a state."""
    status = GateStatus.RED if blocks else GateStatus.PASS
    return label(judge(state, (GateResult(name="rule", status=status),))) or Label.UNSCORABLE


def _cost(gates: Iterable[GateResult]) -> float | None:
    """Dollars of the gates that ran; one that tells no cost and asked no reviewer cost none."""
    costs = [g.cost_usd for g in gates if g.cost_usd is not None or "reviewers" in g.detail]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def replay_rows(seen: Seen) -> tuple[ReplayRow, ...]:
    """Each config in each group of states, over the states that all configs of the group saw."""
    found = []
    for group in GROUPS:
        names, states = seen.paired(group)
        for arm in (a for a in seen.arms if a.name in names):
            mine = [j for j in seen.judged[arm.name] if j.state.id in states]
            found.append(_row(arm, group, mine, len(states)))
    return tuple(found)


def _row(arm: Arm, group: Group, mine: Sequence[Judged], states: int) -> ReplayRow:
    first = [j for j in mine if j.time == 1 and j.state.first]
    costs = [j.cost_usd for j in mine]
    known = [cost for cost in costs if cost is not None]
    return ReplayRow(
        config=arm.name,
        gates=tuple(spec.id for spec in arm.specs),
        group=group,
        states=states,
        looks=len(mine),
        labels=_counted(mine),
        labels_first=_counted(first),
        right_block_rate=clustered_share(_clusters(first, RIGHT, FAILING)),
        false_block_rate=small_share(_clusters(first, FALSE, PASSING)),
        usd_per_look=fmean(known) if known and len(known) == len(costs) else None,
    )


def _counted(judged: Iterable[Judged]) -> dict[str, int]:
    counts = Counter(j.label for j in judged)
    return {found.value: counts[found] for found in Label}


def _clusters(judged: Sequence[Judged], hits: set[Label], among: set[Label]) -> list[Cluster]:
    """Per task: how many of the labels in ``among`` are in ``hits``."""
    by_task: dict[str, list[Label]] = {}
    for one in judged:
        by_task.setdefault(one.state.task, []).append(one.label)
    return [
        Cluster(sum(x in hits for x in labels), sum(x in among for x in labels))
        for labels in by_task.values()
    ]


def pair_rows(seen: Seen) -> tuple[PairRow, ...]:
    """Two configs on the same states at time 1: who blocked what."""
    found = []
    for group in GROUPS:
        names, states = seen.paired(group)
        arms = [arm.name for arm in seen.data.arms if arm.name in names]
        first = {
            arm: {j.state.id: j for j in seen.judged[arm] if j.time == 1 and j.state.id in states}
            for arm in arms
        }
        found += [_pair(group, (a, b), (first[a], first[b])) for a, b in combinations(arms, 2)]
    return tuple(found)


def _pair(
    group: Group, names: tuple[str, str], sides: tuple[dict[str, Judged], dict[str, Judged]]
) -> PairRow:
    said: dict[bool, Counter[tuple[bool, bool]]] = {True: Counter(), False: Counter()}
    for name, one in sides[0].items():
        blocks = (one.blocks, sides[1][name].blocks)
        if one.state.failing is not None and blocks[0] is not None and blocks[1] is not None:
            said[one.state.failing][blocks[0], blocks[1]] += 1
    return PairRow(
        config=names[0],
        against=names[1],
        group=group,
        failing_both=said[True][True, True],
        failing_first=said[True][True, False],
        failing_second=said[True][False, True],
        failing_neither=said[True][False, False],
        passing_both=said[False][True, True],
        passing_first=said[False][True, False],
        passing_second=said[False][False, True],
        passing_neither=said[False][False, False],
    )


def same_rows(seen: Seen) -> tuple[SameRow, ...]:
    """How many recorded words of each gate came out the same at time 1."""
    specs = {spec.id: spec for arm in seen.data.arms for spec in arm.specs}
    found = []
    for name, spec in specs.items():
        mine = [k for k in seen.data.looks if k.spec == name and k.recorded is not None]
        if mine:
            verdicts = sum(k.recorded == k.result.status for k in mine)
            whole = sum(bool(k.same) for k in mine)
            found.append(
                SameRow(
                    gate=spec.gate,
                    settings=dict(spec.settings),
                    recorded=len(mine),
                    same_verdict=verdicts,
                    same_words=whole,
                )
            )
    return tuple(found)

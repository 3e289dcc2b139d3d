"""Each gate against the truth: labels, detection counts and first-stop rates."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gatebench.model.labels import Label, label, shadow_label
from gatebench.model.policy import FAULTS
from gatebench.model.stop import Decision, Delivery, GateResult, GateStatus, StopRecord
from gatebench.stats.agreement import TwoByTwo, mcc
from gatebench.stats.cells import Cells, Done
from gatebench.stats.estimate import Estimate
from gatebench.stats.proportions import Cluster, bare_share, clustered_share, small_share
from gatebench.stats.records import Detection, GateTable

UNMEASURED = "this interval's coverage was not measured; see the counts"
FALSE = {Label.FALSE_BLOCK}
PASSING = {Label.FALSE_BLOCK, Label.CORRECT_ALLOW}
RIGHT = {Label.RIGHT_BLOCK}
FAILING = {Label.RIGHT_BLOCK, Label.MISS}

Judge = Callable[[StopRecord], Label | None]


@dataclass(frozen=True)
class Seen:
    """One label of one judge at one stop."""

    task: str
    trial: str
    first: bool
    label: Label
    failing: bool | None
    """Whether a requirement fails; ``None`` where the truth is unknown."""
    green: bool | None
    """Upstream's own suite."""


def gate_label(stop: StopRecord, gate: GateResult) -> Label | None:
    """The label of one gate's own word at a stop; ``None`` where it has not spoken.

    The rules of ``model.labels`` with the gate's status in place of the stop's decision: a gate
    that passes a failing state has missed it, though a later gate may have blocked.
    """
    if stop.decision is None or gate.status is GateStatus.SKIPPED:
        return None
    if stop.delivery not in {None, Delivery.DELIVERED}:
        return Label.UNDELIVERED
    if gate.status in FAULTS:
        return Label.GATE_FAULT
    red = gate.status is GateStatus.RED
    if red and stop.decision is Decision.GIVE_UP:
        return Label.GIVE_UP
    decision = Decision.BLOCK if red else Decision.ALLOW
    return label(stop.model_copy(update={"decision": decision, "gates": (gate,)}))


def judge_of(name: str | None) -> Judge:
    """The judge that a gate's name stands for; ``None`` is the config as a whole."""
    if name is None:
        return label

    def judge(stop: StopRecord) -> Label | None:
        gate = next((g for g in stop.gates if g.name == name), None)
        return gate_label(stop, gate) if gate else None

    return judge


def see(trials: Iterable[Done], judge: Judge) -> tuple[Seen, ...]:
    """All labels of one judge over some trials."""
    return tuple(
        Seen(d.task, str(d.trial.id), stop.n == 1, found, _failing(stop), stop.suite_green)
        for d in trials
        for stop in d.trial.stops
        if (found := judge(stop)) is not None
    )


def _failing(stop: StopRecord) -> bool | None:
    known = stop.hidden is not None and not stop.hidden.unscorable
    return stop.hidden.failed > 0 if known and stop.hidden else None


def gate_tables(cells: Cells) -> tuple[GateTable, ...]:
    """For each gated config: all gates together, then each gate."""
    found = []
    for config in cells.job.configs:
        names = gate_names(cells.of(config))
        whole: list[str | None] = [None] if names else []
        found += [gate_table(cells, config, name) for name in [*whole, *names]]
    return tuple(found)


def shadow_tables(cells: Cells) -> tuple[GateTable, ...]:
    """For each config with shadow gates: what each would have been worth, had it been alone."""
    return tuple(
        _table(cells, config, name, _shadow_judge(name))
        for config in cells.job.configs
        for name in _shadow_names(cells.of(config))
    )


def _shadow_names(trials: Iterable[Done]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(g.name for d in trials for s in d.trial.stops for g in s.shadow))


def _shadow_judge(name: str) -> Judge:
    def judge(stop: StopRecord) -> Label | None:
        gate = next((g for g in stop.shadow if g.name == name), None)
        return shadow_label(stop, gate) if gate else None

    return judge


def gate_names(trials: Iterable[Done]) -> tuple[str, ...]:
    """Gates that stood at any stop, in their order."""
    return tuple(dict.fromkeys(g.name for d in trials for s in d.trial.stops for g in s.gates))


def gate_table(cells: Cells, config: str, gate: str | None) -> GateTable:
    """One gate of one config (or all of them together) against the truth."""
    return _table(cells, config, gate, judge_of(gate))


def _table(cells: Cells, config: str, gate: str | None, judge: Judge) -> GateTable:
    trials = cells.of(config)
    everything = see(trials, judge)
    first = [s for s in everything if s.first]
    counts = detection(first)
    return GateTable(
        config=config,
        gate=gate,
        labels=by_label(everything),
        labels_first=by_label(first),
        not_run=_not_run(trials, gate),
        detection=detection(everything),
        detection_first=counts,
        right_block_rate=clustered_share(clusters(first, RIGHT, FAILING)),
        false_block_rate=small_share(clusters(first, FALSE, PASSING)),
        trials_with_false_block=small_share(_trial_clusters(everything)),
        **_predictive(counts),
    )


def by_label(seen: Iterable[Seen]) -> dict[str, int]:
    """Stops by label, every label named."""
    counts = Counter(s.label for s in seen)
    return {found.value: counts[found] for found in Label}


def detection(seen: Iterable[Seen]) -> Detection:
    """Failing and wholly passing states by what was said of them.

    A ``give_up`` said no, so it counts as detected; regression blocks and what stands apart from
    the five labels are in none of the four numbers.
    """
    counts = Counter(s.label for s in seen)
    gave_up = [s for s in seen if s.label is Label.GIVE_UP]
    return Detection(
        failing_blocked=counts[Label.RIGHT_BLOCK] + sum(s.failing is True for s in gave_up),
        failing_allowed=counts[Label.MISS],
        passing_blocked=counts[Label.FALSE_BLOCK]
        + sum(s.failing is False and s.green is True for s in gave_up),
        passing_allowed=counts[Label.CORRECT_ALLOW],
    )


def clusters(seen: Sequence[Seen], hits: set[Label], among: set[Label]) -> list[Cluster]:
    """Per task: how many of the labels in ``among`` are in ``hits``."""
    tasks = dict.fromkeys(s.task for s in seen)
    inside = {task: [s.label for s in seen if s.task == task] for task in tasks}
    return [
        Cluster(sum(x in hits for x in labels), sum(x in among for x in labels))
        for labels in inside.values()
    ]


def _trial_clusters(seen: Sequence[Seen]) -> list[Cluster]:
    """Per task: trials with a false block, of those that reached a wholly passing stop."""
    reached = {(s.task, s.trial) for s in seen if s.label in PASSING}
    blocked = {(s.task, s.trial) for s in seen if s.label in FALSE}
    tasks = dict.fromkeys(s.task for s in seen)
    return [
        Cluster(sum(t == task for t, _ in blocked), sum(t == task for t, _ in reached))
        for task in tasks
    ]


def _not_run(trials: Iterable[Done], gate: str | None) -> int:
    gates = (g for d in trials for s in d.trial.stops for g in s.gates if g.name == gate)
    return sum(g.status is GateStatus.SKIPPED for g in gates)


def _predictive(first: Detection) -> dict[str, Estimate]:
    right, false = first.failing_blocked, first.passing_blocked
    miss, correct = first.failing_allowed, first.passing_allowed
    return {
        "ppv": bare_share(right, right + false, UNMEASURED),
        "npv": bare_share(correct, correct + miss, UNMEASURED),
        "mcc": mcc(TwoByTwo(both=right, first=false, second=miss, neither=correct)),
    }

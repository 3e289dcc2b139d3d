"""What blocks do to requirements: repaired, still broken, broken by the block, untouched."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatebench.model.labels import Label, blocking_gate, label
from gatebench.model.policy import reached_agent
from gatebench.model.stop import HiddenSummary, StopRecord
from gatebench.stats.cells import Cells, Done
from gatebench.stats.judged import gate_names
from gatebench.stats.proportions import Cluster, repeated_share, wilson_share
from gatebench.stats.records import FlowStep, TransitionTable


@dataclass(frozen=True)
class State:
    """Requirements at one moment: which fail, and how many there are."""

    failing: frozenset[str]
    whole: int

    @property
    def passing(self) -> int:
        """How many pass."""
        return self.whole - len(self.failing)


@dataclass(frozen=True)
class Move:
    """Counts of requirements between a delivered block and the next look."""

    repaired: int
    still_broken: int
    broken: int
    untouched: int


@dataclass(frozen=True)
class Block:
    """One delivered block, and what came of it (``None`` without a verdict on both sides)."""

    task: str
    n: int
    gate: str | None
    label: Label | None
    move: Move | None


def state(hidden: HiddenSummary | None) -> State | None:
    """The state a verdict tells; ``None`` unless every requirement has one."""
    if hidden is None or hidden.unscorable:
        return None
    return State(frozenset(hidden.failed_reqs), hidden.passed + hidden.failed)


def end_state(done: Done) -> State | None:
    """The state at the end of a trial."""
    score = done.score
    if score.failed_reqs is None or score.hidden_pass is None or score.hidden_unscorable:
        return None
    return State(frozenset(score.failed_reqs), score.hidden_pass + len(score.failed_reqs))


def move(before: State, after: State) -> Move:
    """What happened to the requirements between two states."""
    changed = before.failing | after.failing
    return Move(
        repaired=len(before.failing - after.failing),
        still_broken=len(before.failing & after.failing),
        broken=len(after.failing - before.failing),
        untouched=before.whole - len(changed),
    )


def blocks_of(done: Done) -> tuple[Block, ...]:
    """A trial's delivered blocks; the last one's next look is the end of the trial."""
    stops = done.trial.stops
    looks = [*(state(stop.hidden) for stop in stops[1:]), end_state(done)]
    return tuple(
        Block(done.task, stop.n, blocking_gate(stop), label(stop), _between(stop, after))
        for stop, after in zip(stops, looks, strict=False)
        if reached_agent(stop.decision, stop.delivery)
    )


def _between(stop: StopRecord, after: State | None) -> Move | None:
    before = state(stop.hidden)
    return move(before, after) if before and after else None


def transition_tables(cells: Cells) -> tuple[TransitionTable, ...]:
    """Per gated config: all blocks, then by the gate that blocked, then by the block's label."""
    found: list[TransitionTable] = []
    for config in cells.job.configs:
        trials = cells.of(config)
        gates = gate_names(trials)
        if not gates:
            continue
        blocks = [block for done in trials for block in blocks_of(done)]
        found.append(_table(config, None, None, blocks))
        found += [_table(config, g, None, [b for b in blocks if b.gate == g]) for g in gates]
        labels = [x for x in Label if any(b.label is x for b in blocks)]
        found += [_table(config, None, x, [b for b in blocks if b.label is x]) for x in labels]
    return tuple(found)


def _table(
    config: str, gate: str | None, kind: Label | None, blocks: Sequence[Block]
) -> TransitionTable:
    moves = [b.move for b in blocks if b.move]
    return TransitionTable(
        config=config,
        gate=gate,
        label=kind.value if kind else None,
        blocks=len(blocks),
        followed=len(moves),
        **totals(moves),
        repaired_share=repeated_share(_clusters(blocks, "repaired", "still_broken")),
        broken_share=wilson_share(_clusters(blocks, "broken", "untouched")),
    )


def totals(moves: Iterable[Move]) -> dict[str, int]:
    """The four counts, summed."""
    names = ("repaired", "still_broken", "broken", "untouched")
    given = list(moves)
    return {name: sum(getattr(m, name) for m in given) for name in names}


def _clusters(blocks: Sequence[Block], hit: str, other: str) -> list[Cluster]:
    hits: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for block in blocks:
        if block.move:
            hits[block.task] += getattr(block.move, hit)
            whole[block.task] += getattr(block.move, hit) + getattr(block.move, other)
    return [Cluster(hits[task], n) for task, n in whole.items()]


def flow(cells: Cells) -> tuple[FlowStep, ...]:
    """Requirement states look by look, for each gated config."""
    found: list[FlowStep] = []
    for config in cells.job.configs:
        trials = cells.of(config)
        last = max((look for d in trials for look in _looks(d)), default=0)
        found += [_step(config, n, trials) for n in range(1, last + 1)]
    return tuple(found)


def _looks(done: Done) -> dict[int, State]:
    """A trial's known states by number: its stops, and its end where the last stop blocked."""
    stops = done.trial.stops
    looks = {stop.n: found for stop in stops if (found := state(stop.hidden))}
    end = end_state(done)
    if stops and end and reached_agent(stops[-1].decision, stops[-1].delivery):
        looks[stops[-1].n + 1] = end
    return looks


def _step(config: str, n: int, trials: Sequence[Done]) -> FlowStep:
    here = [(d, s) for d in trials if (s := _looks(d).get(n))]
    moves = {d.trial.id: b.move for d, _ in here for b in blocks_of(d) if b.n == n and b.move}
    left = [s for d, s in here if d.trial.id not in moves]
    return FlowStep(
        config=config,
        n=n,
        trials=len(here),
        passing=sum(s.passing for _, s in here),
        failing=sum(len(s.failing) for _, s in here),
        **totals(moves.values()),
        left_passing=sum(s.passing for s in left),
        left_failing=sum(len(s.failing) for s in left),
    )

"""The five questions, each answered in a sentence that says no more than the numbers do."""

from dataclasses import dataclass

from gatebench.model.base import Record
from gatebench.model.job import JobData
from gatebench.report import words
from gatebench.stats.compared import Comparison
from gatebench.stats.proportions import WORDS_BELOW
from gatebench.stats.records import Analysis, ConfigTable, CostTable, GateTable
from gatebench.stats.replay_records import Group, ReplayRow

LEVEL = 0.05
GATES = {"tests": "gate 1 (tests)", "review": "gate 3 (review)"}


class Answer(Record):
    """One question and what this job has to say to it."""

    id: int
    question: str
    answer: str


@dataclass(frozen=True)
class Asked:
    """A job's analysis, with what is needed to speak about it honestly."""

    job: JobData
    analysis: Analysis

    @property
    def of_whom(self) -> str:
        """Simulated results are never told as findings about a model."""
        return "Of the simulated team: " if self.job.simulated else ""

    def config(self, name: str) -> ConfigTable | None:
        """A config's table."""
        return next((c for c in self.analysis.configs if c.config == name), None)

    def comparison(self, config: str, against: str) -> Comparison | None:
        """A comparison."""
        pair = (config, against)
        found = self.analysis.comparisons
        return next((c for c in found if (c.config, c.against) == pair), None)


def answers(job: JobData, analysis: Analysis) -> tuple[Answer, ...]:
    """All five, in order."""
    asked = Asked(job, analysis)
    told = (
        ("Does gate 1 alone move the hidden pass rate against bare?", _moves(asked, "g1", "bare")),
        ("Does gate 3 (independent) add anything over gate 1?", _moves(asked, "g13", "g1")),
        ("Does the challenger beat independent reviewers?", _challenger(asked)),
        ("How often does each gate block wrongly?", _wrongly(asked)),
        ("What does each gate cost?", _cost(asked)),
    )
    return tuple(
        Answer(id=n, question=question, answer=asked.of_whom + answer)
        for n, (question, answer) in enumerate(told, 1)
    )


def _moves(asked: Asked, config: str, against: str) -> str:
    absent = [c for c in (config, against) if c not in asked.job.configs]
    if absent:
        return f"not asked by this job; it has no config {' or '.join(absent)}."
    found = asked.comparison(config, against)
    if found is None or found.difference.value is None:
        return f"no answer yet; no task has valid trials of both {config} and {against}."
    numbers = f"{_passing(asked, config)}, {_passing(asked, against)} hidden requirements"
    return _verdict(found, numbers) + "."


def _passing(asked: Asked, config: str) -> str:
    table = asked.config(config)
    counts = table.counts if table else None
    passed = words.count(counts.passed if counts else None)
    return f"{config} passes {passed} of {counts.possible if counts else 0}"


def _verdict(found: Comparison, numbers: str) -> str:
    """Yes, no, or that the job can't tell; then the numbers it rests on."""
    estimate = found.difference
    told = f"{words.points(estimate.value)} points over {words.plural(estimate.n, 'task')}"
    if estimate.interval is None:
        told = f"{numbers}: {told}, in these trials"
        here = _here(found)
        return f"can't be told for other tasks ({estimate.reason}); {told}" + (
            f"; {here}" if here else ""
        )
    p = found.t_test.p_holm if found.t_test else None
    if p is None and found.t_test:
        p = found.t_test.p
    low, high = estimate.interval
    limits = f"95 % interval {words.points(low)} to {words.points(high)}, Holm {words.p_value(p)}"
    if p is not None and p <= LEVEL:
        word = "yes, upwards" if (estimate.value or 0) > 0 else "yes, downwards"
        return f"{word}; {numbers}: {told} ({limits}), for tasks like these"
    return f"not shown; {numbers}: {told} ({limits}); {_unseen(found)}"


def _unseen(found: Comparison) -> str:
    """What a difference that is not shown leaves open."""
    here = _here(found)
    before = f"{here}; " if here else ""
    if found.difference.mde is None:
        return before + "with so few tasks no possible difference would have been seen reliably"
    size = round(100 * found.difference.mde)
    return f"{before}only one of {size} points or more would have been seen with 80 % power"


def _here(found: Comparison) -> str:
    """What the exact test says of these very tasks, where it says something."""
    exact = found.permutation
    if exact is None or exact.p_holm is None or exact.p_holm > LEVEL:
        return ""
    p = words.p_value(exact.p_holm)
    return f"on these very tasks it is more than chance (exact permutation, Holm {p})"


def _challenger(asked: Asked) -> str:
    told = _moves(asked, "g13adv", "g13")
    pair = (asked.config("g13adv"), asked.config("g13"))
    false = [c.blocks.false if c else None for c in pair]
    if None in false:
        return told
    return f"{told[:-1]}; false blocks {false[0]} with the challenger, {false[1]} without."


def _wrongly(asked: Asked) -> str:
    gates = [g for g in asked.analysis.gates if g.gate is not None]
    if not gates:
        return "no answer; no gate stood at any stop of a valid trial."
    told = [_false_blocks(g) for g in gates]
    gold = _on_gold(asked, [g for g in gates if g.false_block_rate.n < WORDS_BELOW])
    return f"wholly passing first stops that were blocked: {words.listing(told)}.{gold}"


def _false_blocks(gate: GateTable) -> str:
    if not gate.false_block_rate.n:
        return f"{_name(gate)} met no such stop"
    return f"{_name(gate)} {words.share(gate.false_block_rate)}"


def _name(gate: GateTable) -> str:
    return f"{GATES.get(gate.gate or '', gate.gate)} in {gate.config}"


def _on_gold(asked: Asked, few: list[GateTable]) -> str:
    """Where a gate met too few passing stops: what it said of right solutions, if it was asked."""
    told = [
        f"{_name(gate)} {words.share(row.false_block_rate)}"
        for gate in few
        if (row := _gold_row(asked, gate))
    ]
    if not told:
        return ""
    return (
        f" Fewer than {WORDS_BELOW} such stops are too few for a rate; of right solutions (gold "
        f"states, looked at in a replay) were blocked: {words.listing(told)}."
    )


def _gold_row(asked: Asked, gate: GateTable) -> ReplayRow | None:
    """The row of this very gate, by itself, on the right solutions."""
    tables, data = asked.analysis.replay, asked.job.replay
    spec = data.asked_in.get(gate.config, {}).get(gate.gate or "") if data else None
    rows = tables.rows if tables else ()
    mine = (r for r in rows if r.group is Group.SOLUTIONS and r.gates == (spec,))
    return next(mine, None)


def _cost(asked: Asked) -> str:
    priced = [c for c in asked.analysis.costs if c.total.value is not None]
    if not priced:
        return "no answer; no valid trial has a known cost."
    return f"a trial costs {words.listing([_price(asked, c) for c in priced])}."


def _price(asked: Asked, cost: CostTable) -> str:
    base = f"{words.usd(cost.total.value)} under {cost.config}"
    found = asked.comparison(cost.config, "bare")
    if found is None or found.cost_difference.value is None:
        return base
    extra = found.cost_difference
    limits = extra.interval and " to ".join(words.extra_usd(limit) for limit in extra.interval)
    told = f"{base}, {words.extra_usd(extra.value)} against bare"
    return f"{told} ({limits})" if limits else told

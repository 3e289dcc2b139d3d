"""True values of the mixed team by 10⁵ trials, and whether played matrices' intervals hold them."""

import time
from collections.abc import Iterator

from gatebench.model.task import PromptVariant
from gatebench.stats.analysis import analyze
from gatebench.stats.estimate import Estimate
from gatebench.stats.records import Analysis
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.stats.truth import true_values
from gatebench.suites import load_suite
from gatebench.team import load_profile
from proof.registry import Record, battery

SEEDS = range(1, 21)
LEAST = 0.9


def estimates(found: Analysis) -> Iterator[tuple[str, str, Estimate]]:
    """(name, whose, estimate) of what a matrix prints about tasks like these."""
    for c in found.configs:
        yield "pass rate", c.config, c.pass_rate
        yield "gain", c.config, c.gain
    for cost in found.costs:
        yield "cost", cost.config, cost.total
        yield "induced worker cost", cost.config, cost.induced_worker
    for pair in found.comparisons:
        whose = f"{pair.config} − {pair.against}"
        yield "difference", whose, pair.difference
        yield "cost difference", whose, pair.cost_difference
        yield "net benefit", whose, pair.net_benefit
    for gate in found.gates:
        whose = " · ".join(filter(None, (gate.config, gate.gate)))
        yield "right-block rate", whose, gate.right_block_rate
        yield "false-block rate", whose, gate.false_block_rate
        yield "trials with a false block", whose, gate.trials_with_false_block
    for moves in found.transitions:
        whose = " · ".join(filter(None, (moves.config, moves.gate, moves.label)))
        yield "repaired share", whose, moves.repaired_share
        yield "broken share", whose, moves.broken_share


@battery("truth", "intervals of 20 played matrices against true values by 100,000 trials")
def truth() -> Record:
    began = time.monotonic()
    team = load_profile("mixed")
    shipped = [t for t in load_suite("tinydb").tasks if not t.spare]
    tasks = [SimTask.of(t, team, PromptVariant.TERSE) for t in shipped]
    known = true_values("mixed", tasks)
    values = {(v.name, v.whose): v.value for v in known.values}
    hits: dict[str, list[bool]] = {}
    for seed in SEEDS:
        for name, whose, estimate in estimates(analyze(play_job(tasks, seed=seed))):
            value = values.get((name, whose))
            if estimate.interval is not None and value is not None:
                low, high = estimate.interval
                hits.setdefault(name, []).append(low <= value <= high)
    told = [hit for each in hits.values() for hit in each]
    share = sum(told) / len(told)
    return Record(
        title="True values within the intervals of played matrices",
        header=("estimate", "intervals", "holding the true value"),
        rows=tuple((n, str(len(h)), f"{100 * sum(h) / len(h):.1f} %") for n, h in hits.items()),
        ok=share >= LEAST,
        seconds=time.monotonic() - began,
        notes=(
            (
                f"{known.trials:,} trials for the true values; 20 matrices of 5 × 5 × 2; "
                f"{100 * share:.1f} % of all {len(told)} intervals hold theirs."
            ),
        ),
    )

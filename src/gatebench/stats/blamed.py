"""Right blocks for the right reason, and false blocks by what was behind them: counts alone."""

from collections import Counter
from collections.abc import Iterable, Iterator

from gatebench.model.labels import Label, blocking_gate, label
from gatebench.model.reasons import Reason, reason_of
from gatebench.stats.cells import Cells, Done
from gatebench.stats.judged import gate_names
from gatebench.stats.records import ReasonTable

Blamed = tuple[str, Label, Reason]


def reason_tables(cells: Cells) -> tuple[ReasonTable, ...]:
    """Per gated config, each gate that blocked first; nothing where no stop was looked into."""
    found: list[ReasonTable] = []
    for config in cells.job.configs:
        trials = cells.of(config)
        if not any(done.trial.triage for done in trials):
            continue
        blamed = list(_blamed(trials))
        found += [_table(config, gate, blamed) for gate in gate_names(trials)]
    return tuple(found)


def _blamed(trials: Iterable[Done]) -> Iterator[Blamed]:
    """(gate, label, reason) of every right and every false block."""
    for done in trials:
        triage = {t.n: t for t in done.trial.triage}
        for stop in done.trial.stops:
            gate, kind = blocking_gate(stop), label(stop)
            reason = reason_of(stop, triage.get(stop.n), gate) if gate else None
            if gate and kind and reason:
                yield gate, kind, reason


def _table(config: str, gate: str, blamed: list[Blamed]) -> ReasonTable:
    right = Counter(r for g, kind, r in blamed if g == gate and kind is Label.RIGHT_BLOCK)
    false = Counter(r for g, kind, r in blamed if g == gate and kind is Label.FALSE_BLOCK)
    return ReasonTable(
        config=config,
        gate=gate,
        right=right.total(),
        right_matched=right[Reason.MATCHED],
        right_coincidental=right[Reason.COINCIDENTAL],
        right_unknown=right[Reason.UNKNOWN],
        false=false.total(),
        false_over_strict=false[Reason.OVER_STRICT],
        false_outside=false[Reason.OUTSIDE],
        false_unknown=false[Reason.UNKNOWN],
    )

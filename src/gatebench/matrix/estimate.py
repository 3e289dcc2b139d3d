"""What a matrix of real trials is likely to cost: by a job like it, else by typical tokens.

A guess for somebody who has to say yes or no, never part of a result. `stats.planning` asks another
question (how large an experiment must be); a run doesn't wait for its libraries.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatebench.gateway import ANTHROPIC
from gatebench.gateway.prices import price_usd, table_version
from gatebench.model.matrix import Choice, Matrix
from gatebench.model.trial import Config, TrialId
from gatebench.model.usage import Role, Usage
from gatebench.store.job_dir import JobDir
from gatebench.trial.sites import model_of, upstream_of


def _tokens(read: int, written: int, output: int) -> Usage:
    return Usage(
        input_tokens=0,
        output_tokens=output,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
    )


TYPICAL = {
    Role.WORKER: _tokens(450_000, 30_000, 9_000),
    Role.WRITER: _tokens(60_000, 20_000, 6_000),
    Role.REVIEWER_A: _tokens(80_000, 20_000, 3_000),
    Role.REVIEWER_B: _tokens(80_000, 20_000, 3_000),
    Role.CHALLENGER: _tokens(80_000, 20_000, 3_000),
}
"""Of a worker's session up to its first stop, of the writer's, of one reviewer's at one stop."""
STOPS = 1.7
"""Of a gated trial."""
REWORK = 0.35
"""What a stop more adds to the worker's session, as a share of it."""
TYPICAL_SAID = (
    "typical tokens: a worker's session reads 450,000 from the cache, writes 30,000 to it and puts "
    "out 9,000; a test writer 60,000, 20,000, 6,000; a reviewer at each of 1.7 stops 80,000, "
    "20,000, 3,000. Real ones may well be three times as many, or a third."
)


Told = list[tuple[Config, tuple[float, str]]]
"""Configs as they were run, with dollars of a trial and who told them."""


@dataclass(frozen=True)
class Row:
    """One config."""

    config: str
    trials: int
    each_usd: float | None
    """Of one trial; ``None`` where it can't be told."""
    source: str
    """``typical tokens``, or the job whose mean it is."""

    @property
    def usd(self) -> float | None:
        """Of all its trials."""
        return None if self.each_usd is None else self.each_usd * self.trials


@dataclass(frozen=True)
class Estimate:
    """What the trials that are left are likely to cost."""

    rows: tuple[Row, ...]
    unpriced: tuple[str, ...]
    """Models that the price table doesn't know, each with its server."""
    prices: str
    """The price table and its version."""

    @property
    def trials(self) -> int:
        """How many are left."""
        return sum(row.trials for row in self.rows)

    @property
    def usd(self) -> float | None:
        """Of all; ``None`` where a part can't be told."""
        parts = [row.usd for row in self.rows]
        known = [p for p in parts if p is not None]
        return sum(known) if len(known) == len(parts) else None


def roles_of(config: Config) -> tuple[Role, ...]:
    """Whom a config asks, the worker first."""
    found = [Role.WORKER]
    gates = (*config.gates, *config.shadow)
    if "tests" in gates:
        found.append(Role.WRITER)
    if "review" in gates:
        adversarial = config.settings.get("review", {}).get("variant") == "adv"
        found += [Role.REVIEWER_A, Role.CHALLENGER if adversarial else Role.REVIEWER_B]
    return tuple(found)


def estimate(matrix: Matrix, todo: Sequence[TrialId], pilots: Iterable[JobDir]) -> Estimate:
    """What trials are likely to cost. Loads the price table: takes a second.

    Args:
        matrix: theirs.
        todo: those that would be run.
        pilots: jobs that may tell what one costs, the best first.
    """
    told = _told(matrix.choice, pilots)
    counts = {c.name: sum(t.config == c.name for t in todo) for c in matrix.configs}
    configs = [c for c in matrix.configs if counts[c.name]]
    rows = tuple(_row(matrix.choice, c, counts[c.name], told) for c in configs)
    return Estimate(rows, unpriced(matrix.choice, configs), table_version())


def unpriced(choice: Choice, configs: Iterable[Config]) -> tuple[str, ...]:
    """Models without a price, each with its server, once."""
    one = Usage(input_tokens=1, output_tokens=1)
    asked = dict.fromkeys(_asked(choice, c, role) for c in configs for role in roles_of(c))
    return tuple(f"{m} at {url}" for m, url in asked if price_usd(one, m, url) is None)


def _asked(choice: Choice, config: Config, role: Role) -> tuple[str, str]:
    return model_of(choice, config, role) or "", upstream_of(choice, role) or ANTHROPIC


def _row(choice: Choice, config: Config, trials: int, told: Told) -> Row:
    known = next((found for c, found in told if c == config), None)
    if known is not None:
        return Row(config.name, trials, *known)
    return Row(config.name, trials, typical_usd(choice, config), "typical tokens")


def typical_usd(choice: Choice, config: Config) -> float | None:
    """Dollars of one trial by typical tokens; ``None`` where a model has no price."""
    stops = STOPS if config.gates else 1.0
    total = 0.0
    for role in roles_of(config):
        model, url = _asked(choice, config, role)
        each = price_usd(TYPICAL[role], model, url)
        if each is None:
            return None
        times = {Role.WORKER: 1 + REWORK * (stops - 1), Role.WRITER: 1.0}.get(role, stops)
        total += each * times
    return total


_ALIKE = (
    *("suite", "agent", "model", "reviewer_model", "writer_model", "prompt", "rehearsal"),
    *("upstream", "reviewer_upstream", "writer_upstream"),
)


def _told(choice: Choice, pilots: Iterable[JobDir]) -> Told:
    """Mean dollars of a trial by config, from jobs like this one, the best first."""
    told: Told = []
    for pilot in pilots:
        lock = pilot.lock()
        if lock is None or any(
            getattr(lock.matrix.choice, n) != getattr(choice, n) for n in _ALIKE
        ):
            continue
        for config in lock.matrix.configs:
            costs = _costs(pilot, [t for t in lock.matrix.trials() if t.config == config.name])
            if costs:
                words = f"mean of {len(costs)} in {pilot.path.name}"
                told.append((config, (fmean(costs), words)))
    return told


def _costs(pilot: JobDir, trials: Iterable[TrialId]) -> list[float]:
    scores = (pilot.trial(trial).score() for trial in trials)
    return [s.cost_total_usd for s in scores if s and s.valid and s.cost_total_usd is not None]

"""A population of played trials, whose true values are known, and samples of jobs from it.

The team is played many times on many tasks drawn from a setting; what it came to is the
population. A job is a sample: some of its tasks, and for each task and config some of its trials,
drawn with replacement. So a job costs no play, and the truth is the population's own mean, without
any error of simulation.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gatebench.model.job import TrialData
from gatebench.model.labels import Label
from gatebench.model.trial import SHIPPED_CONFIGS, Config, TrialId
from gatebench.stats.cells import Done
from gatebench.stats.judged import FAILING, FALSE, PASSING, RIGHT, judge_of
from gatebench.stats.settings import Setting, draw_task
from gatebench.stats.simulated_seat import SimTask, drawn_seat
from gatebench.stats.simulator import play_trial
from gatebench.stats.transitions import Block, blocks_of
from gatebench.team import Profile

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Counts = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Ints = np.ndarray[tuple[int, ...], np.dtype[np.intp]]
FIGURES = ("end", "first", "total", "worker", "failing")
"""Shares passing at the end and at the first stop; dollars of all roles and of the worker; which
requirements fail at the end, as bits."""
END, FIRST, TOTAL, WORKER, FAILING_BITS = range(len(FIGURES))
KINDS = (
    "right-block rate",
    "false-block rate",
    "trials with a false block",
    "repaired share",
    "broken share",
)
"""The shares of small counts that an analysis prints, under the names of the calibration."""
LABELS = (Label.RIGHT_BLOCK, Label.FALSE_BLOCK)
"""Labels by which the transitions of blocks are told apart."""


@dataclass(frozen=True, order=True)
class Key:
    """One share: which kind, of which gate (``""``: all) or of blocks of which label."""

    kind: str
    gate: str = ""
    label: str = ""


def keys_of(config: Config) -> tuple[Key, ...]:
    """The shares that an analysis prints of one config."""
    if not config.gates:
        return ()
    judges = ("", *config.gates)
    rates = [Key(kind, gate) for kind in KINDS[:3] for gate in judges]
    moves = [Key(kind, gate) for kind in KINDS[3:] for gate in judges]
    return (*rates, *moves, *(Key(kind, "", x.value) for kind in KINDS[3:] for x in LABELS))


@dataclass(frozen=True)
class Size:
    """How large a population is: tasks, and trials of each task and config."""

    tasks: int = 200
    trials: int = 40

    @classmethod
    def fit(cls, jobs: int) -> "Size":
        """Large enough for so many jobs; few jobs don't tell a small population from a large."""
        return cls(min(200, max(40, jobs // 5)), min(40, max(8, jobs // 25)))


@dataclass(frozen=True)
class Population:
    """Played trials by config, task and number."""

    configs: tuple[Config, ...]
    requirements: int
    figures: Floats
    """(config, task, trial, figure)."""
    counts: tuple[Counts, ...]
    """Per config (task, trial, key, 2): hits and observations, in the order of `keys_of`."""

    @cached_property
    def means(self) -> Floats:
        """Expected figure by config and task: (config, task, figure)."""
        return np.asarray(self.figures.mean(axis=2))

    @property
    def tasks(self) -> int:
        """How many tasks it has."""
        return int(self.figures.shape[1])

    def number(self, config: str) -> int:
        """A config's place."""
        return [c.name for c in self.configs].index(config)


def populate(
    setting: Setting, base: Profile, size: Size, seed: int, *, first: int = 0
) -> Population:
    """Draw the tasks and play the trials.

    Args:
        setting: how tasks differ.
        base: the team on the average task.
        size: tasks and trials.
        seed: of all chance.
        first: number of the first task.
    """
    stream = random.Random(f"{seed} {setting.name}")  # noqa: S311  # simulation, not secrets
    tasks = [draw_task(setting, base, first + n, stream) for n in range(size.tasks)]
    return played(tasks, size.trials, stream)


def played(
    tasks: Sequence[SimTask],
    trials: int,
    stream: random.Random,
    configs: tuple[Config, ...] = SHIPPED_CONFIGS,
) -> Population:
    """A population of given tasks."""
    shape = (len(configs), len(tasks), trials, len(FIGURES))
    figures = np.empty(shape, dtype=np.float64)
    keys = [keys_of(config) for config in configs]
    counts = tuple(np.zeros((len(tasks), trials, len(k), 2), dtype=np.int64) for k in keys)
    for c, config in enumerate(configs):
        for t, task in enumerate(tasks):
            trial = TrialId(task.id, config.name, 1)
            for n in range(trials):
                data = play_trial(trial, task, config, drawn_seat(task, stream))
                figures[c, t, n] = _figures(data, task)
                if keys[c]:
                    counts[c][t, n] = tally(data, keys[c])
    return Population(configs, len(tasks[0].requirements), figures, counts)


def _figures(data: TrialData, task: SimTask) -> tuple[float, ...]:
    score = data.score
    assert score is not None  # noqa: S101  # a played trial is done
    whole = (score.hidden_pass or 0) + (score.hidden_fail or 0)
    first = score.hidden_first_stop or 0
    usd = score.cost_total_usd or 0.0, score.cost_worker_usd or 0.0
    failing = sum(2 ** task.requirements.index(r) for r in score.failed_reqs or ())
    return ((score.hidden_pass or 0) / whole, first / whole, *usd, float(failing))


def tally(data: TrialData, keys: Sequence[Key]) -> list[tuple[int, int]]:
    """Hits and observations of one trial, by the rules of the analysis itself."""
    assert data.score is not None  # noqa: S101  # a played trial is done
    done = Done(data, data.score)
    seen = {gate: list(_seen(data, gate)) for gate in {k.gate for k in keys}}
    blocks = blocks_of(done)
    return [_count(key, seen[key.gate], blocks) for key in keys]


def _seen(data: TrialData, gate: str) -> Iterator[Label | None]:
    judge = judge_of(gate or None)
    return (judge(stop) for stop in data.stops)


def _count(key: Key, seen: list[Label | None], blocks: Sequence[Block]) -> tuple[int, int]:
    if key.kind == KINDS[0]:
        return int(seen[0] in RIGHT), int(seen[0] in FAILING)
    if key.kind == KINDS[1]:
        return int(seen[0] in FALSE), int(seen[0] in PASSING)
    if key.kind == KINDS[2]:
        return int(any(x in FALSE for x in seen)), int(any(x in PASSING for x in seen))
    moves = [b.move for b in blocks if b.move and _of(key, b)]
    if key.kind == KINDS[3]:
        hits = sum(m.repaired for m in moves)
        return hits, hits + sum(m.still_broken for m in moves)
    hits = sum(m.broken for m in moves)
    return hits, hits + sum(m.untouched for m in moves)


def _of(key: Key, block: Block) -> bool:
    if key.label:
        return block.label is not None and block.label.value == key.label
    return not key.gate or block.gate == key.gate


@dataclass(frozen=True)
class Jobs:
    """Many sampled jobs at once."""

    tasks: Ints
    """(job, task): which of the population's."""
    figures: Floats
    """(config, job, task, rep, figure)."""
    counts: tuple[Counts, ...]
    """Per config (job, task, key, 2), summed over reps."""

    @property
    def means(self) -> Floats:
        """Task means: (config, job, task, figure)."""
        return np.asarray(self.figures.mean(axis=3))


@dataclass(frozen=True)
class Design:
    """The size of a job."""

    tasks: int
    reps: int


def sample(
    population: Population,
    design: Design,
    jobs: int,
    rng: np.random.Generator,
) -> Jobs:
    """Draw jobs: tasks, then trials of each, all with replacement."""
    tasks = rng.integers(population.tasks, size=(jobs, design.tasks))
    plays = population.figures.shape[2]
    shape = (len(population.configs), jobs, design.tasks, design.reps)
    trials = rng.integers(plays, size=shape)
    at = tasks[:, :, None]
    numbered = list(enumerate(population.counts))
    return Jobs(
        tasks=tasks,
        figures=np.stack([population.figures[c, at, trials[c]] for c, _ in numbered]),
        counts=tuple(counts[at, trials[c]].sum(axis=2) for c, counts in numbered),
    )

"""What the analysis of a job comes to, as it reaches ``results.json``.

The key ``value`` occurs in estimates alone. Shares are fractions of 1, money is US dollars, and
counts are plain integers beside them.
"""

from gatebench.model.base import Record
from gatebench.stats.compared import Comparison
from gatebench.stats.estimate import Estimate
from gatebench.stats.replay_records import ReplayTables


class Counts(Record):
    """Trials and hidden requirements of one config, or of one task of it."""

    planned: int
    """Trials the matrix asks for."""
    valid: int
    """Done, nothing of ours broke: everything else here is about these."""
    invalid: int
    """Done but unusable; they stand in no other number."""
    passed: int | None
    """Hidden requirements passing at the end; ``None`` while nothing is known."""
    possible: int
    """Requirements with a verdict."""
    unscorable: int
    full: int | None
    """Trials in which all requirements pass."""
    judged: int
    """Trials whose every requirement has a verdict."""
    first_passed: int | None
    """Requirements passing at first stops (without a hook the end is the first stop)."""
    first_possible: int


class BlockCounts(Record):
    """Outcomes of stops, summed over valid trials; ``None`` without a hook."""

    stops: int | None
    blocks: int | None
    right: int | None
    false: int | None
    regression: int | None
    misses: int | None
    give_ups: int | None
    """Trials in which the gate gave up."""
    ended_blocked: int | None
    """Trials whose session ended right after a block."""


class ConfigTable(Record):
    """One config over all tasks."""

    config: str
    counts: Counts
    blocks: BlockCounts
    pass_rate: Estimate
    """Share of hidden requirements passing at the end, tasks weighing equal."""
    full_rate: Estimate
    """Share of trials in which all pass."""
    gain: Estimate
    """Pass rate at the end minus all first stops of the task, whatever the config."""
    tampered: int
    """Valid trials in which something of tampering was seen."""


class TaskTable(Record):
    """One cell of the config × task grid."""

    config: str
    task: str
    counts: Counts
    blocks: BlockCounts
    cost_total_usd: float | None


class Detection(Record):
    """What was said of failing and of wholly passing states; ``give_up`` counts as said no."""

    failing_blocked: int
    failing_allowed: int
    passing_blocked: int
    passing_allowed: int


class GateTable(Record):
    """One gate of one config against the truth; ``gate`` is ``None`` for all gates together."""

    config: str
    gate: str | None
    labels: dict[str, int]
    """Stops by label, all stops."""
    labels_first: dict[str, int]
    """The same at first stops alone."""
    not_run: int
    """Stops at which it was skipped because an earlier gate was red."""
    detection: Detection
    detection_first: Detection
    right_block_rate: Estimate
    """Failing first stops it blocked: sensitivity."""
    false_block_rate: Estimate
    """Wholly passing first stops it blocked: 1 − specificity."""
    trials_with_false_block: Estimate
    """Trials with at least one, of those that reached a wholly passing stop."""
    ppv: Estimate
    """First-stop blocks that were right."""
    npv: Estimate
    """First-stop allows that were right."""
    mcc: Estimate


class TransitionTable(Record):
    """What delivered blocks did to requirements, from the blocked stop to the next look."""

    config: str
    gate: str | None
    """The first gate that was red; ``None`` for all."""
    label: str | None
    """The block's label; ``None`` for all."""
    blocks: int
    followed: int
    """Blocks with a verdict on both sides."""
    repaired: int
    still_broken: int
    broken: int
    """Passing before the block, failing after it."""
    untouched: int
    """Passing before and after."""
    repaired_share: Estimate
    """Repaired of the requirements failing at the block."""
    broken_share: Estimate
    """Broken of the requirements passing at the block."""


class ReasonTable(Record):
    """What the blocks of one gate pointed at; counts, for stops of a trial hang together."""

    config: str
    gate: str
    """The first gate that was red."""
    right: int
    right_matched: int
    """Pointed at a requirement that fails."""
    right_coincidental: int
    """Pointed elsewhere: right by luck."""
    right_unknown: int
    """Not looked into."""
    false: int
    false_over_strict: int
    """The reference would have been blocked too."""
    false_outside: int
    """A defect that the hidden tests don't look for."""
    false_unknown: int
    """A reviewer's word on good work can't be asked of the reference; or not looked into."""


class FlowStep(Record):
    """Requirement states at the n-th look of a config's trials, and on the way to the next.

    Look n is stop n; a trial whose last stop was blocked is looked at once more, at its end.
    """

    config: str
    n: int
    trials: int
    """Trials that reached this look with a verdict."""
    passing: int
    failing: int
    repaired: int
    still_broken: int
    broken: int
    untouched: int
    """The last four: requirements of trials blocked here and seen again."""
    left_passing: int
    left_failing: int
    """Requirements of trials that ended here (or were not seen again)."""


class CostTable(Record):
    """What a config costs, and where it goes. Means are per valid trial."""

    config: str
    total: Estimate
    worker_usd_mean: float | None
    reviewers_usd_mean: float | None
    writer_usd_mean: float | None
    """Fixed: paid before the first stop."""
    reviewers_usd_per_stop: float | None
    induced_worker: Estimate
    """Worker's dollars per trial above bare's: what blocks make it spend."""
    own_usd_per_right_block: Estimate
    """The gates' own cost (reviewers and writer) per right block: the price of a catch."""
    work_s_mean: float | None
    """Wall time without hooks."""
    hook_s_mean: float | None
    on_frontier: bool | None
    """No other config passes as much for less."""


class ReviewerTable(Record):
    """Two independent reviewers of one config on the same stops."""

    config: str
    stops: int
    """Stops at which both answered and the truth is known."""
    caught_by_both: int
    caught_by_first: int
    caught_by_second: int
    caught_by_none: int
    """Failing states, by who blocked them."""
    kappa: Estimate
    pabak: Estimate
    double_fault: Estimate
    effective_reviewers: Estimate
    chapman: Estimate
    """Estimated number of failing states."""
    chapman_bias: int | None
    """Estimate minus the true number, rounded."""


class Premise(Record):
    """Are first stops of gated trials like bare ones, as they must be?"""

    bare_trials: int
    gated_trials: int
    difference: Estimate
    """First stops of gated trials minus bare."""
    p: float | None
    minimum_p: float | None
    words: str


class Analysis(Record):
    """Everything estimated from one job."""

    configs: tuple[ConfigTable, ...]
    tasks: tuple[TaskTable, ...]
    gates: tuple[GateTable, ...]
    comparisons: tuple[Comparison, ...]
    transitions: tuple[TransitionTable, ...]
    flow: tuple[FlowStep, ...]
    costs: tuple[CostTable, ...]
    reviewers: tuple[ReviewerTable, ...]
    premise: Premise | None
    shadows: tuple[GateTable, ...] = ()
    """What shadow gates would have said: they were told to nobody, and stand in no other number."""
    reasons: tuple[ReasonTable, ...] = ()
    """Empty where no block was looked into."""
    replay: ReplayTables | None = None
    """Gates on stored snapshots and right solutions; ``None`` without a replay."""
    warnings: tuple[str, ...]

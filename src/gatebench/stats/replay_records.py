"""What replays come to, as it reaches ``replay.json`` and ``results.json``."""

from enum import StrEnum
from typing import Any

from gatebench.model.base import Record
from gatebench.stats.estimate import Estimate


class Group(StrEnum):
    """States of one origin; rates of different ones are not to be compared."""

    STOPS = "recorded stops"
    SOLUTIONS = "right solutions"
    """The reference and the second solution: gold states, right by construction."""
    LATTICE = "lattice"
    """The reference with requirements left out: wrong by construction."""


class ReplayRow(Record):
    """One config on the states of one group that every config of the group saw."""

    config: str
    """Or ``config · gate``: a gate of a config, by itself."""
    gates: tuple[str, ...]
    """As they are asked: names of directories below ``replay/looks``."""
    group: Group
    states: int
    looks: int
    """At all times together."""
    labels: dict[str, int]
    """Looks by label, all of them."""
    labels_first: dict[str, int]
    """The same at time 1, of a trial its first stop alone: what the rates rest on."""
    right_block_rate: Estimate
    """Failing states that it blocked: sensitivity."""
    false_block_rate: Estimate
    """Wholly passing states that it blocked: 1 − specificity."""
    usd_per_look: float | None
    """Its reviewers' dollars; preparations not counted."""


class RetestRow(Record):
    """One config against itself: the same states, drawn anew."""

    config: str
    times: int
    states: int
    """States on which it spoke every time."""
    unlike: int
    """States that it did not always judge alike."""
    agreement: Estimate
    """Share of pairs of looks at one state that agree."""
    kappa: Estimate
    """Fleiss's κ: the same beyond chance."""


class RuleRow(Record):
    """One way to make a verdict of reviewers' calls, on looks that all ways share."""

    rule: str
    """``one reviewer``, ``union``, ``intersection``, ``challenger``."""
    settings: dict[str, Any]
    """Of the gate, but for its variant."""
    group: Group
    looks: int
    labels: dict[str, int]
    usd_per_look: float | None


class PairRow(Record):
    """Two configs on the same states at time 1, by who blocked; no p (McNemar's doesn't hold)."""

    config: str
    against: str
    group: Group
    failing_both: int
    failing_first: int
    failing_second: int
    failing_neither: int
    passing_both: int
    passing_first: int
    passing_second: int
    passing_neither: int


class SameRow(Record):
    """One gate as it was in the trials, asked again at time 1."""

    gate: str
    settings: dict[str, Any]
    recorded: int
    """Stops at which it had spoken."""
    same_verdict: int
    same_words: int
    """Same verdict, same findings, same failing tests."""


class ReplayTables(Record):
    """Everything estimated from a job's replays."""

    states: int
    looks: int
    times: int
    rows: tuple[ReplayRow, ...]
    rules: tuple[RuleRow, ...]
    retest: tuple[RetestRow, ...]
    pairs: tuple[PairRow, ...]
    recorded: tuple[SameRow, ...]
    writer_usd: float | None
    """Dollars of all preparations made for replays: acceptance tests."""

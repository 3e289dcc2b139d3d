"""What a played trial costs: the script's own token counts, walked without a transcript.

The gateway counts each reply from what the script says (`gatebench.team.tokens`); here the same
sums are made from how many replies of which kind there are, with typical lengths in place of the
texts. On the shipped suite the difference is a few percent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gatebench.model.usage import Role
from gatebench.team import Seat, worker, writer
from gatebench.team.play import Gates, PlayedStop
from gatebench.team.profile import TokenCounts
from gatebench.team.worker import Outcome

FRESH = 4
"""Input tokens of a reply that are never cached."""
TEXT, CALL, HUNT = 15, 25, 130
"""Output tokens of a sentence, of a plain tool use, of the four commands of a hunt."""
FIRST_CHANGE, LATER_CHANGE, OWN_TESTS = 250, 400, 300
"""Output tokens of the edits, of a repair of them, of a test file."""
ANSWER, FINDING = 20, 60
"""Output tokens of a review's answer, and of each finding in it."""
ONE_TEST = 95
"""Output tokens of one acceptance test."""
HUNT_USES = 4


@dataclass(frozen=True)
class Prices:
    """US dollars per million tokens: what the client counts for the model named ``simulated``."""

    fresh: float = 4.0
    output: float = 20.0
    cache_read: float = 0.2
    cache_write: float = 5.0


@dataclass(frozen=True)
class Costs:
    """US dollars of one trial by role."""

    worker: float
    reviewers: float
    writer: float

    @property
    def total(self) -> float:
        """All roles together."""
        return self.worker + self.reviewers + self.writer


@dataclass(frozen=True)
class _Said:
    """One reply: what it puts out, and by how much it and what follows lengthen the context."""

    output: int
    results: int = 0


class _Context:
    """A conversation that grows; every request reads the cache and writes what is new."""

    def __init__(self, prices: Prices, base: int) -> None:
        self._prices = prices
        self._size = base
        self._cached = 0
        self.usd = 0.0

    def say(self, said: _Said) -> None:
        prices = self._prices
        fresh = FRESH * prices.fresh + said.output * prices.output
        new = (self._size - self._cached) * prices.cache_write
        self.usd += (fresh + self._cached * prices.cache_read + new) / 1e6
        self._cached = self._size
        self._size += said.output + said.results

    def hear(self, tokens: int) -> None:
        """Feedback arrives."""
        self._size += tokens


def outcomes(seat: Seat, stops: Sequence[PlayedStop]) -> Iterator[Outcome]:
    """Where the work stood at each stop: the worker's decisions once more, which are the same."""
    now = worker.first(seat)
    yield now
    for k, stop in enumerate(stops[:-1], start=1):
        now = worker.fix(seat, k, now, stop.named)
        yield now


def costs(
    seat: Seat, gates: Gates, stops: Sequence[PlayedStop], prices: Prices | None = None
) -> Costs:
    """What a played trial costs.

    Args:
        seat: the worker's, as it was played.
        gates: the configuration.
        stops: what `gatebench.team.play.play` gave.
        prices: where others hold.
    """
    table = prices or Prices()
    return Costs(
        worker=_worker(seat, stops, table),
        reviewers=_reviews(seat, gates, stops, table) if gates.review else 0.0,
        writer=_writer(seat, table) if gates.tests else 0.0,
    )


def _worker(seat: Seat, stops: Sequence[PlayedStop], prices: Prices) -> float:
    counts = seat.profile.tokens
    context = _Context(prices, counts.system + counts.prompt)
    before = Outcome(frozenset(), started=False, acted=False)
    read = False
    for k, after in enumerate(outcomes(seat, stops)):
        if k:
            context.hear(counts.feedback)
        for said in _phase(seat, k, (before, after), read=read):
            context.say(said)
        read = read or after.started
        before = after
    return context.usd


def _phase(seat: Seat, k: int, states: tuple[Outcome, Outcome], *, read: bool) -> Iterator[_Said]:
    """The replies of one phase, in the order of `gatebench.team.script`."""
    counts, (before, after) = seat.profile.tokens, states
    if worker.hunts(seat, k):
        yield _Said(counts.thinking + HUNT, HUNT_USES * counts.shell)
    if after.acted:
        yield from _changes(counts, k, states, read=read)
        if not k and after.subset and worker.writes_tests(seat):
            yield _Said(counts.thinking + OWN_TESTS, counts.other)
        if worker.runs_tests(seat, k):
            yield _Said(counts.thinking + CALL, counts.shell)
    yield _Said(counts.thinking + TEXT + (CALL if before != after else 0))


def _changes(
    counts: TokenCounts, k: int, states: tuple[Outcome, Outcome], *, read: bool
) -> Iterator[_Said]:
    before, after = states
    if (before.subset, before.started) == (after.subset, after.started):
        return
    if not read:
        yield _Said(counts.thinking + CALL, counts.read)
    yield _Said(counts.thinking + (LATER_CHANGE if k else FIRST_CHANGE), counts.other)


def _reviews(seat: Seat, gates: Gates, stops: Sequence[PlayedStop], prices: Prices) -> float:
    """Two calls at every stop that was reviewed; a failed one was made twice."""
    reviewed = [s for s in stops if gates.run_all or "tests" not in s.red]
    return sum(_review(seat, stop, prices) for stop in reviewed)


def _review(seat: Seat, stop: PlayedStop, prices: Prices) -> float:
    counts = seat.profile.tokens
    findings = FINDING * len(stop.named) if "review" in stop.red else 0
    usd = 0.0
    for _ in range(2 + stop.errors):
        context = _Context(prices, counts.system + counts.review_prompt)
        context.say(_Said(counts.thinking + CALL, counts.read))
        context.say(_Said(counts.thinking + ANSWER + findings))
        usd += context.usd
    return usd


def _writer(seat: Seat, prices: Prices) -> float:
    """One call, or two where the first handed in a file that won't do."""
    own = replace(seat, role=Role.WRITER)
    tests = len(writer.choose(own))
    usd = 0.0
    for _ in range(1 + writer.fails(own)):
        context = _Context(prices, own.profile.tokens.system + own.profile.tokens.prompt)
        context.say(_Said(own.profile.tokens.thinking + ONE_TEST * tests))
        usd += context.usd
    return usd

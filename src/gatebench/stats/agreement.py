"""How two raters agree, and how a gate agrees with the truth; undefined is said, not guessed."""

import math
from dataclasses import dataclass

from gatebench.stats.estimate import Estimate, undefined

NO_INTERVAL = "stops of a trial hang together; no interval was measured to hold"


@dataclass(frozen=True)
class TwoByTwo:
    """Counts of two yes/no judgements on the same things.

    For a gate against the truth: ``both`` = blocked and failing, ``first`` = blocked only,
    ``second`` = failing only, ``neither`` = allowed and right.
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def n(self) -> int:
        """All things judged."""
        return self.both + self.first + self.second + self.neither

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """First yes, first no, second yes, second no."""
        a, b, c, d = self.both, self.first, self.second, self.neither
        return a + b, c + d, a + c, b + d


def kappa(table: TwoByTwo) -> Estimate:
    """Cohen's κ, ``(p_o − p_e)/(1 − p_e)``; Educ. Psychol. Meas. 20 (1960) 37–46."""
    name = "Cohen's κ"
    if not table.n:
        return undefined("nothing was judged by both", name)
    yes1, no1, yes2, no2 = table.margins
    expected = (yes1 * yes2 + no1 * no2) / table.n**2
    if expected == 1:
        return undefined("both said the same of everything: chance agreement is 1", name, table.n)
    return _plain((_agreement(table) - expected) / (1 - expected), table, name)


def pabak(table: TwoByTwo) -> Estimate:
    """κ adjusted for prevalence and bias, ``2·p_o − 1``; Byrt et al., J. Clin. Epid. 46 (1993)."""
    if not table.n:
        return undefined("nothing was judged by both", "PABAK")
    return _plain(2 * _agreement(table) - 1, table, "PABAK")


def mcc(table: TwoByTwo) -> Estimate:
    """Matthews's correlation, ``(ad − bc)/√(product of margins)``; BBA 405 (1975) 442–451."""
    name = "Matthews correlation"
    if not table.n:
        return undefined("nothing was judged", name)
    product = math.prod(table.margins)
    if not product:
        return undefined("a margin is zero: one side never varied", name, table.n)
    cross = table.both * table.neither - table.first * table.second
    return _plain(cross / math.sqrt(product), table, name)


def double_fault(wrong: TwoByTwo) -> Estimate:
    """Share of things both raters got wrong; Giacinto, Roli, Image Vis. Comp. 19 (2001) 699.

    Args:
        wrong: the table of 'first rater wrong' by 'second rater wrong'.
    """
    if not wrong.n:
        return undefined("nothing was judged by both", "double fault")
    return _plain(wrong.both / wrong.n, wrong, "double fault")


def effective_reviewers(wrong: TwoByTwo) -> Estimate:
    """How many independent reviewers the two are worth, ``2/(1 + φ)`` with φ of their errors.

    Kish's design effect for two raters; φ is the Matthews correlation of being wrong.
    """
    name = "effective number of reviewers"
    phi = mcc(wrong)
    if phi.value is None:
        reason = "one of them was never, or always, wrong" if wrong.n else "nothing judged by both"
        return undefined(reason, name, wrong.n)
    if phi.value <= -1:
        return undefined("exactly opposite errors", name, wrong.n)
    return _plain(2 / (1 + phi.value), wrong, name)


def chapman(both: int, first_only: int, second_only: int) -> Estimate:
    """How many faulty states there were, from what two reviewers caught.

    ``(n₁+1)(n₂+1)/(m+1) − 1``; Chapman, Univ. Calif. Publ. Statist. 1 (1951) 131–160. Biased low
    when both see the same easy ones, which reviewers do; unlike in the wild the truth is known
    here, so the bias is printed beside it. Null where nothing was caught twice.
    """
    name = "Chapman's capture–recapture"
    n1, n2 = both + first_only, both + second_only
    if not both:
        return undefined("nothing was caught by both", name, n1 + n2)
    value = (n1 + 1) * (n2 + 1) / (both + 1) - 1
    n = both + first_only + second_only
    return Estimate(value=value, n=n, interval=None, method=name, reason=NO_INTERVAL)


def _agreement(table: TwoByTwo) -> float:
    return (table.both + table.neither) / table.n


def _plain(value: float, table: TwoByTwo, method: str) -> Estimate:
    return Estimate(value=value, n=table.n, interval=None, method=method, reason=NO_INTERVAL)

"""How the numbers were made, in the sentences that every report carries."""

_TEXT = """
Tasks weigh equal. 'Tasks like these' takes the tasks as a sample; 'these tasks' takes them as
fixed and only the trials as chance. The two are never mixed.

Pass rate: t on the logit of the mean over tasks; at 0 %, at 100 % or without spread Jeffreys with
the number of verdicts corrected for the degrees of freedom.

Differences, gains and net benefit: t on one figure per task. Cost: the same with the skewness
removed (Hall 1992) and the standard error times √(T/(T−1)). Differences on these tasks: stratified
t within tasks, Welch–Satterthwaite.

Shares at first stops and repaired shares: Jeffreys with the effective number of observations
(Mancl–DeRouen by task; repaired shares for T−1 degrees of freedom); false blocks: Jeffreys, Wilson
from 20, Clopper–Pearson at none or all; broken shares: Wilson, modified for few. Denominators under
5 are told as counts, 5–9 as counts with limits.

Dollars per extra requirement: Fieller's set over tasks, shown only where it is bounded.

Tests: t on task differences (tasks like these) and label permutation within tasks (these tasks;
exact, or with more than 60 trials of a task by the labellings' mean and variance), each corrected
by Holm over the planned contrasts g1−bare, g3−bare, g13−g1, g13adv−g13.

Not printed because they were measured not to hold: bootstrap intervals over tasks, intervals that
take requirements or stops as independent, stop-pooled false-block rates, McNemar's p.

Replays put gates before the same states. Their rates rest on first looks (of a trial its first
stop) and are made as at first stops; right solutions are right by construction, so a block there is
false. Agreement of a gate with itself has no interval: looks at one state hang together.

A reviewer behind gate 1 sees only what gate 1 let through: its rates under g13 are about harder
states than under g3.
"""

METHOD: tuple[str, ...] = tuple(" ".join(part.split()) for part in _TEXT.strip().split("\n\n"))
"""One sentence or a few for each kind of number."""

"""How the simulated team behaves, in numbers.

A profile is a set of independent chances. The values a key has when a file leaves it out are those
of a team that does everything right, so that a file need only name what goes wrong.
"""

from typing import Annotated

from pydantic import Field

from gatebench.model.base import Record

Chance = Annotated[float, Field(ge=0.0, le=1.0)]
"""A probability."""
Tokens = Annotated[int, Field(ge=0)]
"""A number of tokens."""

EVERY = "*"
"""Stands for all requirements of a task in the overrides."""


class WorkerChances(Record):
    """The agent that implements the task."""

    first_stated: Chance = 1.0
    """The first attempt satisfies a requirement that the prompt states; per requirement."""
    first_unstated: Chance = 1.0
    """The same for one that the prompt leaves unstated."""
    first_guard: Chance = 1.0
    """The first attempt keeps a regression guard intact; per guard."""
    fix_named: Chance = 1.0
    """A missing requirement that the feedback names gets satisfied; per requirement and block."""
    break_another: Chance = 0.0
    """Acting on a block breaks one requirement that held; per block."""
    refuse: Chance = 0.0
    """Answers a block by text alone ("not my change"); per block."""
    hunt: Chance = 0.0
    """Looks for the tests by shell; per phase."""
    idle: Chance = 0.0
    """Stops at first without doing anything; per trial."""
    own_tests: Chance = 0.0
    """Adds a test file of its own; per trial."""
    runs_tests: Chance = 1.0
    """Runs the library's tests before it stops; per phase in which it acts."""


class ReviewerChances(Record):
    """A reviewer's call at one stop."""

    find: Chance = 1.0
    """Reports a missing requirement; per requirement."""
    false_blocking: Chance = 0.0
    """Adds a blocking finding that is wrong; per call."""
    minor: Chance = 0.0
    """Adds a minor remark; per call."""
    error: Chance = 0.0
    """Ends without a structured answer; per try."""


class ChallengerChances(Record):
    """The challenger's call at one stop."""

    uphold_true: Chance = 1.0
    """Upholds a finding about a requirement that is missing; per finding."""
    uphold_false: Chance = 0.0
    """Upholds any other finding; per finding."""
    add_missed: Chance = 1.0
    """Adds a missing requirement that the reviewer did not report; per requirement."""
    error: Chance = 0.0
    """Ends without a structured answer; per try."""


class WriterChances(Record):
    """The writer of the acceptance tests."""

    cover: Chance = 1.0
    """Writes a test about a requirement; per requirement."""
    hedge_stated: Chance = 0.0
    """That test accepts the violation too, where the prompt states the requirement."""
    hedge_unstated: Chance = 0.0
    """The same where the prompt leaves it unstated."""
    strict: Chance = 0.0
    """That test is over-strict: right code fails it."""
    fail: Chance = 0.0
    """Hands in a file that doesn't compile or holds no test; per try."""


class TokenCounts(Record):
    """What replies are made to cost; nothing is measured on requests."""

    system: Tokens = 14_000
    """System prompt and tools."""
    prompt: Tokens = 250
    """The worker's or the writer's prompt."""
    review_prompt: Tokens = 2_500
    """A reviewer's or challenger's prompt, diff included."""
    read: Tokens = 3_000
    """Result of one Read."""
    shell: Tokens = 500
    """Result of one Bash call."""
    other: Tokens = 150
    """Result of any other tool."""
    feedback: Tokens = 400
    """A Stop hook's feedback."""
    thinking: Tokens = 300
    """Output of one reply beyond what it says."""


class Override(Record):
    """Chances that differ for one requirement (or, under ``*``, for all of a task)."""

    first_stated: Chance | None = None
    first_unstated: Chance | None = None
    first_guard: Chance | None = None
    fix_named: Chance | None = None
    find: Chance | None = None
    uphold_true: Chance | None = None
    add_missed: Chance | None = None
    cover: Chance | None = None
    hedge_stated: Chance | None = None
    hedge_unstated: Chance | None = None
    strict: Chance | None = None


class Profile(Record):
    """A whole team."""

    title: str = ""
    """One line for people."""
    worker: WorkerChances = WorkerChances()
    reviewer: ReviewerChances = ReviewerChances()
    challenger: ChallengerChances = ChallengerChances()
    writer: WriterChances = WriterChances()
    tokens: TokenCounts = TokenCounts()
    requirements: dict[str, dict[str, Override]] = Field(default_factory=dict)
    """Overrides by task and requirement, e.g. ``[requirements.T2.R4] first_unstated = 0.1``."""

    def override(self, task: str, requirement: str, key: str) -> float | None:
        """The overriding chance of one requirement, the nearest first; ``None`` without one."""
        of_task = self.requirements.get(task, {})
        for name in (requirement, EVERY):
            found: float | None = getattr(of_task.get(name), key, None)
            if found is not None:
                return found
        return None

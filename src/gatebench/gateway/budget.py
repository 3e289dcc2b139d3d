"""Budgets in dollars: of a job, of each trial, of each role in a trial.

A call is let through while none of its budgets is used up, so a budget is passed by no more than
the calls that were in flight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatebench.errors import UnknownName, UsageError
from gatebench.model.usage import Role

SPENDERS = ("worker", "reviewers", "writer")
"""Who has a budget of a trial's: reviewers and the challenger share one."""


def spender(role: Role) -> str:
    """Whose budget a role spends from."""
    return role.value if role in {Role.WORKER, Role.WRITER} else "reviewers"


@dataclass
class Budget:
    """One limit, and what has been spent of it."""

    name: str
    """For messages: ``job``, ``trial T1-g1-r1``, …"""
    limit_usd: float | None = None
    """``None``: there is none."""
    spent_usd: float = 0.0

    @property
    def used_up(self) -> bool:
        """Whether nothing more may be started on it."""
        return self.limit_usd is not None and self.spent_usd >= self.limit_usd

    @property
    def said(self) -> str:
        """How it stands, in words without a full stop."""
        return f"${self.spent_usd:.2f} of the {self.name}'s ${self.limit_usd or 0.0:g} are spent"


@dataclass(frozen=True)
class Limits:
    """Dollars; ``None`` is no limit.

    Raises:
        UsageError: a limit that isn't above 0, or of a role that isn't there.
    """

    job: float | None = None
    trial: float | None = None
    roles: Mapping[str, float] = field(default_factory=dict)
    """Per trial, by spender (`SPENDERS`)."""

    def __post_init__(self) -> None:
        """Refuse limits that let nothing through, and spenders that aren't there."""
        for name in self.roles:
            if name not in SPENDERS:
                raise UnknownName("role", name, SPENDERS)
        for limit in (self.job, self.trial, *self.roles.values()):
            if limit is not None and not limit > 0:
                raise UsageError(f"a budget of ${limit} lets nothing through.", "Give more.")

    @property
    def of_a_trial(self) -> dict[str, float]:
        """Those that each trial has of its own."""
        return {**({"trial": self.trial} if self.trial is not None else {}), **self.roles}

    def __bool__(self) -> bool:
        return self.job is not None or self.trial is not None or bool(self.roles)


@dataclass(frozen=True)
class Purse:
    """What one call site spends from."""

    budgets: tuple[Budget, ...] = ()

    @property
    def limited(self) -> bool:
        """Whether anything limits it."""
        return any(b.limit_usd is not None for b in self.budgets)

    def used_up(self) -> Budget | None:
        """The first budget that nothing more may be started on."""
        return next((b for b in self.budgets if b.used_up), None)

    def charge(self, dollars: float) -> None:
        """Spend; known only afterwards, so a budget may be passed."""
        for budget in self.budgets:
            budget.spent_usd += dollars


class Wallet:
    """A job's budgets.

    Args:
        limits: the dollars.
        spent_usd: what earlier invocations of the job spent.
    """

    def __init__(self, limits: Limits, spent_usd: float = 0.0) -> None:
        self.limits = limits
        self.job = Budget("job", limits.job, spent_usd)
        self._trials: dict[str, Budget] = {}
        self._roles: dict[tuple[str, str], Budget] = {}

    def purse(self, trial: str, role: Role) -> Purse:
        """The budgets of a role in a trial; the same objects for the same names.

        Args:
            trial: unique per attempt: a second attempt has a budget of its own.
            role: who spends.
        """
        of_trial = self._trials.setdefault(trial, Budget(f"trial {trial}", self.limits.trial))
        who = spender(role)
        of_role = self._roles.setdefault(
            (trial, who), Budget(f"{who} of trial {trial}", self.limits.roles.get(who))
        )
        return Purse((self.job, of_trial, of_role))

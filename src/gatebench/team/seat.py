"""A seat: who speaks, in which trial, at which stop. Everything a reply may depend on but the view.

Every decision has a generator of its own, named by what it is about. So a changed chance changes
the decisions it governs and no other.
"""

import random
from dataclasses import dataclass

from gatebench.model.material import RequirementMaterial, TaskMaterial
from gatebench.model.seeds import derive, rng
from gatebench.model.usage import Role
from gatebench.team.profile import Profile

_SPARE_BITS = 11
_WHOLE = 2**53
"""A float holds 53 bits exactly, so a share is always below 1."""


@dataclass(frozen=True)
class Seat:
    """One role in one trial (and, for the roles of a gate, at one stop)."""

    role: Role
    seed: int
    """The trial's seed (`gatebench.model.seeds.trial_seed`)."""
    profile: Profile
    material: TaskMaterial
    stated: frozenset[str]
    """Ids of the requirements that the trial's prompt states."""
    guards: frozenset[str] = frozenset()
    """Ids of the requirements that hold on upstream already."""
    covered: frozenset[str] = frozenset()
    """Ids of the requirements without any of which the library's own tests fail."""
    stop: int | None = None
    """The stop the call belongs to, from 1; ``None`` for the worker and the writer."""
    retry: int = 0
    """0, or 1 when the call is made again because the first failed."""
    satisfied: frozenset[str] | None = None
    """What the work satisfies, where it is not written after the material: a solution of another
    hand, which the team could not read. ``None``: a reviewer reads it off the diff."""

    @property
    def requirements(self) -> dict[str, RequirementMaterial]:
        """The task's material by requirement id, in order."""
        return self.material.requirements

    def rng(self, *parts: object) -> random.Random:
        """The generator of one decision of this seat; gates' roles draw anew at every stop."""
        return rng(self.seed, self.role.value, self.stop, *parts)

    def happens(self, chance: float, *parts: object) -> bool:
        """Draw one decision.

        From the digest itself: a generator for a single number would cost three times as much.
        """
        share = (derive(self.seed, self.role.value, self.stop, *parts) >> _SPARE_BITS) / _WHOLE
        return share < chance

    def holds(self, requirement: str, key: str, chance: float, *parts: object) -> bool:
        """Draw one decision about a requirement, whose own chance may override ``chance``."""
        own = self.profile.override(self.material.task, requirement, key)
        return self.happens(chance if own is None else own, *parts, requirement)

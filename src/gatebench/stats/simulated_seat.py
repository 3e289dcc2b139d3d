"""Who plays a simulated trial: a task as far as decisions depend on it, and the worker's seat."""

import random
from dataclasses import dataclass, field
from functools import lru_cache

from gatebench.model.blueprint import Blueprint
from gatebench.model.material import AcceptanceTest, RequirementMaterial, TaskMaterial
from gatebench.model.task import PromptVariant, Task
from gatebench.model.usage import Role
from gatebench.team import Profile, Seat


@dataclass(frozen=True)
class SimTask:
    """A task as far as decisions depend on it, with the team's chances in it."""

    id: str
    requirements: tuple[str, ...]
    stated: frozenset[str]
    guards: frozenset[str]
    profile: Profile
    covered: frozenset[str] = frozenset()
    """Ids of the requirements that the library's own tests cover."""

    @classmethod
    def of(cls, task: Task, profile: Profile, variant: PromptVariant) -> "SimTask":
        """A suite's task under one prompt variant."""
        known = (task.requirement_ids, task.stated(variant), task.guards)
        return cls(task.id, *known, profile, task.covered)


@dataclass(frozen=True)
class DrawnSeat(Seat):
    """A seat that draws from one stream instead of from digests: several times as fast.

    Every decision is still drawn once and remembered by its name, so that asking again gives the
    same answer. Only which trial a seed gives differs, not how likely it is.
    """

    stream: random.Random = field(default_factory=random.Random)
    known: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def rng(self, *_parts: object) -> random.Random:
        """The stream itself."""
        return self.stream

    def happens(self, chance: float, *parts: object) -> bool:
        """Draw one decision, once."""
        key = (self.role, self.stop, parts)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.stream.random() < chance
        return found


@lru_cache(maxsize=4096)
def _material(task: str, requirements: tuple[str, ...]) -> TaskMaterial:
    """Words that stand for words: one per kind, so that every choice can be made."""
    test = AcceptanceTest(name="test_it", code="")
    own = RequirementMaterial(
        visible=test, hedged=test, strict=test, findings=("missing",), file="a.py", hunk="a"
    )
    return TaskMaterial(
        task=task,
        blueprint=Blueprint(edits=()),
        imports="",
        requirements=dict.fromkeys(requirements, own),
        false_findings=(("a.py", "wrong"),),
        minor_findings=(("a.py", "minor"),),
        summaries=("Done.",),
    )


def seat_of(task: SimTask, seed: int) -> Seat:
    """The worker's seat: the very decisions that the gateway draws for a trial of this seed."""
    material = _material(task.id, task.requirements)
    fixed = (task.profile, material, task.stated, task.guards, task.covered)
    return Seat(Role.WORKER, seed, *fixed)


def drawn_seat(task: SimTask, stream: random.Random) -> Seat:
    """The worker's seat of one more trial from a stream."""
    material = _material(task.id, task.requirements)
    fixed = (task.profile, material, task.stated, task.guards, task.covered)
    return DrawnSeat(Role.WORKER, 0, *fixed, stream=stream)

"""How tasks may differ: documented settings, from each of which tasks can be drawn without end.

A setting shifts a profile's chances per task on the logit scale. The variances are assumed, not
estimated from real agents: an interval that is to be trusted must hold under all of them.
"""

import math
import random
from dataclasses import dataclass

from gatebench.model.base import Record
from gatebench.stats.simulated_seat import SimTask
from gatebench.team import Profile
from gatebench.team.profile import Override

REQUIREMENTS = ("R1", "R2", "R3", "R4", "R5")
STATED = (1, 2, 3)
"""How many of the five a prompt may state."""
GUARD = 0.1
"""Share of tasks whose third requirement is a regression guard."""
WORKER = ("first_stated", "first_unstated", "fix_named")
REVIEWERS = ("find", "uphold_true", "add_missed")
FRACTION = 0.2
"""Share of odd tasks in the settings that have some."""


@dataclass(frozen=True)
class Setting:
    """One assumption about what tasks like these are."""

    name: str
    words: str
    difficulty: float = 0.0
    """Spread over tasks of what the worker achieves (first attempt and repairs), in logits."""
    gates: float = 0.0
    """Spread over tasks of what reviewers find, in logits; independent of the difficulty."""
    writing: float = 0.0
    """The same of what the acceptance tests cover and hedge."""
    requirement: float = 0.0
    """Spread over the requirements of a task, in logits."""
    tokens: float = 0.0
    """Spread over tasks of the logarithm of what replies weigh."""
    level: float = 0.0
    """By how many logits all first attempts and repairs succeed less often."""
    repair: float = 0.0
    """The same of repairs alone."""
    hopeless: float = 0.0
    """Share of tasks in which hardly anything succeeds."""
    strict: float = 0.0
    """Share of tasks whose acceptance tests are often over-strict and reviewers often wrong."""


SETTINGS: tuple[Setting, ...] = (
    Setting("equal", "all tasks alike: trials differ by chance alone"),
    Setting(
        "small", "slightly different tasks", difficulty=0.4, gates=0.3, writing=0.3, tokens=0.2
    ),
    Setting(
        "medium", "clearly different tasks", difficulty=0.8, gates=0.6, writing=0.6, tokens=0.3
    ),
    Setting("large", "tasks worlds apart", difficulty=1.4, gates=1.0, writing=1.0, tokens=0.4),
    Setting(
        "gates",
        "equally hard tasks that gates read very differently",
        difficulty=0.3,
        gates=1.5,
        writing=1.5,
        tokens=0.2,
    ),
    Setting(
        "requirements",
        "easy and hard requirements in every task",
        difficulty=0.4,
        gates=0.4,
        writing=0.4,
        requirement=1.2,
        tokens=0.2,
    ),
    Setting(
        "costly", "tasks of very different size", difficulty=0.7, gates=0.4, writing=0.4, tokens=0.7
    ),
    Setting(
        "hopeless",
        "one task in five is nearly hopeless",
        difficulty=0.5,
        gates=0.4,
        writing=0.4,
        tokens=0.3,
        hopeless=FRACTION,
    ),
    Setting(
        "strict",
        "in one task in five gates are often wrong",
        difficulty=0.6,
        gates=0.4,
        writing=0.4,
        tokens=0.3,
        strict=FRACTION,
    ),
    Setting(
        "hard",
        "most first attempts and many repairs fail",
        difficulty=0.7,
        gates=0.5,
        writing=0.5,
        tokens=0.3,
        level=1.5,
    ),
    Setting(
        "stubborn",
        "repairs seldom succeed",
        difficulty=0.6,
        gates=0.5,
        writing=0.5,
        tokens=0.3,
        repair=2.5,
    ),
)
HOPELESS_LOGITS = -3.5
STRICT_TESTS, STRICT_REVIEWS = 0.25, 0.35


def draw_task(setting: Setting, base: Profile, number: int, stream: random.Random) -> SimTask:
    """One more task like these.

    Args:
        setting: how tasks differ.
        base: the team on the average task.
        number: the task's, for its name.
        stream: where chance comes from.
    """
    guards = frozenset({REQUIREMENTS[2]}) if stream.random() < GUARD else frozenset()
    stated = frozenset(stream.sample(REQUIREMENTS, stream.choice(STATED)))
    profile = _profile(setting, base, stream)
    if setting.requirement:
        own = {f"T{number}": _by_requirement(setting, profile, stream)}
        profile = profile.model_copy(update={"requirements": own})
    return SimTask(f"T{number}", REQUIREMENTS, stated, guards, profile)


def _profile(setting: Setting, base: Profile, stream: random.Random) -> Profile:
    hopeless = HOPELESS_LOGITS if stream.random() < setting.hopeless else 0.0
    skill = stream.gauss(-setting.level, setting.difficulty) + hopeless
    worker = dict.fromkeys(WORKER, skill) | {"fix_named": skill - setting.repair}
    reading, covering = stream.gauss(0.0, setting.gates), stream.gauss(0.0, setting.writing)
    factor = math.exp(stream.gauss(0.0, setting.tokens))
    shifted = base.model_copy(
        update={
            "worker": _shifted(base.worker, worker),
            "reviewer": _shifted(base.reviewer, {"find": reading, "false_blocking": -reading}),
            "challenger": _shifted(base.challenger, dict.fromkeys(REVIEWERS[1:], reading)),
            "writer": _shifted(
                base.writer, {"cover": covering, "hedge_stated": -covering, "strict": -covering}
            ),
            "tokens": base.tokens.model_copy(
                update={k: round(v * factor) for k, v in dict(base.tokens).items()}
            ),
            "requirements": {},
        }
    )
    return _strict(shifted) if stream.random() < setting.strict else shifted


def _strict(profile: Profile) -> Profile:
    return profile.model_copy(
        update={
            "writer": profile.writer.model_copy(update={"strict": STRICT_TESTS}),
            "reviewer": profile.reviewer.model_copy(update={"false_blocking": STRICT_REVIEWS}),
        }
    )


def _by_requirement(
    setting: Setting, profile: Profile, stream: random.Random
) -> dict[str, Override]:
    own = {}
    for requirement in REQUIREMENTS:
        by, seen = stream.gauss(0.0, setting.requirement), stream.gauss(0.0, setting.requirement)
        chances = {key: shift(getattr(profile.worker, key), by) for key in WORKER}
        own[requirement] = Override(find=shift(profile.reviewer.find, seen), **chances)
    return own


def shift(chance: float, logits: float) -> float:
    """A chance moved on the logit scale; 0 and 1 stay."""
    if not 0.0 < chance < 1.0 or not logits:
        return chance
    return 1.0 / (1.0 + (1.0 - chance) / chance * math.exp(-logits))


def _shifted(chances: Record, by: dict[str, float]) -> Record:
    update = {key: shift(getattr(chances, key), logits) for key, logits in by.items()}
    return chances.model_copy(update=update)

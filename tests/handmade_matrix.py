"""A whole matrix played by a few coin flips: 5 tasks × 5 configs × 2 reps, the same every time."""

import random
from typing import Any

from handmade import GATES, Stop, Trial, job

from gatebench.model.job import JobData

TASKS = ("T1", "T2", "T3", "T4", "T5")
HARDNESS = dict(zip(TASKS, (0.15, 0.25, 0.35, 0.45, 0.2), strict=True))
HOSTILE = "</pre><script>alert(1)</script> \u202e\x1b[31m | *bold* [link](http://x)"


def fifty_trials(seed: int = 1, reps: int = 2) -> JobData:
    """Fifty trials with right and false blocks, misses, repairs, breakages and give-ups."""
    rng = random.Random(seed)  # noqa: S311  # a game, not a secret
    trials = [
        _trial(rng, task, config, rep)
        for rep in range(1, reps + 1)
        for config in GATES
        for task in TASKS
    ]
    return job(*trials)


def _trial(rng: random.Random, task: str, config: str, rep: int) -> Trial:
    failing = {f"R{n}" for n in range(1, 6) if rng.random() < HARDNESS[task]}
    stops: list[Stop] = []
    while GATES[config]:
        blocks = sum("red" in s.gates for s in stops)
        gates, said = _gates(rng, config, bool(failing))
        failed = " ".join(sorted(failing))
        if "red" not in gates:
            stops.append(Stop(gates, failed, reviewers=said))
            break
        over = blocks >= 6
        stops.append(Stop(gates, failed, give_up=over, reviewers=said, reason=HOSTILE))
        if over:
            break
        failing = {r for r in sorted(failing) if rng.random() < 0.45}
        if rng.random() < 0.1:
            failing.add(rng.choice(("R1", "R3")))
    reviews = sum(bool(s.reviewers) for s in stops)
    return Trial(
        f"{task}-{config}-r{rep}",
        end=" ".join(sorted(failing)),
        stops=tuple(stops),
        worker=round(0.05 + 0.02 * len(stops) + 0.02 * rng.random(), 4),
        reviewers=round(0.018 * reviews, 4),
        writer=0.011 if "tests" in GATES[config] else 0.0,
    )


def _gates(
    rng: random.Random,
    config: str,
    failing: bool,  # noqa: FBT001  # a fact, not a switch
) -> tuple[str, tuple[dict[str, Any], ...]]:
    words: list[str] = []
    said: tuple[dict[str, Any], ...] = ()
    for gate in GATES[config]:
        if "red" in words:
            words.append("skipped")
        elif gate == "tests":
            words.append("red" if rng.random() < (0.5 if failing else 0.12) else "pass")
        else:
            objects = [rng.random() < (0.55 if failing else 0.2) for _ in range(2)]
            rulings = [{"id": 1, "ruling": "upheld", "reason": ""}] if config == "g13adv" else []
            said = tuple(
                {"id": i, "approve": not o, "findings": [], "error": None, "rulings": r}
                for i, o, r in zip("AB", objects, ([], rulings), strict=True)
            )
            words.append("red" if any(objects) else "pass")
    return " ".join(words), said

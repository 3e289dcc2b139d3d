"""The shipped suite's oracle strength, measured anew: mutants, further implementations, repeats."""

import sys
import tempfile
import time
from pathlib import Path

import anyio

from gatebench.checks.strength import REPEATS, Asked, Strength, measure
from gatebench.cli import place
from gatebench.trial.bench import Means
from proof.registry import Record, battery

LEAST_WRONG, LEAST_RIGHT = 15, 3
_HEADER = (
    "task",
    "mutants",
    "killed",
    "raw score",
    "without equivalents",
    "survivors",
    "wrong",
    "right",
    "repeats, under load",
    "verdict",
)


def _troubles(strength: Strength) -> tuple[str, ...]:
    few = []
    if strength.variants.wrong < LEAST_WRONG or strength.variants.right < LEAST_RIGHT:
        few.append(f"fewer than {LEAST_WRONG} wrong and {LEAST_RIGHT} right implementations")
    return (*strength.problems, *few)


def _tell(strength: Strength) -> None:
    sys.stdout.write(f"{strength.task}: {strength.seconds:.0f} s {_troubles(strength) or 'ok'}\n")
    sys.stdout.flush()


def _row(strength: Strength) -> tuple[str, ...]:
    mutation, troubles = strength.mutation, _troubles(strength)
    kinds = [f"{n} {kind.replace('_', ' ')}" for kind, n in sorted(mutation.kinds.items())]
    return (
        strength.task,
        str(mutation.mutants),
        str(mutation.killed),
        f"{mutation.raw:.3f}",
        f"{mutation.without_equivalents:.3f}",
        ", ".join(kinds) or "none",
        str(strength.variants.wrong),
        str(strength.variants.right),
        f"{strength.repeats.times}, {strength.repeats.under_load}",
        "; ".join(troubles) or "as it must be",
    )


@battery("strength", "mutants, wrong and right implementations, shuffled repeats of every task")
def strength() -> Record:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="proof-") as scratch:
        means = Means(place.cache(), place.search_path(), roles=False)
        found = anyio.run(measure, Asked("tinydb", means, Path(scratch)), _tell)
    mutants = sum(s.mutation.mutants for s in found)
    killed = sum(s.mutation.killed for s in found)
    judged = sum(s.variants.wrong + s.variants.right for s in found)
    return Record(
        title="Strength of the hidden tests",
        header=_HEADER,
        rows=tuple(_row(s) for s in found),
        ok=not any(_troubles(s) for s in found),
        seconds=time.monotonic() - began,
        notes=(
            f"{killed} of {mutants} mutants of the references killed.",
            f"{judged} further implementations judged.",
            f"{REPEATS} repeats of each reference in other orders, half of them under load.",
            "docs/strength.md lists every survivor with its class and reason.",
        ),
    )

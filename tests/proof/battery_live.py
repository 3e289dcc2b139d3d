"""A matrix of the real agent against a provider that fails: whose count is right, who is blamed."""

import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from front import Front
from provider import Fault, sometimes
from provider.paid import shop
from provider.test_failures import TOKENS

from gatebench.cli import place
from proof.registry import Record, battery

RATE = 0.06
PATIENCE_S = 1_800.0
ARGS = ("--reps", "2", "--jobs", "3")
FAULTS = (
    Fault.TOO_MANY,
    Fault.TOO_MANY_LATER,
    Fault.OVERLOADED,
    Fault.BROKEN,
    Fault.RESET,
    Fault.CUT,
    Fault.CUT_EARLY,
    Fault.MALFORMED_EARLY,
    Fault.OVERLOADED_EVENT,
    Fault.ECHO_PIECES,
)
UNTOLD = frozenset((Fault.CUT,))
"""What the provider charges for and never tells."""


@battery("live", "fifty trials at a failing provider: its own count of tokens, nobody blamed")
def live() -> Record:
    return measured(ARGS)


def measured(args: tuple[str, ...]) -> Record:
    """The battery with other arguments: a smaller matrix, say."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        front = Front(Path(scratch), place.cache(), patience_s=PATIENCE_S)
        with shop(front, sometimes(7, RATE, FAULTS)) as here:
            job = here.run(Path(scratch, "job"), *args)
        counted = _counted(job.journal)
        lost = sum(s.usage["output_tokens"] - 1 for s in here.provider.served if s.fault in UNTOLD)
        rows = [
            (
                name,
                str(counted[name]),
                str(here.provider.total(name)),
                _same(name, counted, here, lost),
            )
            for name in TOKENS
        ]
        scores = [t.score for t in job.trials]
        status = Counter(s["status"] for s in scores)
        errors = sum(s["reviewer_errors"] or 0 for s in scores)
        failures = Counter(s.fault.value for s in here.provider.served if s.fault)
        rows += [
            ("trials ok", str(status["ok"]), str(len(scores)), _word(status["ok"] == len(scores))),
            ("reviewers blamed", str(errors), "0", _word(not errors)),
            ("failures injected", str(sum(failures.values())), json.dumps(failures), ""),
        ]
    return Record(
        title="A matrix at a failing provider",
        header=("what", "ours", "the provider's", ""),
        rows=tuple(rows),
        ok=all(row[3] != "NO" for row in rows),
        seconds=time.monotonic() - began,
    )


def _counted(journal: list[dict[str, Any]]) -> Counter[str]:
    """Tokens of all calls of all attempts, those of broken tries included."""
    found = Counter[str]()
    for call in (e for e in journal if e["event"] == "call"):
        for usage in (call["usage"], *(a["usage"] for a in call["attempts"])):
            found.update({n: usage[n] or 0 for n in TOKENS})
    return found


def _same(name: str, counted: Counter[str], here: Any, lost: int) -> str:
    """Equal, but for what a cut stream never told."""
    untold = lost if name == "output_tokens" else 0
    return _word(counted[name] + untold == here.provider.total(name))


def _word(fine: bool) -> str:  # noqa: FBT001  # one of two words
    return "yes" if fine else "NO"

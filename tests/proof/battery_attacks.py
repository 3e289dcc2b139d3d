"""The attacks, as a table."""

import sys
import time

from attacks.arena import Outcome
from attacks.catalogue import ATTACKS, stage

from gatebench.cli import place
from proof.registry import Record, battery

_NOTE = (
    "Each row is a real trial of T1; its agent is a stub that really does it, in the sandbox. Its "
    "code holds R1 and R3 unless the row says otherwise. After each, no process and no file of it "
    "was left outside its record."
)


def _tell(outcome: Outcome) -> None:
    word = "FAIL" if outcome.trouble else "ok"
    sys.stdout.write(f"{word:<5}{outcome.attack.name} | {outcome.observed} {outcome.trouble}\n")
    sys.stdout.flush()


@battery("attacks", "what an adversarial agent gains: nothing")
def attacks() -> Record:
    began = time.monotonic()
    outcomes = stage(ATTACKS, place.cache(), _tell)
    rows = tuple(
        (
            str(number),
            o.attack.name,
            f"{' '.join(o.attack.deserves) or 'nothing'} pass; {o.attack.expected}",
            o.observed,
            f"FAIL: {o.trouble}" if o.trouble else "as expected",
        )
        for number, o in enumerate(outcomes, 1)
    )
    good = sum(not o.trouble for o in outcomes)
    return Record(
        title="Attacks from inside",
        header=("#", "attack", "expected", "observed", "verdict"),
        rows=rows,
        ok=good == len(ATTACKS),
        seconds=time.monotonic() - began,
        notes=(f"{good} of {len(ATTACKS)} as expected.", _NOTE),
    )

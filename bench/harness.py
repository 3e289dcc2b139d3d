"""What the harness adds: each figure against a floor that is measured in the same run.

    ./dev bench [a] [b] [c] [d] [e]

(a) 60 trials of ``nop`` on ``bare --no-cache`` against a shell loop that does only the unavoidable
    (copy, one commit, the same tests under plain pytest, same environment, same parallelism)
(b) what the agent waits at a stop beyond an empty hook, oracle only
(c) snapshot to stored verdict, against a bare cold ``python -I -m pytest`` of the same file
(d) 1,000 ``nop`` trials with cached verdicts: the harness's own processor time and memory, at 4 and
    at 16 jobs
(e) ``analyze`` at 100, 1,000 and 10,000 trials

Without a letter all of them, some ten minutes on two quiet cores. Exit code 1 where a bound is not
held.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from against_floor import against_floor
from analyzing import analyzing
from at_a_stop import at_a_stop
from figure import Figure
from of_itself import of_itself
from verdicts import verdicts

PARTS: dict[str, Callable[[Path], list[Figure]]] = {
    "a": lambda scratch: against_floor(60, scratch),
    "b": lambda scratch: at_a_stop(20, scratch),
    "c": lambda scratch: verdicts(15, scratch),
    "d": lambda scratch: of_itself(1_000, scratch),
    "e": analyzing,
}


def main() -> int:
    """Print every figure that was asked for."""
    asked = sys.argv[1:] or list(PARTS)
    if unknown := set(asked) - set(PARTS):
        raise SystemExit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}.")
    scratch = Path(tempfile.mkdtemp(prefix="bench-"))
    held = True
    try:
        for part in asked:
            for figure in PARTS[part](scratch):
                print(figure.line(), flush=True)
                held &= figure.held is not False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())

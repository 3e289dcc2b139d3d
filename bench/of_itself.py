"""(d): the harness's own processor time and memory per trial, with cached verdicts."""

import subprocess
import sys
from pathlib import Path

from figure import Figure

BOUND_MS = 50.0
BOUND_MB = 300.0
LANES = (4, 16)
PROGRAM = """
import atexit, resource, sys
def told():
    own, below = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    times = [u.ru_utime + u.ru_stime for u in (own, below)]
    # Not ru_maxrss: that is the parent's from before the exec, where it was more.
    lines = open("/proc/self/status").read().splitlines()
    peak = next(line.split()[1] for line in lines if line.startswith("VmHWM:"))
    print(*times, peak, file=sys.stderr)
atexit.register(told)
from gatebench.cli.main import main
main()
"""
"""The program, which tells what it took when it ends."""


def of_itself(trials: int, scratch: Path) -> list[Figure]:
    """Its own times, start and end included; those of its children apart."""
    return [figure for lanes in LANES for figure in _at(lanes, trials, scratch)]


def _at(lanes: int, trials: int, scratch: Path) -> list[Figure]:
    fixed = ("T1", "--agent", "nop", "--configs", "bare", "--jobs", str(lanes))
    where = ("--reps", str(trials), "--out", str(scratch / f"d{lanes}"))
    argv = (sys.executable, "-c", PROGRAM, "run", *fixed, *where)
    done = subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    own, children, peak = map(float, done.stderr.decode().split()[-3:])
    how = f"{trials} nop trials; {children / trials * 1000:.0f} ms of its children's"
    name = f"at {lanes} jobs"
    return [
        Figure(
            "d", f"own processor time per trial {name}", own / trials * 1000, "ms", BOUND_MS, how
        ),
        Figure("d", f"own memory at most {name}", peak / 1024, "MB", BOUND_MB, how),
    ]

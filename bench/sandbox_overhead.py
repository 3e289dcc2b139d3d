"""What the sandbox costs per command: the same command bare and shut in, in turns, in one run.

    python bench/sandbox_overhead.py [ROUNDS]

Both ways go through the same code of ours; what differs is bwrap. Prints the median and the tenth
and ninetieth percentile of each in milliseconds, the difference, and the ratio. On a busy machine
both are slower; the ratio and the difference of the medians are what counts.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio

from gatebench.sandbox import Bind, Command, Limits, Sandbox, open_sandbox, probe

ROUNDS = 100
WARM = 5
"""The first ones fill caches."""
LIMIT_MS = 15.0
TRUE = "/bin/true"


def command(work: Path, argv: tuple[str, ...], sandbox: Sandbox) -> Command:
    """A command with a bind, as all of ours have."""
    bind = Bind(work, "/home/dev/project", writable=True)
    where = sandbox.inside(bind)
    return Command(argv, Limits(wall_s=60), (bind,), {"PATH": "/usr/bin:/bin"}, cwd=where)


async def once(sandbox: Sandbox, what: Command) -> float:
    """Milliseconds of one run."""
    began = time.perf_counter()
    done = await sandbox.run(what)
    took = (time.perf_counter() - began) * 1000
    if done.exit_code != 0:
        raise SystemExit(f"{what.argv} failed: {done.stderr.decode(errors='replace')}")
    return took


async def measure(rounds: int, work: Path) -> dict[str, list[float]]:
    """Times of both ways, taken in turns so that load falls on both alike."""
    ways: dict[str, Sandbox] = {"bare": open_sandbox("none"), "bwrap": open_sandbox("bwrap")}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + WARM):
        for name, sandbox in ways.items():
            took = await once(sandbox, command(work, (TRUE,), sandbox))
            if turn >= WARM:
                times[name].append(took)
    return times


def show(times: dict[str, list[float]]) -> float:
    """Print the figures; gives the difference of the medians."""
    for name, values in times.items():
        tenths = statistics.quantiles(values, n=10)
        median = statistics.median(values)
        print(f"{name:<6} median {median:6.2f} ms   10 % {tenths[0]:6.2f}   90 % {tenths[-1]:6.2f}")
    bare, shut = (statistics.median(times[name]) for name in ("bare", "bwrap"))
    print(f"overhead {shut - bare:.2f} ms per command, ratio {shut / bare:.2f}")
    return shut - bare


def main() -> int:
    """Exit code 1 where the overhead is above its bound."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    found = probe()
    print(f"bwrap {found.version}, as {found.identity}; {rounds} rounds of {TRUE} each")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "w")
        work.mkdir()
        Path(folder).chmod(0o711)
        over = show(anyio.run(measure, rounds, work))
    print(f"bound {LIMIT_MS:.0f} ms: {'held' if over < LIMIT_MS else 'BROKEN'}")
    return 0 if over < LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())

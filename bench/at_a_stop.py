"""(b): what the agent waits at a stop beyond an empty hook, where only the oracle looks.

The real command-line agent is run by the program itself, in turn with the hook as it is and with a
hook that does nothing. Its gate never blocks and looks at nothing: what is left is the snapshot,
the record, and the oracle beside it. What counts is the time from the agent's word that its Stop
hook has begun to its word that it has ended.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

from figure import Figure

BOUND_MS = 30.0
MATRIX = """
name = "waits"
tasks = ["T1"]
[configs.silent]
gates = ["random-block"]
settings.random-block.rate = 0.0
"""
PROGRAM = """
import json, sys, time
from gatebench.agents.stream import HookResponse, HookStarted
from gatebench.hook import server, settings
empty, took, began = sys.argv.pop(1) == "empty", [], {}
feed, written = server.StopServer.feed, settings.hook_settings
async def timed(self, event):
    if isinstance(event, HookResponse) and event.event == "Stop":
        took.append((time.perf_counter() - began[event.hook_id]) * 1000)
    elif isinstance(event, HookStarted) and event.event == "Stop":
        began[event.hook_id] = time.perf_counter()
    await feed(self, event)
server.StopServer.feed = timed
if empty:
    settings.hook_settings = lambda command: written("exit 0")
from gatebench.cli.main import main
try:
    main()
finally:
    print(json.dumps(took), file=sys.stderr)
"""


def waits(kind: str, trials: int, out: Path) -> list[float]:
    """Milliseconds of each stop of so many trials, one after another."""
    matrix = out.with_suffix(".toml")
    matrix.write_text(MATRIX)
    fixed = (str(matrix), "--jobs", "1", "--reps", str(trials), "--out", str(out))
    argv = (sys.executable, "-c", PROGRAM, kind, "run", *fixed)
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    took: list[float] = json.loads(done.stderr.splitlines()[-1])
    if len(took) < trials:
        raise SystemExit(f"{len(took)} stops in {trials} trials:\n{done.stdout}{done.stderr}")
    return took


def at_a_stop(trials: int, scratch: Path) -> list[Figure]:
    """The median wait over the median of an empty hook."""
    found: dict[str, list[float]] = {"ours": [], "empty": []}
    rounds = max(1, trials // 5)
    for number in range(rounds):
        for kind, times in found.items():
            times.extend(waits(kind, -(-trials // rounds), scratch / f"b-{kind}-{number}"))
    ours, empty = (statistics.median(found[kind]) for kind in ("ours", "empty"))
    how = f"{len(found['ours'])} stops: median {ours:.1f} ms, with an empty hook {empty:.1f} ms"
    return [Figure("b", "wait at a stop beyond an empty hook", ours - empty, "ms", BOUND_MS, how)]

"""What an agent waits at a stop, with pytest started beforehand and without.

    python bench/stops.py [lanes] [reps] [rounds]

The program itself on T1 with the behaviour tests as its gate (`g1`), nothing taken from equal
trees, in turns: never a process that waits, always one, and as it decides by itself. Prints the
medians of the stops' time and of the jobs'.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

START = "from gatebench.cli.main import main; main()"
DECIDES = "from gatebench.trial import standby; standby.idle = lambda: "
WAYS = {"never": f"{DECIDES} False; ", "always": f"{DECIDES} True; ", "by itself": ""}
DEFAULTS = ("1", "2", "3")


def stops_of(job: Path) -> list[float]:
    """Seconds of every stop of a job."""
    lines = [line for path in job.rglob("gate.jsonl") for line in path.read_text().splitlines()]
    return [stop["wall_s"] for stop in map(json.loads, lines) if stop["wall_s"] is not None]


def run(way: str, lanes: int, reps: int) -> tuple[float, list[float]]:
    """Wall time of one job, and of its stops."""
    scratch = Path(tempfile.mkdtemp(prefix="bench-"))
    what = ("T1", "--configs", "g1", "--reps", str(reps), "--jobs", str(lanes), "--no-cache")
    argv = (sys.executable, "-c", WAYS[way] + START, "run", *what, "--out", str(scratch / "j"))
    began = time.monotonic()
    try:
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - began, stops_of(scratch / "j")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main() -> None:
    """Run them in turns and print what came of it."""
    lanes, reps, rounds = (
        int(word) for word in (sys.argv[1:] + ["1", "2", "3"][len(sys.argv) - 1 :])
    )
    walls: dict[str, list[float]] = defaultdict(list)
    stops: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for way in WAYS:
            wall, waited = run(way, lanes, reps)
            walls[way].append(wall)
            stops[way] += waited
    never = statistics.median(stops["never"])
    for way, waited in stops.items():
        median = statistics.median(waited)
        print(
            f"{way:<10} {median:.2f} s a stop ({len(waited)} stops), ratio {median / never:.2f}; "
            f"{statistics.median(walls[way]):.1f} s a job of {reps} trials at {lanes} lanes"
        )


if __name__ == "__main__":
    main()

"""A matrix killed at random instants and resumed each time ends like one that was left alone.

Row F5 of the cases.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from family import birth, descendants, survivors
from front import Front, without_times

from gatebench.cli import place
from gatebench.model.faults import fault
from gatebench.store.journal import read_lines
from proof.registry import Record, battery


@dataclass(frozen=True)
class Battering:
    """What is killed, how often and when."""

    args: tuple[str, ...]
    kills: int
    latest_s: float
    """A kill comes this long after a start at the latest; whole trials end before that."""


WHOLE = Battering(
    ("T1", "T5", "--configs", "bare,g1,g13", "--reps", "2", "--seed", "3"), kills=50, latest_s=8.0
)
QUICK = Battering(("T1", "T4", "--configs", "bare", "--reps", "6"), kills=8, latest_s=3.0)
SETTLE_S = 10.0
"""How long what was killed may take to be gone."""
SEED = 20261130


@dataclass
class Chaos:
    """One battered job."""

    front: Front
    how: Battering
    out: Path
    draw: random.Random
    kills: int = 0
    runs: int = 0
    stray: list[str] = field(default_factory=list)

    def batter(self, kills: int) -> None:
        """Start, kill at a random instant, start again, until so many kills or the job is done."""
        while self.kills < kills:
            process = self.front.start("run", *self.how.args, "--out", self.out)
            self.runs += 1
            if self._killed(process):
                self.kills += 1
                continue
            assert process.returncode == 0, "a resumed run failed"
            return

    def _killed(self, process: "subprocess.Popen[str]") -> bool:
        try:
            process.communicate(timeout=self.draw.uniform(0.5, self.how.latest_s))
        except subprocess.TimeoutExpired:
            family = {pid: birth(pid) for pid in descendants(process.pid)}
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self._wait_for(family)
            return True
        return False

    def _wait_for(self, family: dict[int, str | None]) -> None:
        until = time.monotonic() + SETTLE_S
        while (left := survivors(family)) and time.monotonic() < until:
            time.sleep(0.05)
        self.stray += [f"process {pid} was still there after a kill" for pid in left]


def run_chaos(how: Battering, front: Front, scratch: Path) -> Record:
    """Batter a job, finish it, and compare it with one that nobody touched."""
    began = time.monotonic()
    calm = front("run", *how.args, "--out", scratch / "calm")
    assert calm.returncode == 0, calm.stdout + calm.stderr
    rounds, total, stray, wrong = 0, 0, [], []
    draw = random.Random(SEED)  # noqa: S311  # instants, not secrets
    while total < how.kills:
        rounds += 1
        chaos = Chaos(front, how, scratch / f"battered-{rounds}", draw)
        chaos.batter(how.kills - total)
        total += chaos.kills
        last = front("run", *how.args, "--out", chaos.out)
        wrong += [last.stderr] if last.returncode else []
        stray += chaos.stray
        wrong += list(compare(scratch / "calm", chaos.out))
        sys.stdout.write(f"{total} kills, {rounds} jobs, {len(wrong) + len(stray)} deviations\n")
        sys.stdout.flush()
    return Record(
        title="Chaos",
        header=("what", "figure"),
        rows=(
            ("kills of the whole process group", str(total)),
            ("jobs of 12 trials brought to their end", str(rounds)),
            ("deviations from the undisturbed job", str(len(wrong))),
            ("processes left after a kill", str(len(stray))),
        ),
        ok=not wrong and not stray,
        seconds=time.monotonic() - began,
        notes=tuple([*wrong, *stray][:10]),
    )


def compare(calm: Path, battered: Path) -> list[str]:
    """Where a battered job differs from the calm one, in what must be the same."""
    problems: list[str] = []
    names = (calm / "matrix.txt").read_text().split()
    for name in names:
        one, other = (_score(job / name) for job in (calm, battered))
        other["attempt"] = one["attempt"]
        if without_times(one) != without_times(other):
            keys = [k for k in one if one[k] != other.get(k) and not k.endswith("wall_s")]
            problems.append(f"{name}: {', '.join(keys)} differ")
    done = [e for e in lines_of(battered) if e["event"] == "scored" and fault(e["status"]).valid]
    scored = Counter(e["trial"] for e in done)
    # The event follows the score; a kill between the two leaves the score alone.
    return problems + [f"{name}: scored {n} times" for name, n in scored.items() if n > 1]


def _score(trial: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((trial / "score.json").read_bytes())
    return found


def lines_of(job: Path) -> list[dict[str, str]]:
    """The journal's whole records; a torn line is what a kill leaves."""
    return list(read_lines(job / "journal.jsonl").entries)


@battery("chaos", "a matrix killed fifty times ends like one left alone")
def chaos() -> Record:
    """The whole battery."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch:
        return run_chaos(WHOLE, Front(Path(scratch), place.cache()), Path(scratch))

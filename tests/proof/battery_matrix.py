"""One matrix of 200 trials on the real command-line agent, against the team's true values."""

import subprocess
import sys
import time
from pathlib import Path

from gatebench.model.job import JobData, TrialData
from gatebench.model.task import PromptVariant
from gatebench.stats.analysis import analyze
from gatebench.stats.estimate import Estimate
from gatebench.stats.multiple import PLANNED
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.stats.truth import true_values
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.suites import load_suite
from gatebench.team import load_profile
from proof.battery_truth import estimates
from proof.page import ROOT, origin
from proof.registry import Record, battery

REPS = 8
"""With 5 tasks and 5 configs: 200 trials."""
SEED = "1"
MOST_MISSED = 2
LIMIT_S = 3_000
LOOKED_AT = (
    *(("gain", config) for config in ("g1", "g3", "g13", "g13adv")),
    *(("difference", f"{one} − {other}") for one, other in PLANNED),
    *(("cost difference", f"{one} − {other}") for one, other in PLANNED),
)
"""Chosen beforehand: the planned contrasts in pass rate and in money, and each gain."""


@battery("matrix", "200 trials on the real agent: 12 intervals against true values")
def matrix() -> Record:
    """The whole battery."""
    began = time.monotonic()
    # Kept, so that a battery that was cut goes on; another commit has another job.
    job = ROOT / "jobs" / f"proof-{origin().commit}"
    code = _run(job)
    data = load_job(JobDir(job))
    found = {(name, whose): estimate for name, whose, estimate in estimates(analyze(data))}
    valid = sum(trial.score is not None and trial.score.status == "ok" for trial in data.trials)
    known = _known()
    rows = tuple(_row(key, found[key], known[key]) for key in LOOKED_AT)
    missed = sum(row[-1] != "yes" for row in rows)
    alike = _alike(data)
    return Record(
        title="A matrix on the real agent against true values (SIMULATED team)",
        header=("estimate", "whose", "estimated", "interval", "true value", "held"),
        rows=rows,
        ok=code == 0 and valid == alike == len(data.trials) and missed <= MOST_MISSED,
        seconds=time.monotonic() - began,
        notes=(
            f"{valid} of {len(data.trials)} trials valid; {missed} of {len(rows)} missed.",
            f"{alike} of them are, stop by stop, as the team plays them without processes.",
        ),
    )


def _run(job: Path) -> int:
    program = Path(sys.executable).with_name("gatebench")
    command = (program, "run", "--reps", str(REPS), "--seed", SEED, "--out", job)
    done = subprocess.run(command, cwd=ROOT, timeout=LIMIT_S, check=False)
    return done.returncode


def _known() -> dict[tuple[str, str], float | None]:
    return {(v.name, v.whose): v.value for v in true_values("mixed", _played()).values}


def _played() -> list[SimTask]:
    team = load_profile("mixed")
    tasks = [t for t in load_suite("tinydb").tasks if not t.spare]
    return [SimTask.of(task, team, PromptVariant.TERSE) for task in tasks]


def _alike(data: JobData) -> int:
    """Trials whose every stop is the one that the same seed gives without processes."""
    played = play_job(_played(), reps=REPS, seed=int(SEED))
    stood = {trial.id: _course(trial) for trial in played.trials}
    return sum(_course(trial) == stood[trial.id] for trial in data.trials)


def _course(trial: TrialData) -> list[object]:
    """What failed and what was decided at each stop and in the end."""
    stops = [(s.hidden and s.hidden.failed_reqs, s.decision) for s in trial.stops]
    return [*stops, trial.score and trial.score.failed_reqs]


def _row(key: tuple[str, str], found: Estimate, value: float | None) -> tuple[str, ...]:
    name, whose = key
    if found.interval is None or found.value is None or value is None:
        return name, whose, str(found.value), f"none: {found.reason}", str(value), "no interval"
    low, high = found.interval
    held = "yes" if low <= value <= high else "no"
    return name, whose, f"{found.value:.3f}", f"{low:.3f} … {high:.3f}", f"{value:.3f}", held

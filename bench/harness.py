"""What the harness adds: ratios against a floor measured in the same run.

    python bench/harness.py [trials] [d-trials]

(a) `trials` (60) trials of nop on bare with --no-cache, against a shell loop that does only the
    unavoidable: copy, one commit, the same hidden tests and the library's suite under plain pytest,
    in the same environment, at the same parallelism.
(d) `d-trials` (1000) nop trials with cached verdicts at 4 and at 16 jobs: processor time and memory
    of the harness itself per trial.
(e) analyze at 100, 1,000 and 10,000 trials, made by multiplying a small job's scores.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio

from gatebench.cli import place
from gatebench.model.job import JobData, TrialData
from gatebench.model.trial import TrialId
from gatebench.report.results import results
from gatebench.store.job_dir import JobDir
from gatebench.store.reading import load_job
from gatebench.suites import build_environment, fetch_upstream, load_suite

GATEBENCH = Path(sys.executable).with_name("gatebench")
LANES = 3
FLOOR = """
set -e
work=$(mktemp -d); cp -r {upstream} $work/w; cd $work/w
echo x > note; git add note; git -c user.name=d -c user.email=d@e commit -qm w
export PYTHONDONTWRITEBYTECODE=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
PYTHONPATH=$work/w {python} -m pytest -q -p no:cacheprovider {hidden} >/dev/null 2>&1 || true
{python} -m pytest -q -p no:cacheprovider tests >/dev/null 2>&1 || true
rm -rf $work
"""

OWN = """
import atexit, resource, sys
def told():
    own, below = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    times = [u.ru_utime + u.ru_stime for u in (own, below)]
    print(*times, own.ru_maxrss, file=sys.stderr)
atexit.register(told)
from gatebench.cli.main import main
main()
"""
"""The program, which tells what it took when it ends."""


def run(*args: str) -> float:
    """Seconds of one run of the program."""
    began = time.monotonic()
    subprocess.run([str(GATEBENCH), "run", *args], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


async def floor_script() -> str:
    """The unavoidable, as a shell script for one trial of T1."""
    suite = load_suite("tinydb")
    upstream = await fetch_upstream(suite, place.cache())
    environment = await build_environment(suite, place.cache())
    hidden = suite.root / "hidden" / "test_T1.py"
    python = environment.root / "bin" / "python"
    return FLOOR.format(upstream=upstream, python=python, hidden=hidden)


def against_the_floor(trials: int, scratch: Path) -> None:
    """(a): wall time of so many trials, start-up included, over the shell loop's."""
    script = scratch / "floor.sh"
    script.write_text(anyio.run(floor_script))
    began = time.monotonic()
    loop = f"seq {trials} | xargs -P {LANES} -n 1 sh {script}"
    subprocess.run(["sh", "-c", loop], check=True)
    floor = time.monotonic() - began
    fixed = ("T1", "--agent", "nop", "--configs", "bare", "--no-cache", "--jobs", str(LANES))
    ours = run(*fixed, "--reps", str(trials), "--out", str(scratch / "a"))
    print(f"(a) {trials} nop trials: {ours:.1f} s, floor {floor:.1f} s, ratio {ours / floor:.2f}")


def of_itself(trials: int, lanes: int, scratch: Path) -> None:
    """(d): the harness's own processor time per trial, and its memory; its children's apart."""
    fixed = ("T1", "--agent", "nop", "--configs", "bare", "--jobs", str(lanes))
    where = ("--reps", str(trials), "--out", str(scratch / f"d{lanes}"))
    argv = (sys.executable, "-c", OWN, "run", *fixed, *where)
    done = subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    own, children, peak = map(float, done.stderr.decode().split()[-3:])
    print(
        f"(d) {trials} nop trials at {lanes} jobs: {own / trials * 1000:.0f} ms of its own per "
        f"trial, {children / trials * 1000:.0f} ms of its children, {peak / 1024:.0f} MB at most"
    )


def analyze_at(sizes: tuple[int, ...], job: JobData) -> None:
    """(e): seconds to analyze jobs of growing size."""
    for size in sizes:
        reps = -(-size // (len(job.tasks) * len(job.configs)))
        trials = tuple(
            TrialData(TrialId(t.id.task, t.id.config, rep), t.score, t.stops)
            for rep in range(1, reps + 1)
            for t in job.trials
            if t.id.rep == 1
        )
        bigger = JobData(**{**vars(job), "reps": reps, "trials": trials})
        began = time.monotonic()
        results(bigger)
        print(f"(e) analyze {len(trials)} trials: {time.monotonic() - began:.1f} s")


def main() -> None:
    """Print every figure."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    many = int(sys.argv[2]) if len(sys.argv) > 2 else 1000  # noqa: PLR2004  # the second argument
    scratch = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        against_the_floor(trials, scratch)
        for lanes in (4, 16):
            of_itself(many, lanes, scratch)
        run("T1,T2", "--configs", "bare,g1", "--reps", "1", "--out", str(scratch / "e"))
        analyze_at((100, 1_000, 10_000), load_job(JobDir(scratch / "e")))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"(our own peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)")


if __name__ == "__main__":
    main()

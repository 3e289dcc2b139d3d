"""`simulate`, `plan` and `export` by command."""

import csv
import importlib.util
import json
from pathlib import Path

import pytest
from front import Front

from gatebench.model.matrix import Choice, Lock, Matrix
from gatebench.report.calibration import calibration_markdown, misses
from gatebench.stats.calibrate import Calibration, Measured, TestRow
from gatebench.stats.coverage import EstimateRow
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.store.job_dir import JobDir
from gatebench.suites import load_suite
from gatebench.team import load_profile

USAGE = 2
SMALL = ("--jobs", "50", "--tasks", "4", "--settings", "equal")
KEYS = {
    "name",
    "target",
    "tasks",
    "reps",
    "setting",
    "method",
    "used",
    "coverage",
    "median_width",
}


@pytest.fixture
def here(tmp_path: Path) -> Front:
    return Front(tmp_path, tmp_path / "cache")


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A played job as it lies on disk."""
    tasks = [t for t in load_suite("tinydb").tasks if not t.spare]
    team = load_profile("mixed")
    matrix = Matrix(tasks=tuple(t.id for t in tasks), choice=Choice())
    played = play_job([SimTask.of(t, team, matrix.choice.prompt) for t in tasks])
    home = JobDir(tmp_path / "jobs" / "played")
    home.path.mkdir(parents=True)
    requirements = {t.id: t.requirement_ids for t in tasks}
    home.save_lock(Lock(product="0", matrix=matrix, digests={}, requirements=requirements))
    for trial in played.trials:
        folder = home.trial(trial.id)
        folder.save_stops(trial.stops)
        assert trial.score is not None
        folder.save("score.json", trial.score)
    return home.path


def test_simulate_prints_the_calibration(here: Front) -> None:
    done = here("simulate", *SMALL, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"schema", "estimates", "tests"}
    assert all(set(row) == KEYS for row in found["estimates"])
    assert {row["tasks"] for row in found["estimates"]} == {4}
    assert {row["used"] for row in found["estimates"]} == {True, False}
    assert all(set(row) == {"name", "tasks", "used", "familywise_error"} for row in found["tests"])
    assert "1/1 settings" in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--tasks", "five"), "--tasks"),
        (("--reps", "1"), "--reps"),
        (("--settings", "odd"), "unknown setting 'odd'"),
        (("--truth", "nobody"), "nobody"),
    ],
)
def test_simulate_says_what_it_cannot(args: tuple[str, ...], said: str, here: Front) -> None:
    done = here("simulate", *args)
    assert done.returncode == USAGE
    assert said in done.stderr


def test_plan_without_a_job(here: Front) -> None:
    done = here("plan", "--effect", "20", "--prices", "0.5", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    best = found["recommended"]
    assert best["power"] >= 0.8
    assert best["cost_usd"] == pytest.approx(0.5 * best["trials"])
    assert found["spread"]["source"].startswith("assumed")


def test_plan_from_a_pilot(here: Front, job: Path) -> None:
    done = here("plan", job, "--effect", "10", "--contrast", "g13:g1")
    assert done.returncode == 0, done.stderr
    assert "To see a difference of 10 points between g13 and g1" in done.stdout
    assert "means of the pilot played" in done.stdout
    assert "SIMULATED" in done.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--effect", "0"), "--effect"),
        (("--power", "1.5"), "--power"),
        (("--contrast", "g1"), "--contrast"),
        (("--contrast", "g9:bare"), "unknown config 'g9'"),
        (("--prices", "cheap"), "--prices"),
        (("--prices", "bare=1"), "none for g1"),
    ],
)
def test_plan_says_what_it_cannot(args: tuple[str, ...], said: str, here: Front) -> None:
    done = here("plan", *args)
    assert done.returncode == USAGE
    assert said in done.stderr


def test_export_writes_every_format(here: Front, job: Path) -> None:
    done = here("export", job, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "SIMULATED" in done.stdout
    out = here.cwd / "out"
    with (out / "trials.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 50
    assert json.loads((out / "findings.sarif").read_text())["version"] == "2.1.0"
    assert len(list((out / "ctrf").glob("*.json"))) == 50
    assert len(list((out / "atif").glob("*.json"))) == 50


def test_export_says_what_it_cannot(here: Front, job: Path) -> None:
    done = here("export", job, "--format", "xml")
    assert done.returncode == USAGE
    assert "unknown format 'xml'" in done.stderr
    if importlib.util.find_spec("pyarrow") is None:
        done = here("export", job, "--format", "parquet")
        assert done.returncode == USAGE
        assert "pyarrow" in done.stderr


def row(name: str, coverage: float, setting: str = "equal") -> EstimateRow:
    return EstimateRow(
        name=name,
        target="tasks like these",
        tasks=5,
        reps=2,
        setting=setting,
        method="m",
        used=True,
        coverage=coverage,
        median_width=0.4,
    )


def test_the_page_tells_what_does_not_hold() -> None:
    rows = (
        row("gain", 0.96),
        row("gain", 0.91, "large"),
        row("difference", 0.90),
        row("cost", 0.98),
        row("broken share", 0.99),
    )
    error = TestRow(name="t", tasks=5, used=True, familywise_error=0.2)
    calibration = Calibration(estimates=rows, tests=(error,))
    told = misses(calibration, 1000)
    assert [line.split(",")[0] for line in told] == ["difference", "cost", "t"]
    page = calibration_markdown(Measured(calibration, (), 1000, 1.0))
    assert "- **gain**, setting `large`, 5 × 2: 91.0 %" in page
    assert "- **difference**" in page
    assert "| t | yes | 20.0 % |" in page

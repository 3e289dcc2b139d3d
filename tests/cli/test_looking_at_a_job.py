"""`ls`, `show`, `analyze`, `rescore` and `clean`, on jobs that were really run."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from front import Front, Job, Trial, complaint, digest, equal_but_for_times, run_job

from gatebench.report.results import Results

ROOT = Path(__file__).parent.parent.parent
POCKET = ("--configs", "bare", "--reps", "1", "--agent", "nop")


@pytest.fixture(scope="module")
def shelf(careless: Job, nop: Job, tmp_path_factory: pytest.TempPathFactory) -> Front:
    """A directory with both jobs below ``jobs/``."""
    home = tmp_path_factory.mktemp("shelf")
    for job in (nop, careless):
        shutil.copytree(job.path, home / "jobs" / job.path.name)
    return Front(home, careless.front.cache)


def test_jobs_are_listed(shelf: Front) -> None:
    done = shelf("ls")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["careless", "4/4", "0", "SIMULATED"] in rows
    assert ["nop", "2/2", "0", "SIMULATED"] in rows


def test_jobs_are_listed_for_programs(shelf: Front) -> None:
    found = json.loads(shelf("ls", "--json").stdout)
    assert {(job["name"], job["done"], job["planned"]) for job in found} == {
        ("careless", 4, 4),
        ("nop", 2, 2),
    }
    assert all(job["simulated"] is True for job in found)


def test_a_job_is_shown_with_a_line_for_each_trial(shelf: Front, careless: Job) -> None:
    done = shelf("show", "careless")
    assert done.returncode == 0
    assert "SIMULATED" in done.stdout
    for trial in careless.trials:
        assert re.search(rf"^{trial.path.name} +ok, hidden \d/5", done.stdout, re.MULTILINE)


def test_a_job_is_shown_for_programs(shelf: Front, careless: Job) -> None:
    found = json.loads(shelf("show", "careless", "--json").stdout)
    assert found["simulated"] is True
    assert found["trials"] == {trial.path.name: trial.score for trial in careless.trials}


def test_a_trial_is_shown_stop_by_stop(shelf: Front) -> None:
    done = shelf("show", "careless", "T1-g1-r1")
    assert done.returncode == 0
    order = ["SIMULATED", "stop 1: block", "failing: R2, R4, R5", "told the agent", "stop 2: allow"]
    places = [done.stdout.index(words) for words in order]
    assert places == sorted(places)
    assert "right_block" in done.stdout or "right block" in done.stdout
    assert "def push" in done.stdout


def test_a_bare_trial_shows_its_work(shelf: Front) -> None:
    assert "def push" in shelf("show", "careless", "T1-bare-r1").stdout


def test_a_trial_is_shown_for_programs(shelf: Front, careless: Job) -> None:
    found = json.loads(shelf("show", "careless", "T1-g3-r1", "--json").stdout)
    trial = careless.trial("T1-g3-r1")
    assert found == {"score": trial.score, "stops": trial.stops}


def test_a_trial_that_is_not_there_is_named_with_those_that_are(shelf: Front) -> None:
    assert "T1-g13adv-r1" in complaint(shelf("show", "careless", "T5-g1-r1"), 2)
    assert "T1-g13-r1" in complaint(shelf("show", "careless", "stop5"), 2)


@pytest.fixture(scope="module")
def analyzed(shelf: Front) -> Path:
    done = shelf("analyze", "careless")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("SIMULATED")
    return shelf.cwd / "jobs" / "careless"


def test_results_have_the_documented_shape(analyzed: Path) -> None:
    text = (analyzed / "results.json").read_text()
    Results.model_validate_json(text)
    found = json.loads(text)
    assert (found["kind"], found["simulated"], len(found["questions"])) == (
        "gatebench-results",
        True,
        5,
    )
    page = (ROOT / "docs" / "reading-results.md").read_text()
    page = page[page.index("## `results.json`") :]
    assert [key for key in found if f"`{key}`" not in page] == []


def test_every_estimate_says_how_it_was_made(analyzed: Path) -> None:
    found = list(_estimates(json.loads((analyzed / "results.json").read_bytes())))
    assert len(found) > 10
    for estimate in found:
        assert {"value", "n", "interval", "method"} <= set(estimate)
        assert estimate["interval"] is not None or estimate["reason"]


def _estimates(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "value" in value:
            yield value
        for inner in value.values():
            yield from _estimates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _estimates(inner)


def test_reports_are_marked_and_whole(analyzed: Path) -> None:
    markdown = (analyzed / "results.md").read_text()
    page = (analyzed / "report.html").read_text()
    for text in (markdown, page):
        assert "SIMULATED" in text
        assert "g13adv" in text
    assert page.rstrip().endswith("</html>")
    assert not re.search(r"(src|href)=\"https?:", page)


def test_analyze_prints_results_for_programs(shelf: Front, analyzed: Path) -> None:
    assert shelf("analyze", "careless", "--json").stdout == (analyzed / "results.json").read_text()


def test_rescoring_changes_nothing_where_nothing_changed(nop: Job, tmp_path: Path) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "nop"))
    done = nop.front("rescore", path)
    assert done.returncode == 0, done.stderr
    assert "2 trials judged again, 0 changed." in done.stdout
    for name in ("T1-bare-r1", "T1-g1-r1"):
        assert Trial(path / name).score == nop.trial(name).score
        assert Trial(path / name / "rescored" / "1").score == nop.trial(name).score
    assert Trial(path / "T1-g1-r1").stops == nop.trial("T1-g1-r1").stops


def test_rescoring_under_other_hidden_tests_changes_the_verdict(front: Front, pocket: Path) -> None:
    job = run_job(front, pocket.parent / "job", str(pocket), *POCKET)
    trial = job.trial("T1-bare-r1")
    before = trial.score
    assert (before["hidden_pass"], before["failed_reqs"]) == (0, ["R1", "R2"])
    blunt(pocket)
    done = front("rescore", job.path)
    assert done.returncode == 0, done.stderr
    assert "T1-bare-r1: hidden 0 (failing: R1, R2) -> hidden 1 (failing: R1)" in done.stdout
    assert (trial.score["hidden_pass"], trial.score["failed_reqs"]) == (1, ["R1"])
    assert Trial(trial.path / "rescored" / "1").score == before
    again = job.again()
    assert again.returncode == 0, again.stderr
    assert equal_but_for_times(trial.score, Trial(trial.path).score)


def blunt(suite: Path) -> None:
    file = suite / "hidden/test_T1.py"
    text = file.read_text()
    assert '    assert mean([]) == "null"' in text
    file.write_text(text.replace('    assert mean([]) == "null"', "    assert True"))


def test_changed_hidden_tests_are_noticed_by_the_lock(front: Front, pocket: Path) -> None:
    """Row F4 of the cases."""
    job = run_job(front, pocket.parent / "job", str(pocket), *POCKET)
    blunt(pocket)
    before = digest(job.path)
    assert "hidden" in complaint(job.again(), 1)
    assert digest(job.path) == before


def test_clean_says_what_goes_and_deletes_it(careless: Job, nop: Job, tmp_path: Path) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "jobs" / "old"))
    front = Front(tmp_path, careless.front.cache)
    refused = front("clean", "old")
    assert refused.returncode == 1
    assert path.exists()
    done = front("clean", "old", "--yes")
    assert done.returncode == 0
    assert "jobs/old" in done.stdout
    assert not path.exists()


def test_a_dry_run_shows_the_plan_and_runs_nothing(front: Front, tmp_path: Path) -> None:
    place = Front(tmp_path, front.cache)
    done = place("run", "--dry-run")
    assert done.returncode == 0
    assert "50 trials" in done.stdout
    assert "T5-g13adv-r2" in done.stdout
    assert "SIMULATED" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_tagged_trial_stays_out_of_the_table(nop: Job, tmp_path: Path) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "nop"))
    args = ("run", "T1", "--configs", "bare", "--reps", "1", "--agent", "nop", "--tag", "try")
    done = nop.front(*args, "--out", path)
    assert done.returncode == 0, done.stderr
    assert (path / "T1-bare-r1-try" / "score.json").exists()
    assert set(json.loads(nop.front("show", path, "--json").stdout)["trials"]) == {
        "T1-bare-r1",
        "T1-g1-r1",
    }

"""The same command goes on where it was; more extends; anything else is refused.

Rows F1, F3 of the cases.
"""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from front import Job, complaint, digest, lines, table

LOOK, USAGE = 1, 2


def copy(job: Job, home: Path) -> Job:
    """The job in another place under the same name."""
    path = Path(shutil.copytree(job.path, home / job.path.name))
    return Job(job.front, job.args, path, job.done)


def attempts(job: Job) -> Counter[str]:
    """Scores that were filed, by trial."""
    return Counter(e["trial"] for e in job.journal if e["event"] == "scored")


def test_a_job_prints_its_table_marked_simulated(careless: Job) -> None:
    said = table(careless.done.stdout)
    for config, hidden in (("bare", "2/5"), ("g1", "5/5"), ("g3", "5/5"), ("g13adv", "5/5")):
        (row,) = (line for line in said.splitlines() if line.split()[:1] == [config])
        assert hidden in row.split()
    assert "[4/4]" in careless.done.stdout
    assert "Next: gatebench analyze" in careless.done.stdout


def test_the_order_of_trials_is_written_down(careless: Job) -> None:
    names = (careless.path / "matrix.txt").read_text().split()
    assert names == ["T1-bare-r1", "T1-g1-r1", "T1-g3-r1", "T1-g13adv-r1"]
    starts = [line.split()[2] for line in _log(careless) if line.split()[1] == "start"]
    assert starts == names


def test_the_log_has_a_line_at_start_and_end_of_each(careless: Job) -> None:
    said = Counter(tuple(line.split()[1:3]) for line in _log(careless))
    names = (careless.path / "matrix.txt").read_text().split()
    assert said == Counter((word, name) for name in names for word in ("start", "end"))


def _log(job: Job) -> list[str]:
    return (job.path / "matrix.log").read_text().splitlines()


def test_the_lock_says_what_the_job_is_made_of(careless: Job) -> None:
    lock = json.loads((careless.path / "lock.json").read_bytes())
    assert lock["matrix"]["tasks"] == ["T1"]
    assert [c["name"] for c in lock["matrix"]["configs"]] == ["bare", "g1", "g3", "g13adv"]
    assert {"suite", "hidden", "environment", "agent", "profile"} <= set(lock["digests"])


def test_the_same_command_runs_nothing_and_prints_the_same_table(
    careless: Job, tmp_path: Path
) -> None:
    job = copy(careless, tmp_path)
    before = digest(job.path)
    done = job.again()
    assert done.returncode == 0
    assert table(done.stdout) == table(careless.done.stdout)
    assert attempts(job) == dict.fromkeys((job.path / "matrix.txt").read_text().split(), 1)
    changed = {name for name, it in digest(job.path).items() if before.get(name) != it}
    assert changed == {"journal.jsonl"}
    assert [e["event"] for e in job.journal].count("invoked") == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("--seed", "2"), ("seed", "1", "2")),
        (("--prompt", "explicit"), ("prompt", "terse", "explicit")),
        (("--give-up", "3"), ("config.g1", "give_up")),
    ],
)
def test_another_matrix_is_refused_and_nothing_changed(
    change: tuple[str, str], named: tuple[str, ...], nop: Job, tmp_path: Path
) -> None:
    job = copy(nop, tmp_path)
    before = digest(job.path)
    words = complaint(job.again(*change), LOOK)
    assert all(word in words for word in named)
    assert "--out" in words
    assert digest(job.path) == before


def test_on_request_old_trials_are_kept_and_marked(nop: Job, tmp_path: Path) -> None:
    job = copy(nop, tmp_path)
    old = (job.path / "lock.json").read_bytes()
    scores = {t.path.name: t.score for t in job.trials}
    done = job.again("--seed", "2", "--reps", "2", "--configs", "bare", "--keep-old")
    assert done.returncode == 0, done.stderr
    assert "kept: 2 trials were run under lock-1.json: choice.seed: was 1, is 2" in done.stdout
    assert (job.path / "lock-1.json").read_bytes() == old
    assert {name: job.trial(name).score for name in scores} == scores
    assert job.trial("T1-bare-r2").score["seed"] == 2
    # From here on the new command is the job's own; analyze says what is in it.
    assert job.again("--seed", "2", "--reps", "2", "--configs", "bare").returncode == 0
    assert job.front("analyze", job.path).returncode == 0
    said = (job.path / "results.md").read_text()
    assert "2 trials were run under another lock (lock-1.json)" in said


def test_new_and_keep_old_exclude_each_other(nop: Job) -> None:
    assert "--keep-old" in complaint(nop.again("--new", "--keep-old"), USAGE)


def test_a_profile_with_the_same_name_and_other_chances_is_refused(
    careless: Job, tmp_path: Path
) -> None:
    job = copy(careless, tmp_path)
    (tmp_path / "careless.toml").write_text("[worker]\nrefuse = 0.5\n")
    elsewhere = type(careless.front)(tmp_path, careless.front.cache)
    words = complaint(elsewhere("run", *job.args, "--out", job.path), LOOK)
    assert "profile" in words


def test_more_tasks_and_reps_extend_a_job(nop: Job, tmp_path: Path) -> None:
    job = copy(nop, tmp_path)
    args = ("--tasks", "T1,T2", "--configs", "bare", "--reps", "2", "--agent", "nop")
    done = job.front("run", *args, "--out", job.path)
    assert done.returncode == 0, done.stderr
    asked = {f"{task}-bare-r{rep}" for task in ("T1", "T2") for rep in (1, 2)}
    assert attempts(job) == dict.fromkeys(asked | {"T1-g1-r1"}, 1)
    lock = json.loads((job.path / "lock.json").read_bytes())["matrix"]
    assert (lock["tasks"], lock["reps"], len(lock["configs"])) == (["T1", "T2"], 2, 2)


def test_another_config_extends_a_job(refused: Job) -> None:
    assert attempts(refused) == dict.fromkeys(("T1-g1-r1", "T1-patient-r1", "T1-capped-r1"), 1)


def test_a_trial_that_a_fault_of_ours_spoiled_is_run_again(nop: Job, tmp_path: Path) -> None:
    job = copy(nop, tmp_path)
    home = job.path / "T1-bare-r1"
    spoiled = {**job.trial("T1-bare-r1").score, "status": "spawn_failed", "why": "no room."}
    (home / "score.json").write_text(json.dumps(spoiled))
    stream = (home / "stream.jsonl").read_bytes()
    done = job.again()
    assert done.returncode == 0, done.stderr
    score = job.trial("T1-bare-r1").score
    assert (score["status"], score["attempt"]) == ("ok", 2)
    assert json.loads((home / "attempts/1/score.json").read_bytes()) == spoiled
    assert (home / "attempts/1/stream.jsonl").read_bytes() == stream
    assert attempts(job) == {"T1-bare-r1": 2, "T1-g1-r1": 1}


def test_a_torn_journal_is_no_obstacle(nop: Job, tmp_path: Path) -> None:
    job = copy(nop, tmp_path)
    with (job.path / "journal.jsonl").open("a") as file:
        file.write('{"event":"sto')
    assert job.again().returncode == 0
    whole = (job.path / "journal.jsonl").read_text().splitlines()
    assert whole[-2] == '{"event":"sto'
    assert json.loads(whole[-1])["event"] == "invoked"
    assert lines(job.path / "T1-g1-r1" / "gate.jsonl")

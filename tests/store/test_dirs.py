"""Trial and job directories: evidence stays, strangers are refused."""

import multiprocessing
import multiprocessing.synchronize
from pathlib import Path

import pytest

from gatebench.errors import JobBusy, JobMismatch, StoreError
from gatebench.model.trial import TrialId
from gatebench.store.job_dir import JobDir
from gatebench.store.trial_dir import TrialDir


def test_a_new_attempt_keeps_the_old_one_whole(tmp_path: Path) -> None:
    trial = TrialDir(tmp_path / "T1-g1-r1")
    for number in (1, 2, 3):
        trial.begin_attempt()
        assert trial.attempt == number
        trial.write("stream.jsonl", f"attempt {number}")
        trial.write("gate_tests/test_acceptance.py", "x")

    trial.begin_attempt()

    kept = [p.joinpath("stream.jsonl").read_text() for p in trial.past_attempts()]
    assert kept == ["attempt 1", "attempt 2", "attempt 3"]
    assert [p.name for p in trial.path.iterdir()] == ["attempts"]


def test_attempts_are_ordered_by_number(tmp_path: Path) -> None:
    trial = TrialDir(tmp_path / "T1-g1-r1")
    for _ in range(11):
        trial.begin_attempt()
        trial.write("x", "")
    assert [p.name for p in trial.past_attempts()] == [str(n) for n in range(1, 11)]


def _hold(path: Path, holding: multiprocessing.synchronize.Event) -> None:
    with JobDir(path).claimed():
        holding.set()
        multiprocessing.Event().wait(30)


def test_a_second_invocation_is_told_who_holds_the_job(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    holding = context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "job", holding), daemon=True)
    other.start()
    try:
        assert holding.wait(20)
        with (
            pytest.raises(JobBusy, match=f"process {other.pid}"),
            JobDir(tmp_path / "job").claimed(),
        ):
            pass
    finally:
        other.kill()
        other.join()

    with JobDir(tmp_path / "job").claimed():
        assert (tmp_path / "job").is_dir()


def test_a_folder_of_other_things_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(JobMismatch, match="no job"), JobDir(tmp_path).claimed():
        pass

    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_in_the_place_of_a_job_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(JobMismatch, match="no directory"), JobDir(tmp_path / "f").claimed():
        pass


def test_a_score_that_is_none_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    trial = JobDir(tmp_path).trial(TrialId("T1", "g1", 1))
    trial.begin_attempt()
    trial.write("score.json", '{"task": "T1"}')

    with pytest.raises(StoreError, match="move the trial's directory away"):
        trial.score()

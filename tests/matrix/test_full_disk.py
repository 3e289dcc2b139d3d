"""A full disk is waited out and is never a score (row F7 of the cases)."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from front import Front, Job, equal_but_for_times, lines
from small_disk import SmallDisk, small_disk

ARGS = ("T1", "--configs", "bare,g1", "--reps", "1", "--agent", "nop", "--jobs", "1")
LOOK = 1
PATIENCE_S = 120.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "small") as found:
        yield found


def until(there: Callable[[], bool]) -> None:
    """Wait for something that the program does."""
    end = time.monotonic() + PATIENCE_S
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def begun(job: Path) -> bool:
    """Whether the job has been set up, so that what comes now are its trials."""
    return (job / "journal.jsonl").exists() and "invoked" in (job / "journal.jsonl").read_text()


def told(running: "subprocess.Popen[str]", words: str) -> str:
    """What was said up to a line that holds the words."""
    said = ""
    assert running.stdout
    for line in running.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(said)


def filled_on_the_way(disk: SmallDisk, front: Front, out: Path, *args: str) -> tuple[str, int]:
    """Run a job whose disk is full for a while as soon as its trials begin; gives what it said."""
    seen = disk.seen / out.name if out.is_relative_to(disk.mount) else out
    running = front.start("run", *ARGS, *args, "--out", out)
    try:
        until(lambda: begun(seen))
        disk.fill()
        said = told(running, "is full; waits for room")
        disk.empty()
        more, wrong = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
    return said + more + wrong, running.returncode


def scores(job: Path) -> dict[str, dict[str, object]]:
    return {p.parent.name: json.loads(p.read_bytes()) for p in job.glob("T*/score.json")}


def left_half_written(job: Path) -> list[Path]:
    return [p for p in job.rglob(".*") if p.name != ".claim"]


def undisturbed(nop: Job, found: dict[str, dict[str, object]]) -> bool:
    """Whether scores are those of a job that had room, but for the attempts it took."""
    return all(
        equal_but_for_times({**score, "attempt": 1}, nop.trial(name).score)
        for name, score in found.items()
    )


def test_a_full_disk_of_the_job_is_waited_out(disk: SmallDisk, front: Front, nop: Job) -> None:
    said, code = filled_on_the_way(disk, disk.front(front), disk.mount / "job")
    job = disk.seen / "job"
    assert code == 0, said
    assert f"the disk of the job's directory ({disk.mount}/job) is full; waits for room" in said
    found = scores(job)
    assert set(found) == {"T1-bare-r1", "T1-g1-r1"}
    assert undisturbed(nop, found)
    assert left_half_written(job) == []
    # Every line is whole, and so is each line of the log.
    events = lines(job / "journal.jsonl")
    assert [e["event"] for e in events].count("invoked") == 1
    ends = [x.split()[2] for x in (job / "matrix.log").read_text().splitlines() if " end " in x]
    assert sorted(ends) == ["T1-bare-r1", "T1-g1-r1"]
    # What was cut short is kept as evidence that counts for nothing.
    (past,) = job.glob("T1-bare-r1/attempts/1")
    before = json.loads((past / "score.json").read_bytes())
    assert (before["status"], before["hidden_pass"]) == ("disk_full", None)
    assert "full" in before["why"]
    assert found["T1-bare-r1"]["attempt"] == 2


def test_so_is_a_full_disk_of_temporary_files(
    disk: SmallDisk, front: Front, nop: Job, tmp_path: Path
) -> None:
    elsewhere = replace(disk.front(front), extra={"TMPDIR": str(disk.mount)})
    said, code = filled_on_the_way(disk, elsewhere, tmp_path / "job")
    assert code == 0, said
    assert "the disk of temporary files (" in said
    found = scores(tmp_path / "job")
    assert set(found) == {"T1-bare-r1", "T1-g1-r1"}
    assert undisturbed(nop, found)
    again = [e for e in lines(tmp_path / "job/journal.jsonl") if e["event"] == "fault"]
    assert {e["status"] for e in again} == {"disk_full"}


def test_beyond_patience_the_job_ends_and_names_the_disk_and_the_command(
    disk: SmallDisk, front: Front, nop: Job
) -> None:
    inside, job = disk.front(front), disk.mount / "job"
    args = ("run", *ARGS, "--patience", "0.03", "--out", str(job))
    running = inside.start(*args)
    until(lambda: begun(disk.seen / "job"))
    disk.fill()
    said, wrong = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == LOOK, said + wrong
    assert wrong == ""
    words = " ".join(said.split())  # lines are broken where they get long
    assert f"No more trials were started: the disk of the job's directory ({job}) is full." in words
    assert "2 trials left. The same command goes on." in words
    assert f"gatebench {' '.join(args)}" in said
    assert scores(disk.seen / "job") == {}
    disk.empty()
    done = inside(*args)
    assert done.returncode == 0, done.stdout + done.stderr
    assert undisturbed(nop, scores(disk.seen / "job"))


def test_a_job_cant_begin_on_a_full_disk_and_says_so(disk: SmallDisk, front: Front) -> None:
    disk.fill()
    done = disk.front(front)("run", *ARGS, "--out", disk.mount / "job")
    assert done.returncode == LOOK, done.stdout + done.stderr
    assert "No space left on device" in done.stderr
    assert "Make room" in done.stderr
    assert "Traceback" not in done.stderr

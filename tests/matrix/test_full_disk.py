"""A full disk is waited out and is never a score (row F7 of the cases)."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from front import Front, Job, equal_but_for_times, lines
from small_disk import SmallDisk, small_disk

from gatebench.model.faults import fault

ARGS = ("T1", "--reps", "1", "--agent", "nop", "--jobs", "1")
BARE = ("--configs", "bare")
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


def told(running: "subprocess.Popen[str]", words: str) -> str:
    """What was said up to a line that holds the words."""
    said = ""
    assert running.stdout
    for line in running.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(said)


@dataclass(frozen=True)
class Spell:
    """A job whose disk is full for a while, and what it said."""

    disk: SmallDisk
    front: Front
    out: Path
    """As the program sees it."""

    @property
    def job(self) -> Path:
        """As the test sees it."""
        inside = self.out.is_relative_to(self.disk.mount)
        return self.disk.seen / self.out.name if inside else self.out

    def run(self, *args: str, there: str = "journal.jsonl", words: str = "invoked") -> str:
        """Run it; the disk is full from when some file holds some words until it is said."""
        file = self.job / there
        running = self.front.start("run", *ARGS, *args, "--out", self.out)
        try:
            until(lambda: file.exists() and words in file.read_text())
            self.disk.fill()
            said = told(running, "is full; waits for room")
            self.disk.empty()
            more, wrong = running.communicate(timeout=PATIENCE_S)
        finally:
            running.kill()
        assert running.returncode == 0, said + more + wrong
        return said


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
    spell = Spell(disk, disk.front(front), disk.mount / "job")
    said = spell.run("--configs", "bare,g1")
    assert f"the disk of the job's directory ({spell.out}) is full; waits for room" in said
    found = scores(spell.job)
    assert set(found) == {"T1-bare-r1", "T1-g1-r1"}
    assert undisturbed(nop, found)
    assert left_half_written(spell.job) == []
    # Every line is whole, and so is each line of the log.
    events = lines(spell.job / "journal.jsonl")
    assert [e["event"] for e in events].count("invoked") == 1
    log = (spell.job / "matrix.log").read_text().splitlines()
    assert sorted(x.split()[2] for x in log if " end " in x) == ["T1-bare-r1", "T1-g1-r1"]
    # What was cut short is kept as evidence that counts for nothing.
    (past,) = spell.job.glob("T1-bare-r1/attempts/1")
    before = json.loads((past / "score.json").read_bytes())
    assert (before["status"], before["hidden_pass"]) == ("disk_full", None)
    assert found["T1-bare-r1"]["attempt"] == 2


def test_a_trial_whose_agent_had_ended_is_finished_and_not_run_again(
    disk: SmallDisk, front: Front, nop: Job
) -> None:
    spell = Spell(disk, disk.front(front), disk.mount / "job")
    spell.run(*BARE, there="T1-bare-r1/session.json", words="final_tree")
    found = scores(spell.job)
    assert undisturbed(nop, found)
    assert found["T1-bare-r1"]["attempt"] == 1
    assert not (spell.job / "T1-bare-r1/attempts").exists()


@pytest.mark.proof
def test_a_full_disk_of_temporary_files_is_waited_out_too(
    disk: SmallDisk, front: Front, nop: Job, tmp_path: Path
) -> None:
    elsewhere = replace(disk.front(front), extra={"TMPDIR": str(disk.mount)})
    spell = Spell(disk, elsewhere, tmp_path / "job")
    assert "the disk of temporary files (" in spell.run(*BARE)
    assert undisturbed(nop, scores(spell.job))
    faults = [e for e in lines(spell.job / "journal.jsonl") if e["event"] == "fault"]
    assert {e["status"] for e in faults} == {"disk_full"}


@pytest.mark.proof
def test_an_agent_that_fills_the_disk_before_its_limit_makes_no_finding(
    disk: SmallDisk, front: Front, tmp_path: Path
) -> None:
    greedy = tmp_path / "greedy"
    text = '#!/bin/sh\n[ "$1" = --version ] && exec echo "greedy 1"\necho {}\n'
    greedy.write_text(f"{text}cat /dev/zero > big\nexec sleep 60\n")
    greedy.chmod(0o755)
    elsewhere = replace(disk.front(front), extra={"TMPDIR": str(disk.mount)})
    args = ("T1", *BARE, "--reps", "1", "--agent-bin", str(greedy))
    done = elsewhere("run", *args, "--out", tmp_path / "job")
    assert done.returncode == LOOK, done.stdout + done.stderr
    assert "invalid: T1-bare-r1: disk_full" in done.stdout
    assert scores(tmp_path / "job")["T1-bare-r1"]["attempt"] == 1 + fault("disk_full").retries


@pytest.mark.proof
def test_beyond_patience_the_job_ends_and_names_the_disk_and_the_command(
    disk: SmallDisk, front: Front, nop: Job
) -> None:
    inside, job = disk.front(front), disk.mount / "job"
    args = ("run", *ARGS, *BARE, "--patience", "0.03", "--out", str(job))
    running = inside.start(*args)
    journal = disk.seen / "job" / "journal.jsonl"
    until(lambda: journal.exists() and "invoked" in journal.read_text())
    disk.fill()
    said, wrong = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == LOOK, said + wrong
    assert wrong == ""
    words = " ".join(said.split())  # lines are broken where they get long
    assert f"No more trials were started: the disk of the job's directory ({job}) is full." in words
    assert "1 trials left." in words
    assert f"gatebench {' '.join(args)}" in said
    assert scores(disk.seen / "job") == {}
    disk.empty()
    done = inside(*args)
    assert done.returncode == 0, done.stdout + done.stderr
    assert undisturbed(nop, scores(disk.seen / "job"))


def test_a_job_cant_begin_on_a_full_disk_and_says_so(disk: SmallDisk, front: Front) -> None:
    disk.fill()
    done = disk.front(front)("run", *ARGS, *BARE, "--out", disk.mount / "job")
    assert done.returncode == LOOK, done.stdout + done.stderr
    assert "No space left on device" in done.stderr
    assert "Make room" in done.stderr
    assert "Traceback" not in done.stderr

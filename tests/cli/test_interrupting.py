"""Ctrl-C, a kill in mid-run, a second invocation: nothing is lost and nothing stays behind.

Rows F5, F8 of the cases.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from family import birth, descendants, survivors
from front import Front, Job, complaint, lines

ARGS = ("T1", "--configs", "bare,g1", "--reps", "1", "--jobs", "1", "--profile", "careless.toml")
WAIT_S = 120.0


def wait_for(what: str, seen: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not seen():
        assert time.monotonic() < until, f"no {what} within {WAIT_S:.0f} s"
        time.sleep(0.05)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "job"


def begun(
    front: Front, out: Path, trial: str, args: tuple[str, ...] = ARGS
) -> "subprocess.Popen[str]":
    """The job, started, with the agent of one of its trials at work."""
    process = front.start("run", *args, "--out", out)
    stream = out / trial / "stream.jsonl"
    wait_for(f"work in {trial}", lambda: stream.exists() and stream.stat().st_size > 0)
    return process


def test_interrupted_and_killed_it_goes_on(front: Front, out: Path) -> None:
    _interrupt(front, out)
    _kill(front, out)
    done = front("run", *ARGS, "--out", out)
    assert done.returncode == 0, done.stderr
    job = Job(front, ARGS, out, done)
    assert [trial.score["status"] for trial in job.trials] == ["ok", "ok"]
    assert [trial.score["attempt"] for trial in job.trials] == [1, 2]
    assert (out / "T1-g1-r1/attempts/1/stream.jsonl").exists()
    assert lines(out / "journal.jsonl")


def _interrupt(front: Front, out: Path) -> None:
    """Ctrl-C lets the running trial finish; the next one isn't started."""
    process = begun(front, out, "T1-bare-r1")
    os.killpg(process.pid, signal.SIGINT)
    said, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, said + errors
    assert "Finishing the running trials" in errors
    assert "1 trials left" in said
    assert "The same command goes on" in said
    assert "Traceback" not in errors
    job = Job(front, ARGS, out, subprocess.CompletedProcess((), 130))
    assert job.trial("T1-bare-r1").score["status"] == "ok"
    assert not (out / "T1-g1-r1").exists()


def _kill(front: Front, out: Path) -> None:
    """Kill -9 of the whole group in mid-trial; all that it started ends with it."""
    process = begun(front, out, "T1-g1-r1")
    family = {pid: birth(pid) for pid in descendants(process.pid)}
    assert len(family) > 2, "no agent was seen"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=WAIT_S)
    wait_for("end of all that it started", lambda: not survivors(family))
    assert not (out / "T1-g1-r1" / "score.json").exists()


def agent_that(does: str, home: Path) -> tuple[str, ...]:
    """Arguments of a job whose agent does one thing and says nothing."""
    agent = home / "agent"
    agent.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exec echo "mute 1"\necho {{}}\n{does}\n')
    agent.chmod(0o755)
    return ("T1", "--configs", "bare", "--reps", "1", "--agent-bin", str(agent))


def test_a_second_invocation_says_so_and_ctrl_c_twice_stops_at_once(
    front: Front, tmp_path: Path, out: Path
) -> None:
    slow = agent_that("sleep 200", tmp_path)
    process = begun(front, out, "T1-bare-r1", slow)
    words = complaint(front("run", *slow, "--out", out), 1)
    assert "in use by another invocation" in words
    assert str(process.pid) in words
    family = {pid: birth(pid) for pid in descendants(process.pid)}
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert "Traceback" not in errors
    wait_for("end of all that it started", lambda: not survivors(family))
    assert not (out / "T1-bare-r1" / "score.json").exists()


@pytest.mark.proof
def test_an_agent_that_ends_without_a_result_is_no_finding(
    front: Front, tmp_path: Path, out: Path
) -> None:
    done = front("run", *agent_that("exit 0", tmp_path), "--out", out)
    assert done.returncode == 1, done.stderr
    assert "invalid: T1-bare-r1: no_result" in done.stdout
    assert "The same command runs them again" in done.stdout

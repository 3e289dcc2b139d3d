"""What the person at the terminal sees: what each trial does, and what waits for what."""

import io
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from front import Front, lines
from handmade import Trial
from handmade import job as job_of
from rich.console import Console

from gatebench.cli.display import Board, Lines, Screen
from gatebench.matrix.schedule import Drain
from gatebench.model.job import TrialData
from gatebench.model.trial import TrialId
from gatebench.trial.progress import Moment, Nobody, Teller

T1, T2 = TrialId("T1", "g1", 1), TrialId("T2", "g1", 1)
MANY_S = 120.0


class Listener(Nobody):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[Moment] = []

    def moment(self, moment: Moment) -> None:
        self.heard.append(moment)


def shown(board: Board) -> str:
    paper = io.StringIO()
    console = Console(width=120, file=paper)
    console.print(Screen(board, console))
    return paper.getvalue()


def running() -> Board:
    """Three planned, none done, two running."""
    board = Board(Drain())
    planned = job_of(Trial("T1-g1-r1"), Trial("T2-g1-r1"), Trial("T3-g1-r1"))
    board.begin(replace(planned, trials=tuple(TrialData(t.id, None) for t in planned.trials)))
    for trial in (T1, T2):
        board.started(trial)
    return board


def test_each_wait_has_its_name_and_ends() -> None:
    listener = Listener()
    teller = Teller(listener, T1)
    teller.doing("working", 2, 0.5)
    with teller.waits("a lane of the gateway"), teller.waits("the oracle"):
        pass
    said = [(m.doing, m.stop, m.cost_usd, m.waits_for) for m in listener.heard]
    lane, both = ("a lane of the gateway",), ("a lane of the gateway", "the oracle")
    waits = [(), lane, both, lane, ()]
    assert said == [("working", 2, 0.5, waiting) for waiting in waits]


def test_two_calls_that_wait_for_one_thing_say_it_once() -> None:
    listener = Listener()
    teller = Teller(listener, T1)
    with teller.waits("the provider (overloaded)"):
        with teller.waits("the provider (overloaded)"):
            pass
        assert listener.heard[-1].waits_for == ("the provider (overloaded)",)


def test_a_line_says_what_a_trial_waits_for() -> None:
    board = running()
    board.moment(Moment(T1, "working", 2, 0.12, ("the provider (rate_limited)",)))
    said = shown(board)
    assert "T1-g1-r1       stop 2 working, waits for the provider (rate_limited) $0.120" in said
    assert "T2-g1-r1       starting (" in said


def test_the_rest_waits_for_a_lane_until_no_more_are_started() -> None:
    board = running()
    assert "1 wait for one of 2 lanes" in shown(board)
    board.drain.ask("you asked")
    assert "no more are started: you asked" in shown(board)
    assert "wait for one of" not in shown(board)


def test_a_limit_of_the_provider_is_counted_down_and_said_once_in_a_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    board = running()
    log = Lines(board)
    for left in (43.0, 42.0, 41.0):
        board.paused(left, "usage limit reached")
    assert "provider: 41 s until it goes on (usage limit reached)" in shown(board)
    said = capsys.readouterr().out
    assert said == "the provider holds everything up for 43 s: usage limit reached\n"
    log.moment(Moment(TrialId("T9", "g1", 1), "late word of one that isn't running"))
    assert set(board.moments) == {T1, T2}


def test_jobs_may_be_changed_while_they_run(front: Front, tmp_path: Path) -> None:
    out = tmp_path / "job"
    args = ("T1", "--agent", "nop", "--configs", "bare", "--reps", "6", "--jobs", "1")
    process = front.start("run", *args, "--out", out)
    log = out / "matrix.log"
    _until(process, log.exists)
    (out / "jobs").write_text("3\n")
    said, wrong = process.communicate(timeout=MANY_S)
    assert process.returncode == 0, said + wrong
    assert _most_at_once(log) in {2, 3}
    assert len([e for e in lines(out / "journal.jsonl") if e["event"] == "scored"]) == 6


def _until(process: "subprocess.Popen[str]", ready: Callable[[], bool]) -> None:
    until = time.monotonic() + MANY_S
    while not ready():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)


def _most_at_once(log: Path) -> int:
    most = now = 0
    for line in log.read_text().splitlines():
        now += {"start": 1, "end": -1}.get(line.split()[1], 0)
        most = max(most, now)
    return most

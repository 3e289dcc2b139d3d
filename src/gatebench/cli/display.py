"""What the person at the terminal sees of a running job."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from gatebench.matrix.schedule import Drain
from gatebench.model.job import JobData, TrialData
from gatebench.model.score import Score
from gatebench.model.trial import TrialId
from gatebench.report.counts import count, dollars, fitting
from gatebench.sandbox import clean_text
from gatebench.trial.progress import Moment, Watcher
from gatebench.trial.words import in_a_line


class Display(Watcher, Protocol):
    """A watcher that knows what was there when the run began."""

    def begin(self, job: JobData) -> None:
        """The job as it is before anything is started."""


class Board:
    """What is known of a job while it runs.

    Args:
        drain: the wish to start no more.
    """

    def __init__(self, drain: Drain | None = None) -> None:
        self.drain = drain or Drain()
        self.say: Callable[[str], None] = lambda _line: None
        """Where single sentences go that nobody may miss."""
        self._job: JobData | None = None
        self._scores: dict[TrialId, Score] = {}
        self._pause = (0.0, "")
        self._tables: dict[int, Table | Group] = {}
        self.moments: dict[TrialId, Moment] = {}
        self.since: dict[TrialId, float] = {}
        self._notice = ""

    def note(self, what: str) -> None:
        """Something that concerns the whole job; empty where it is over."""
        notice = " ".join(clean_text(what.encode()).split())
        if notice and notice != self._notice:
            self.say(notice)
        self._notice = notice

    def paused(self, left_s: float, why: str) -> None:
        """The provider holds everything up for so long; told again and again."""
        now = time.monotonic()
        if left_s > 1 and self._pause[0] < now:
            self.say(f"the provider holds everything up for {clock(left_s)}: {why}")
        self._pause = (now + left_s, why)

    @property
    def holds(self) -> tuple[str, ...]:
        """What holds the whole job up, or keeps trials from starting; one clause each."""
        found = []
        left = self._pause[0] - time.monotonic()
        if left > 0:
            found.append(f"provider: {clock(left)} until it goes on ({self._pause[1]})")
        if self._notice:
            found.append(self._notice)
        queued = self.planned - self.done - len(self.moments)
        if self.drain.wanted:
            found.append(f"no more are started: {self.drain.why}")
        elif queued > 0:
            found.append(f"{queued} wait for one of {len(self.moments)} lanes (JOB/jobs sets them)")
        return tuple(found)

    def begin(self, job: JobData) -> None:
        """Take what is on disk already."""
        self._job = job
        self._scores = {t.id: t.score for t in job.trials if t.score is not None}
        self._tables.clear()

    def started(self, trial: TrialId) -> None:
        """Note that a trial begins."""
        self.since[trial] = time.monotonic()
        self.moments[trial] = Moment(trial, "starting")

    def moment(self, moment: Moment) -> None:
        """Note what a running trial does."""
        if moment.trial in self.since:
            self.moments[moment.trial] = moment

    def ended(self, trial: TrialId, score: Score) -> None:
        """Note what a trial came to."""
        self.moments.pop(trial, None)
        self.since.pop(trial, None)
        self._scores[trial] = score
        self._tables.clear()

    def table(self, width: int) -> Table | Group | Text:
        """The table of results so far."""
        if self._job is None:
            return Text("setting up")
        if width not in self._tables:  # drawn often, and counting thousands of trials takes a while
            trials = tuple(TrialData(t.id, self._scores.get(t.id)) for t in self._job.trials)
            counts = count(_with(self._job, trials))
            self._tables[width] = fitting(counts, width)
        return self._tables[width]

    @property
    def planned(self) -> int:
        """Trials of the whole matrix."""
        return len(self._job.trials) if self._job else 0

    @property
    def done(self) -> int:
        """Trials that have a score."""
        return len(self._scores)


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, as far as there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n} {unit}" for n, unit in ((hours, "h"), (minutes, "min")) if n]
    return " ".join([*parts, f"{rest} s"])


def _with(job: JobData, trials: tuple[TrialData, ...]) -> JobData:
    return JobData(**{**vars(job), "trials": trials})


class Lines:
    """Plain lines, for logs and pipes."""

    def __init__(self, board: Board) -> None:
        self._board = board
        board.say = _print

    def begin(self, job: JobData) -> None:
        """Say how much there is to do."""
        self._board.begin(job)
        word = "SIMULATED " if job.simulated else ""
        print(f"{word}job {job.name}: {self._board.planned} trials, {self._board.done} done before")
        sys.stdout.flush()

    def started(self, trial: TrialId) -> None:
        """Say that a trial begins."""
        self._board.started(trial)

    def moment(self, moment: Moment) -> None:
        """Too much for a log."""
        self._board.moment(moment)

    def ended(self, trial: TrialId, score: Score) -> None:
        """Say what a trial came to."""
        self._board.ended(trial, score)
        print(f"[{self._board.done}/{self._board.planned}] {trial}: {in_a_line(score)}")
        sys.stdout.flush()


class Screen:
    """A live view: one line per running trial, the bar, and the table that fills."""

    def __init__(self, board: Board, console: Console) -> None:
        self._board = board
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("trials", total=None)

    def begin(self, job: JobData) -> None:
        """Set the bar."""
        self._board.begin(job)
        self._bar.reset(self._task, total=self._board.planned, completed=self._board.done)

    def started(self, trial: TrialId) -> None:
        """A line appears."""
        self._board.started(trial)

    def moment(self, moment: Moment) -> None:
        """A line changes."""
        self._board.moment(moment)

    def ended(self, trial: TrialId, score: Score) -> None:
        """A line goes, the table changes."""
        self._board.ended(trial, score)
        self._bar.update(self._task, completed=self._board.done)

    def __rich__(self) -> Group:
        """Drawn anew several times a second: countdowns and ages move while nothing happens."""
        table = self._board.table(self._console.width)
        holds = (Text(f"  {line}", style="yellow") for line in self._board.holds)
        return Group(table, Group(*self._running()), *holds, self._bar)

    def _running(self) -> Iterable[Text]:
        now = time.monotonic()
        for trial, moment in sorted(self._board.moments.items()):
            yield Text(line_of(moment, now - self._board.since.get(trial, now)), style="dim")


def line_of(moment: Moment, age_s: float) -> str:
    """What one trial does, and what it waits for."""
    stop = "" if moment.stop is None else f"stop {moment.stop} "
    waits = f", waits for {' and '.join(moment.waits_for)}" if moment.waits_for else ""
    cost = "" if moment.cost_usd is None else f" ${dollars(moment.cost_usd)}"
    return f"  {moment.trial!s:<14} {stop}{moment.doing}{waits}{cost} ({age_s:.0f}s)"


def _print(line: str) -> None:
    print(line)
    sys.stdout.flush()


@contextmanager
def watching(board: Board) -> Iterator[Display]:
    """A display that fits the terminal, or plain lines where there is none."""
    console = Console()
    if not console.is_terminal:
        yield Lines(board)
        return
    screen = Screen(board, console)
    with Live(screen, console=console, refresh_per_second=4):
        yield screen

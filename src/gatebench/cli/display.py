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

from gatebench.model.job import JobData, TrialData
from gatebench.model.score import Score
from gatebench.model.trial import TrialId
from gatebench.report.counts import count, dollars, render, render_narrow
from gatebench.sandbox import clean_text
from gatebench.trial.progress import Moment, Watcher
from gatebench.trial.words import in_a_line

WIDE = 100
"""Columns the wide table needs."""
NOTE_S = 60.0
"""Between two lines of a log about the same pause."""


class Display(Watcher, Protocol):
    """A watcher that knows what was there when the run began."""

    def begin(self, job: JobData) -> None:
        """The job as it is before anything is started."""


class Board:
    """What is known of a job while it runs."""

    def __init__(self) -> None:
        self._job: JobData | None = None
        self._scores: dict[TrialId, Score] = {}
        self.moments: dict[TrialId, Moment] = {}
        self.since: dict[TrialId, float] = {}
        self.notice = ""
        """What concerns the whole job now."""
        self.on_notice: Callable[[], None] = lambda: None

    def pause(self, left_s: float, why: str) -> None:
        """Count down to the end of a usage limit; told about once a second."""
        self.note(f"paused, goes on in {clock(left_s)}: {why}" if left_s > 1 else "")

    def note(self, what: str) -> None:
        """Something that concerns the whole job; empty where it is over."""
        self.notice = " ".join(clean_text(what.encode()).split())
        self.on_notice()

    def begin(self, job: JobData) -> None:
        """Take what is on disk already."""
        self._job = job
        self._scores = {t.id: t.score for t in job.trials if t.score is not None}

    def started(self, trial: TrialId) -> None:
        """Note that a trial begins."""
        self.since[trial] = time.monotonic()
        self.moments[trial] = Moment(trial, "starting")

    def ended(self, trial: TrialId, score: Score) -> None:
        """Note what a trial came to."""
        self.moments.pop(trial, None)
        self.since.pop(trial, None)
        self._scores[trial] = score

    def table(self, width: int) -> Table | Group | Text:
        """The table of results so far."""
        if self._job is None:
            return Text("setting up")
        trials = tuple(TrialData(t.id, self._scores.get(t.id)) for t in self._job.trials)
        counts = count(_with(self._job, trials))
        return render(counts) if width >= WIDE else render_narrow(counts)

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
        self._noted = float("-inf")
        board.on_notice = self._note

    def _note(self) -> None:
        """Say it once a minute: a log is no place for a countdown."""
        now = time.monotonic()
        if self._board.notice and now - self._noted >= NOTE_S:
            self._noted = now
            print(self._board.notice, flush=True)

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
        self._board.moments[moment.trial] = moment

    def ended(self, trial: TrialId, score: Score) -> None:
        """Say what a trial came to."""
        self._board.ended(trial, score)
        print(f"[{self._board.done}/{self._board.planned}] {trial}: {in_a_line(score)}")
        sys.stdout.flush()


class Screen:
    """A live view: one line per running trial, the bar, and the table that fills."""

    def __init__(self, board: Board, live: Live) -> None:
        self._board = board
        self._live = live
        board.on_notice = self._show
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=live.console,
        )
        self._task = self._bar.add_task("trials", total=None)

    def begin(self, job: JobData) -> None:
        """Set the bar."""
        self._board.begin(job)
        self._bar.reset(self._task, total=self._board.planned, completed=self._board.done)
        self._show()

    def started(self, trial: TrialId) -> None:
        """A line appears."""
        self._board.started(trial)
        self._show()

    def moment(self, moment: Moment) -> None:
        """A line changes."""
        self._board.moments[moment.trial] = moment
        self._show()

    def ended(self, trial: TrialId, score: Score) -> None:
        """A line goes, the table changes."""
        self._board.ended(trial, score)
        self._bar.update(self._task, completed=self._board.done)
        self._show()

    def _show(self) -> None:
        width = self._live.console.width
        running = [*self._running(), *self._noticed()]
        self._live.update(Group(self._board.table(width), Group(*running), self._bar))

    def _noticed(self) -> Iterable[Text]:
        if self._board.notice:
            yield Text(f"  {self._board.notice}", style="bold yellow")

    def _running(self) -> Iterable[Text]:
        now = time.monotonic()
        for trial, moment in sorted(self._board.moments.items()):
            stop = "" if moment.stop is None else f"stop {moment.stop} "
            cost = "" if moment.cost_usd is None else f" ${dollars(moment.cost_usd)}"
            age = now - self._board.since.get(trial, now)
            yield Text(f"  {trial!s:<14} {stop}{moment.doing}{cost} ({age:.0f}s)", style="dim")


@contextmanager
def watching(board: Board) -> Iterator[Display]:
    """A display that fits the terminal, or plain lines where there is none."""
    console = Console()
    if not console.is_terminal:
        yield Lines(board)
        return
    with Live(Text("setting up"), console=console, refresh_per_second=8) as live:
        yield Screen(board, live)

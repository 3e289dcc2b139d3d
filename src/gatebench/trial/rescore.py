"""Judge a trial's stored snapshots again and derive its score anew; the old verdicts are kept."""

import shutil
from dataclasses import dataclass

from gatebench.errors import LookError
from gatebench.model.labels import said_no
from gatebench.model.score import Score
from gatebench.model.scored import rescored
from gatebench.model.stop import StopRecord
from gatebench.model.verdict import SuiteRun, Verdict
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import SCORE, STOPS, TrialDir
from gatebench.trial.bench import Bench

PAST = "rescored"
"""Where earlier verdicts go: ``rescored/<n>/``."""
FINAL = "hidden-final.json"


@dataclass(frozen=True)
class Rescored:
    """One trial, before and after."""

    trial: str
    before: Score
    after: Score

    @property
    def changed(self) -> bool:
        """Whether any number differs."""
        return self.before != self.after


async def rescore_trial(bench: Bench, home: TrialDir, journal: Journal) -> Rescored:
    """Judge every stop's tree and the final one again.

    Raises:
        LookError: the trial isn't done, or its final tree isn't on record.
    """
    before = home.score()
    path = home.path / FINAL
    if before is None or not path.exists():
        raise LookError(f"{home.path.name} has no verdict yet.", "Finish it first: gatebench run.")
    tree = Verdict.model_validate_json(path.read_bytes()).tree
    final = await bench.oracle.judge(tree, before.task)
    suite = await bench.oracle.run_suite(tree)
    verdicts: dict[int, Verdict] = {}
    stops = [await _stop(bench, before.task, stop, verdicts) for stop in home.stops()]
    after = rescored(before, stops, final.verdict, suite)
    _file(home, after, stops, {**{str(n): v for n, v in verdicts.items()}, "final": final.verdict})
    home.write("hidden.txt", final.log)
    journal.append({"event": "rescored", "trial": home.path.name, "changed": before != after})
    return Rescored(home.path.name, before, after)


async def _stop(
    bench: Bench, task: str, stop: StopRecord, verdicts: dict[int, Verdict]
) -> StopRecord:
    """One stop under its new verdict, the library's suite asked where the label needs it."""
    if stop.tree is None:
        return stop
    verdict = (await bench.oracle.judge(stop.tree, task)).verdict
    verdicts[stop.n] = verdict
    new = stop.model_copy(update={"hidden": verdict.summary()})
    summary = verdict.summary()
    if not (summary.failed or summary.unscorable) and new.suite_green is None and said_no(new):
        run: SuiteRun = await bench.oracle.run_suite(stop.tree)
        new = new.model_copy(update={"suite_green": run.green})
    return new


def _file(
    home: TrialDir, after: Score, stops: list[StopRecord], verdicts: dict[str, Verdict]
) -> None:
    """Move the old verdicts aside, write the new ones, the score last."""
    number = 1 + len(list((home.path / PAST).glob("*")))
    old = home.file(f"{PAST}/{number}/x").parent
    for name in (SCORE, STOPS, *(f"hidden-{n}.json" for n in verdicts)):
        source = home.path / name
        if source.exists():
            shutil.copyfile(source, old / name)
    for n, verdict in verdicts.items():
        home.save(f"hidden-{n}.json", verdict)
    if stops:
        home.save_stops(stops)
    home.save(SCORE, after)

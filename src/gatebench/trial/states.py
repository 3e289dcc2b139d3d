"""The states that gates are replayed on: recorded stops, and trees planted from the solutions."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from gatebench.errors import LookError, StoreError, SuiteError
from gatebench.model.matrix import Lock
from gatebench.model.replay import Kind, State
from gatebench.model.score import Score
from gatebench.model.stop import HiddenSummary
from gatebench.model.task import PromptVariant
from gatebench.model.trial import TrialId
from gatebench.model.verdict import Verdict
from gatebench.store.job_dir import JobDir
from gatebench.store.replay_dir import ReplayDir
from gatebench.store.trial_dir import TrialDir
from gatebench.trial.bench import Bench
from gatebench.trial.planting import plant, subsets

PLANTED = "replay"
"""Stands in for the config in the name under which planted states are looked at."""
FINAL = "hidden-final.json"


@dataclass(frozen=True)
class Recorded:
    """What a trial's record says of one snapshot."""

    tree: str
    start_tree: str
    prompt: PromptVariant
    hidden: HiddenSummary | None
    suite_green: bool | None


@dataclass(frozen=True)
class Wanted:
    """A state that is to be looked at."""

    id: str
    kind: Kind
    task: str
    n: int = 1
    first: bool = True
    recorded: Recorded | None = None
    """``None`` for a planted state."""
    satisfied: frozenset[str] = frozenset()
    """Requirements that a planted state satisfies."""


@dataclass(frozen=True)
class Subject:
    """States that a gate meets in one go: a trial's stops in order, or planted ones of a task."""

    id: str
    trial: TrialId
    """Under whose name the team draws."""
    wanted: tuple[Wanted, ...]
    home: TrialDir | None = None
    """The recorded trial's directory; ``None`` for planted states."""


def recorded_subjects(job: JobDir, lock: Lock) -> tuple[Subject, ...]:
    """Each valid trial with its stops; a trial without a hook has its end.

    Trials that were kept from an earlier lock are left out: other tests or another agent made them.

    Raises:
        StoreError: a record that can't be read.
    """
    found = []
    kept = {name for one in lock.kept for name in one.trials}
    for trial in lock.matrix.trials():
        if str(trial) in kept:
            continue
        home, score = job.trial(trial), job.trial(trial).score()
        if score is not None and score.valid:
            stops = tuple(_stops(home, trial, score))
            found += [Subject(str(trial), trial, stops, home)] if stops else []
    return tuple(found)


def _stops(home: TrialDir, trial: TrialId, score: Score) -> Iterator[Wanted]:
    start = json.loads(home.read("meta.json") or b"{}").get("start_tree", "")
    for stop in home.stops():
        if stop.tree is not None:
            record = Recorded(stop.tree, start, score.prompt, stop.hidden, stop.suite_green)
            yield Wanted(
                f"{trial}/{stop.n}", Kind.STOP, trial.task, stop.n, stop.n == 1, recorded=record
            )
    final = home.read(FINAL)
    if score.hook_calls is None and final is not None:
        end = Verdict.model_validate_json(final)
        record = Recorded(end.tree, start, score.prompt, end.summary(), None)
        yield Wanted(f"{trial}/end", Kind.STOP, trial.task, recorded=record)


def planted_subjects(lock: Lock, kinds: Collection[Kind]) -> tuple[Subject, ...]:
    """Reference, second solution and lattice of each task, as far as asked for.

    Reference and second solution stand alone, for a gate that prepares something prepares it anew
    for each; the states of a task's lattice share it.
    """
    found = []
    for task in lock.matrix.tasks:
        everything = frozenset(lock.requirements[task])
        trial = TrialId(task, PLANTED, 1)
        for kind in (Kind.REFERENCE, Kind.SECOND):
            name = f"{task}/{kind.value}"
            if kind in kinds:
                one = Wanted(name, kind, task, satisfied=everything)
                found.append(Subject(name, trial, (one,)))
        if Kind.LATTICE in kinds:
            points = tuple(_lattice(task, lock.requirements[task]))
            found.append(Subject(f"{task}/{Kind.LATTICE.value}", trial, points))
    return tuple(found)


def _lattice(task: str, ids: tuple[str, ...]) -> Iterable[Wanted]:
    for subset in subsets(ids):
        if len(subset) < len(ids):
            name = "+".join(r for r in ids if r in subset) or "none"
            yield Wanted(f"{task}/{name}", Kind.LATTICE, task, satisfied=subset)


async def settle(bench: Bench, home: ReplayDir, wanted: Wanted) -> State | None:
    """The state with its tree and its truth, filed; ``None`` where the suite has no such solution.

    A stop keeps its recorded verdict; a planted state is judged by the oracle, once.

    Raises:
        LookError: a stop's snapshot is gone.
    """
    state = await _recorded(bench, wanted) or await _planted(bench, wanted)
    if state is None:
        return None
    name = f"{wanted.id}.json"
    kept = home.states().load(name, State)
    if kept is not None and (kept.tree, kept.judged_by) == (state.tree, state.judged_by):
        truth = {} if wanted.recorded else {"hidden": kept.hidden}
        green = kept.suite_green if state.suite_green is None else state.suite_green
        state = state.model_copy(update={**truth, "suite_green": green})
    if state.hidden is None and wanted.recorded is None:
        verdict = (await bench.oracle.judge(state.tree, state.task)).verdict
        state = state.model_copy(update={"hidden": verdict.summary()})
    if state.failing is False and state.suite_green is None:
        run = await bench.oracle.run_suite(state.tree)
        state = state.model_copy(update={"suite_green": run.green})
    if state != kept:
        home.states().save(name, state)
    return state


async def _recorded(bench: Bench, wanted: Wanted) -> State | None:
    record = wanted.recorded
    if record is None:
        return None
    for tree in (record.tree, record.start_tree):
        try:
            await bench.trees.read(tree, "-")
        except StoreError as error:
            raise LookError(
                f"the snapshot of {wanted.id} is not in the job's store any more: {error.message}",
                "Leave the stops out: --states reference,second,lattice.",
            ) from error
    trial = wanted.id.rpartition("/")[0]
    return _state(bench, wanted, record.tree, record.start_tree).model_copy(
        update={
            "trial": trial,
            "prompt": record.prompt,
            "hidden": record.hidden,
            "suite_green": record.suite_green,
        }
    )


async def _planted(bench: Bench, wanted: Wanted) -> State | None:
    try:
        files = await (
            bench.hidden.second_files(wanted.task)
            if wanted.kind is Kind.SECOND
            else bench.hidden.solution_files(wanted.task, wanted.satisfied)
        )
    except SuiteError:
        if wanted.kind is Kind.SECOND:
            return None
        raise
    pristine = await bench.settle_trees()
    return _state(bench, wanted, await plant(bench, pristine, files), pristine)


def _state(bench: Bench, wanted: Wanted, tree: str, start: str) -> State:
    return State(
        id=wanted.id,
        kind=wanted.kind,
        task=wanted.task,
        trial=None,
        n=wanted.n,
        first=wanted.first,
        tree=tree,
        start_tree=start,
        prompt=None,
        hidden=None,
        judged_by=bench.hidden.digest,
    )

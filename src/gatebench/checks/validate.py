"""``validate``: does the instrument measure what it says, here and now?

The steps follow the order in which a fault would mislead: first the truth, then the hook, then the
gates, then whether either wavers.
"""

import json
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gatebench.checks.lanes import in_lanes
from gatebench.checks.lattice import lattice_problems
from gatebench.checks.result import Check
from gatebench.checks.traces import answers, feedbacks, reason
from gatebench.checks.tried_gates import try_gates
from gatebench.errors import UnknownName
from gatebench.model.matrix import Choice
from gatebench.model.score import Score
from gatebench.model.stop import Decision
from gatebench.model.task import Task
from gatebench.model.trial import SHIPPED_CONFIGS, Config, TrialId
from gatebench.model.verdict import Outcome
from gatebench.store.job_dir import JobDir
from gatebench.store.journal import Journal
from gatebench.store.trial_dir import TrialDir
from gatebench.suites import load_suite
from gatebench.trial.bench import Bench, Means, open_bench
from gatebench.trial.lifecycle import Job, run_trial
from gatebench.trial.planting import plant
from gatebench.trial.progress import Nobody
from gatebench.trial.ready import check_ready

CONFIGS = {c.name: c for c in SHIPPED_CONFIGS}
REPEATS = 5
RED_START = "break"
NO_RED_START = "red not looked at, because the suite has no injection that breaks it"


@dataclass(frozen=True)
class Setting:
    """Where the checks run."""

    choice: Choice
    means: Means
    scratch: Path
    """An empty directory; what the checks leave is there."""
    configs: tuple[Config, ...] = SHIPPED_CONFIGS
    """Whose gates are tried."""


Step = Callable[[Setting], Awaitable[Check]]


async def validate(
    setting: Setting, told: Callable[[Check], None], only: Collection[str] = ()
) -> tuple[Check, ...]:
    """Run the steps in order, telling each as it ends.

    Args:
        setting: where.
        told: hears each check.
        only: names of `STEPS`; empty for all.

    Raises:
        UnknownName: there is no such step.
        LookError: something all steps need isn't there.
    """
    unknown = next((name for name in only if name not in STEPS), None)
    if unknown is not None:
        raise UnknownName("step", unknown, tuple(STEPS))
    checks: list[Check] = []
    for step in (step for name, step in STEPS.items() if not only or name in only):
        began = time.monotonic()
        check = replace(await step(setting), seconds=time.monotonic() - began)
        checks.append(check)
        told(check)
    return tuple(checks)


async def oracle_is_sharp(setting: Setting) -> Check:
    """Step 1: hidden tests pass exactly what a tree satisfies, on all 2ⁿ trees of each task."""
    async with open_bench(setting.choice, setting.means, setting.scratch / "trees") as bench:
        problems = await lattice_problems(bench, bench.suite.tasks)
        said = f"{len(bench.suite.tasks)} tasks, every subset of their requirements"
    return Check("oracle", not problems, said, problems)


async def hook_fires(setting: Setting) -> Check:
    """Step 2: an agent that won't fix the red start state meets 6 blocks, then the give-up."""
    red_start = _red_start(setting)
    if red_start is None:
        return Check("hook fires", ok=True, said=NO_RED_START)
    choice = _with(setting.choice, inject=red_start, profile="refuser")
    score, home = await _trial(setting, choice, CONFIGS["g1"])
    problems = []
    decisions = [s.decision for s in home.stops()]
    if decisions != [Decision.BLOCK] * 6 + [Decision.GIVE_UP]:
        problems.append(
            f"decisions were {', '.join(map(str, decisions)) or 'none'}; status {score.status}."
        )
    told = feedbacks(home)
    if told != len([d for d in decisions if d is Decision.BLOCK]):
        problems.append(f"the stream shows {told} feedbacks to the agent.")
    return Check(
        "hook fires", not problems, "red start state: 6 blocks, then give_up", tuple(problems)
    )


async def hook_by_hand(setting: Setting) -> Check:
    """Step 3: without a model: a green copy is allowed without a word, a red one blocked."""
    problems = []
    green, home = await _trial(setting, _with(setting.choice, agent="reference"), CONFIGS["g1"])
    told = answers(home)
    if green.blocks_total != 0 or told != [""]:
        problems.append(f"the reference was answered {told}; it must be allowed, without a word.")
    red_start = _red_start(setting)
    if red_start is None:
        return Check(
            "hook by hand", not problems, f"green allowed; {NO_RED_START}", tuple(problems)
        )
    # An agent that does nothing: a reference may rewrite the very file that is broken.
    red, home = await _trial(
        setting, _with(setting.choice, agent="nop", inject=red_start), CONFIGS["g1"]
    )
    first = next(iter(home.stops()), None)
    suite_fail = (first.gate1 or {}).get("suite_fail") if first else None
    if not red.blocks_total or not suite_fail or " failed" not in reason(first):
        problems.append("a red copy must be blocked with pytest's last lines.")
    return Check("hook by hand", not problems, "green allowed, red blocked", tuple(problems))


async def reviewer_answers(setting: Setting) -> Check:
    """Step 4: one reviewer's call returns output that fits the schema."""
    score, home = await _trial(setting, _with(setting.choice, agent="reference"), CONFIGS["g3"])
    reviewers = [r for s in home.stops() for r in (s.gate3 or {}).get("reviewers", [])]
    bad = [f"reviewer {r['id']}: {r['error']}." for r in reviewers if r["error"] is not None]
    problems = bad or (
        [] if reviewers else [f"no reviewer was called; status {score.status} {score.why}"]
    )
    return Check(
        "reviewer", not problems, f"{len(reviewers)} calls fit the schema", tuple(problems)
    )


async def facts_recorded(setting: Setting) -> Check:
    """Step 5: versions, settings and the hook's input keys are on record."""
    score, home = await _trial(setting, setting.choice, CONFIGS["g1"])
    given = home.path / "hook-input-1.json"
    keys = sorted(json.loads(given.read_bytes())) if given.exists() else []
    problems = [
        f"{name} is missing."
        for name, there in (
            ("the agent's version", score.agent_version),
            ("settings.json", (home.path / "settings.json").exists()),
            ("last_assistant_message in the hook's input", "last_assistant_message" in keys),
            ("hook events in the stream", score.hook_events_in_stream),
        )
        if not there
    ]
    said = f"{score.agent_version}; hook input: {', '.join(keys)}"
    return Check("facts", not problems, said, tuple(problems))


async def gates_can_fail_and_pass(setting: Setting) -> Check:
    """Every gate of the configs: a bad tree must be blocked, the reference allowed."""
    choice = _with(setting.choice, agent="nop", profile="perfect", inject=_red_start(setting))
    async with open_bench(choice, setting.means, setting.scratch / "trees") as bench:
        check_ready(bench, [bench.suite.tasks[0].id], setting.configs)
        tried = await try_gates(bench, setting.configs)
    problems = tuple(gate.problem for gate in tried if gate.problem)
    said = "; ".join(str(gate) for gate in tried if not gate.problem)
    return Check("gates", not problems, said or "no gate was tried", problems)


async def nothing_wavers(setting: Setting) -> Check:
    """Repeats of the oracle on the reference of each task give the same verdict."""
    problems: list[str] = []
    for turn in range(REPEATS):
        # A bench of its own each time: verdicts are cached inside one.
        async with open_bench(setting.choice, setting.means, setting.scratch / "trees") as bench:
            look = partial(_failing, bench, await bench.settle_trees())
            found = await in_lanes(bench.suite.tasks, look)
        problems += [f"{said} (repeat {turn + 1})." for said in found if said]
    return Check("no flake", not problems, f"{REPEATS} repeats agree", tuple(problems))


async def _failing(bench: Bench, base: str, task: Task) -> str:
    """What of a task its reference fails; empty when nothing."""
    files = await bench.hidden.solution_files(task.id, task.requirement_ids)
    tree = await plant(bench, base, files)
    verdict = (await bench.oracle.judge(tree, task.id)).verdict
    bad = [r for r, o in verdict.requirements.items() if o is not Outcome.PASS]
    return f"{task.id}: the reference fails {', '.join(bad)}" if bad else ""


STEPS: dict[str, Step] = {
    "oracle": oracle_is_sharp,
    "hook": hook_fires,
    "by-hand": hook_by_hand,
    "reviewer": reviewer_answers,
    "facts": facts_recorded,
    "gates": gates_can_fail_and_pass,
    "flake": nothing_wavers,
}
"""In order; each is one line of the command's output."""


def _with(choice: Choice, **changes: object) -> Choice:
    return choice.model_copy(update=changes)


def _red_start(setting: Setting) -> str | None:
    """The suite's injection ``break``, else its first; ``None`` where it has none."""
    names = tuple(load_suite(setting.choice.suite).injections)
    return RED_START if RED_START in names else next(iter(names), None)


async def _trial(setting: Setting, choice: Choice, config: Config) -> tuple[Score, TrialDir]:
    """One trial of the first task in a scratch job of its own."""
    async with open_bench(choice, setting.means, setting.scratch / "trees") as bench:
        await bench.settle_trees()
        number = len(list(setting.scratch.glob("job-*")))
        home = JobDir(setting.scratch / f"job-{number}")
        home.path.mkdir()
        with Journal(home.journal) as journal:
            trial = TrialId(bench.suite.tasks[0].id, config.name, 1)
            score = await run_trial(Job(bench, home, journal, Nobody()), trial, config)
    return score, home.trial(trial)

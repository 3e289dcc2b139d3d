"""``gatebench simulate``: the team without processes: how far may each number be trusted?"""

import os
import sys
from typing import Annotated

import typer

from gatebench.errors import UnknownName, UsageError
from gatebench.model.task import PromptVariant
from gatebench.report.calibration import calibration_markdown
from gatebench.stats.calibrate import JOBS, Plan, calibrate
from gatebench.stats.population import Size
from gatebench.stats.settings import SETTINGS, Setting
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.truth import TrueValues, true_values
from gatebench.suites import load_suite
from gatebench.team import load_profile

NAMES = tuple(setting.name for setting in SETTINGS)


def main(
    truth: Annotated[
        str | None,
        typer.Option(help="Print the true values of this profile on the suite's tasks instead."),
    ] = None,
    profile: Annotated[str, typer.Option(help="The team whose chances tasks vary.")] = "mixed",
    jobs: Annotated[int, typer.Option(min=10, help="Simulated jobs a cell.")] = JOBS,
    tasks: Annotated[str, typer.Option(help="Numbers of tasks, comma-separated.")] = "5,10,20",
    reps: Annotated[str, typer.Option(help="Repetitions, comma-separated.")] = "2",
    settings: Annotated[
        str, typer.Option(help=f"Of {', '.join(NAMES)}; all where none is named.")
    ] = "",
    suite: Annotated[str, typer.Option(help="The suite of --truth.")] = "tinydb",
    seed: Annotated[int, typer.Option(help="Of all chance.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Measure the coverage of every printed interval and the error of every test, or true values.

    Takes some minutes on two cores. Example: gatebench simulate --truth mixed --json
    """
    if truth is not None:
        _tell_truth(_truth(truth, suite, seed), as_json=as_json)
        return
    plan = Plan(
        load_profile(profile),
        jobs=jobs,
        tasks=numbers(tasks, "--tasks"),
        reps=numbers(reps, "--reps"),
        settings=chosen(settings),
        size=Size.fit(jobs),
        seed=seed,
    )
    measured = calibrate(plan, workers=_workers(), progress=_note)
    if as_json:
        print(measured.calibration.model_dump_json(indent=1))
    else:
        print(calibration_markdown(measured), end="")


def listed(text: str) -> tuple[str, ...]:
    """The words of a comma-separated list."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str, flag: str) -> tuple[int, ...]:
    """A comma-separated list of numbers from 2 on.

    Raises:
        UsageError: something else.
    """
    words = listed(text)
    if not words or not all(w.isdigit() and int(w) > 1 for w in words):
        raise UsageError(f"{flag} '{text}' won't do.", "Give numbers from 2 on, like 5,10.")
    return tuple(int(w) for w in words)


def chosen(text: str) -> tuple[Setting, ...]:
    """The settings of these names, all where none is named.

    Raises:
        UnknownName: there is no such setting.
    """
    names = listed(text) or NAMES
    for name in names:
        if name not in NAMES:
            raise UnknownName("setting", name, NAMES)
    return tuple(s for s in SETTINGS if s.name in names)


def _workers() -> int:
    """As many processes as this one may use cores."""
    return max(1, len(os.sched_getaffinity(0)))


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _truth(profile: str, suite: str, seed: int) -> TrueValues:
    team = load_profile(profile)
    tasks = [t for t in load_suite(suite).tasks if not t.spare]
    played = [SimTask.of(t, team, PromptVariant.TERSE) for t in tasks]
    return true_values(profile, played, seed=seed)


def _tell_truth(found: TrueValues, *, as_json: bool) -> None:
    if as_json:
        print(found.model_dump_json(indent=1))
        return
    print(f"SIMULATED: {found.trials:,} trials of '{found.profile}' on {', '.join(found.tasks)}.")
    for value in found.values:
        told = "undefined" if value.value is None else f"{value.value:.4f}"
        print(f"{value.name:<30} {value.whose:<28} {told}")

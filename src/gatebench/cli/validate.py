"""``gatebench validate``: does the instrument measure what it says, here?"""

import json
import tempfile
from pathlib import Path
from typing import Annotated

import anyio
import typer

from gatebench.checks.result import Check
from gatebench.checks.strength import REPEATS
from gatebench.checks.validate import STEPS, Setting, validate
from gatebench.cli import place
from gatebench.cli import strength as strengths
from gatebench.cli.asked import Asked, Words, listed, matrix_of, words_of
from gatebench.errors import UsageError
from gatebench.matrix.file import MatrixFile
from gatebench.model.matrix import Choice, Matrix
from gatebench.trial.bench import Means

LOOK = 1


def main(
    suite: Annotated[
        str, typer.Argument(help="A shipped suite, a suite's directory, or a matrix.toml.")
    ] = "tinydb",
    configs: Annotated[
        str, typer.Option(help="Configs whose gates are tried.  [the matrix's]")
    ] = "",
    agent_bin: Annotated[
        Path | None, typer.Option(help="An executable that takes the CLI's flags.")
    ] = None,
    only: Annotated[
        str,
        typer.Option(help=f"Steps, comma-separated: {','.join(STEPS)}.  [all]"),
    ] = "",
    strength: Annotated[
        bool,
        typer.Option("--strength", help="Instead measure how strong the hidden tests are."),
    ] = False,
    tasks: Annotated[
        str, typer.Option(help="With --strength: tasks, comma-separated.  [all]")
    ] = "",
    repeats: Annotated[
        int, typer.Option(help="With --strength: runs of each reference, half under load.", min=0)
    ] = REPEATS,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Check the oracle on every subset of requirements, the hook, the gates, and that none wavers.

    A gate that can't fail or can't pass is named: try a matrix of your own before you pay for it.
    Takes two to three minutes; --strength, which needs cosmic-ray, several for each task.

    Examples:
      gatebench validate
      gatebench validate my-matrix.toml --only gates
      gatebench validate --strength --tasks T1
    """
    if strength:
        if only:
            raise UsageError("--only and --strength don't go together.", "Leave one out.")
        strengths.show(suite, listed(tasks), repeats, as_json=as_json)
        return
    matrix = _matrix(suite, listed(configs))
    with tempfile.TemporaryDirectory(prefix="validate-") as scratch:
        means = Means(place.cache(), place.search_path(), agent_bin=agent_bin)
        choice = Choice(suite=matrix.choice.suite, prompt=matrix.choice.prompt)
        setting = Setting(choice, means, Path(scratch), matrix.configs)
        told = _silent if as_json else _tell
        checks = anyio.run(validate, setting, told, listed(only))
    if as_json:
        print(json.dumps([vars(check) for check in checks], indent=2))
    bad = [check.name for check in checks if not check.ok]
    if bad:
        if not as_json:
            print(f"Not valid: {', '.join(bad)}. Run no matrix before this is mended.")
        raise typer.Exit(LOOK)
    if not as_json:
        whole = "All steps" if not only else "These steps"
        print(f"{whole} green" + (": 'gatebench run' can be believed here." if not only else "."))


def _matrix(target: str, configs: tuple[str, ...]) -> Matrix:
    """The matrix whose suite and gates are looked at; its model is never asked.

    Raises:
        UsageError: a name or value that isn't there.
        SuiteError: the suite is broken.
    """
    words = words_of([target]) if target.endswith(".toml") else Words(MatrixFile(), suite=target)
    asked = Asked(words, (), configs, {})
    matrix, _ = matrix_of(asked, asked.request(reps=None, give_up=None, tag=""))
    return matrix


def _silent(_check: Check) -> None:
    """For --json: nothing on the way."""


def _tell(check: Check) -> None:
    print(
        f"{'ok  ' if check.ok else 'FAIL'} {check.name:<13} {check.said} ({check.seconds:.1f}s)",
        flush=True,
    )
    for problem in check.problems:
        print(f"     - {problem}", flush=True)

"""How ``gatebench validate --strength`` shows what it measures."""

import json
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from pathlib import Path

import anyio
import typer

from gatebench.checks.assertions import UNSTATED, Resting
from gatebench.checks.strength import Asked, Strength, measure
from gatebench.cli import place
from gatebench.model.task import PromptVariant
from gatebench.trial.bench import Means

LOOK = 1
_WIDTH = 100
_EXPLICIT, _TERSE = PromptVariant.EXPLICIT, PromptVariant.TERSE


def show(suite: str, tasks: tuple[str, ...], repeats: int, *, as_json: bool) -> None:
    """Measure the oracle's strength and print it, task by task.

    Raises:
        Exit: with 1 where something must be mended.
    """
    with tempfile.TemporaryDirectory(prefix="validate-") as scratch:
        means = Means(place.cache(), place.search_path(), roles=False)
        asked = Asked(suite, means, Path(scratch), tasks, repeats)
        found = anyio.run(measure, asked, _note if as_json else _tell)
    if as_json:
        print(json.dumps([strength.summary for strength in found], indent=2, ensure_ascii=False))
    weak = [strength.task for strength in found if strength.problems]
    if not as_json:
        print(_verdict(weak))
    if weak:
        raise typer.Exit(LOOK)


def _verdict(weak: list[str]) -> str:
    if weak:
        return f"Something to mend in {', '.join(weak)}; docs/strength.md says how."
    return "The oracle is as strong as the suite says."


def _note(strength: Strength) -> None:
    """For --json: it takes long, so a line aside as each task ends."""
    seen = f"{len(strength.problems)} problems" if strength.problems else "ok"
    print(f"{strength.task}: {seen} ({strength.seconds:.0f}s)", file=sys.stderr, flush=True)


def _tell(strength: Strength) -> None:
    for line in lines_of(strength):
        print(line, flush=True)


def lines_of(strength: Strength) -> Iterable[str]:
    """One task for a person to read."""
    mutation, tried = strength.mutation, strength.repeats
    yield f"{'FAIL' if strength.problems else 'ok  '} {strength.task} ({strength.seconds:.0f}s)"
    yield (
        f"     mutants: {mutation.killed} of {mutation.mutants} killed; score {mutation.raw:.3f}, "
        f"without equivalents {mutation.without_equivalents:.3f}"
    )
    kinds = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in sorted(mutation.kinds.items()))
    yield f"     survivors: {kinds or 'none'}"
    variants = strength.variants
    yield f"     further implementations: {variants.wrong} wrong, {variants.right} right"
    yield f"     repeats: {tried.times} in other orders, {tried.under_load} of them under load"
    yield f"     hidden tests: {len(strength.assertions.rows)}, {_unstated(strength)}"
    for problem in strength.problems:
        yield f"     - {problem}"
    yield from _table(strength.assertions.rows)


def _unstated(strength: Strength) -> str:
    explicit, terse = (strength.assertions.unstated(v) for v in (_EXPLICIT, _TERSE))
    return f"{explicit} of them unstated by the explicit prompt, {terse} by the terse one"


def _table(rows: Iterable[Resting]) -> Iterable[str]:
    """Tests that rest on the same sentences stand together."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        explicit, terse = _said(row.quotes(_EXPLICIT)), _said(row.quotes(_TERSE))
        groups.setdefault((row.requirement, explicit, terse), []).append(row.test)
    for (requirement, explicit, terse), tests in groups.items():
        yield from _wrapped(f"     {requirement} explicit: ", explicit)
        yield from _wrapped("        terse:    ", terse)
        yield from _wrapped("        tests:    ", ", ".join(tests))


def _said(quotes: tuple[str, ...]) -> str:
    return " ".join(f"“{quote}”" for quote in quotes) or UNSTATED


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )

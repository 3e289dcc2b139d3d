"""``gatebench review``: one review of a directory."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from gatebench.checks.review import review_tree
from gatebench.cli import place
from gatebench.model.matrix import Choice
from gatebench.model.stop import GateResult
from gatebench.sandbox import clean_text
from gatebench.trial.bench import Means, open_bench


def main(
    tree: Annotated[Path, typer.Argument(help="A copy of the library with a change.")],
    task: Annotated[str, typer.Option(help="The task the change is measured against.")],
    variant: Annotated[str, typer.Option(help="indep or adv.")] = "indep",
    suite: Annotated[str, typer.Option(help="A shipped suite or a suite's directory.")] = "tinydb",
    profile: Annotated[str, typer.Option(help="The simulated team's profile.")] = "mixed",
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Let gate 3 review a directory once, as if an agent had stopped there (simulated).

    Example: gatebench review ./my-tinydb --task T1 --variant adv
    """
    choice = Choice(suite=suite, profile=profile)
    result = anyio.run(partial(_review, choice, tree=tree, task=task, variant=variant))
    if as_json:
        print(
            json.dumps({"simulated": choice.simulated, **result.model_dump(mode="json")}, indent=2)
        )
        return
    _tell(result, simulated=choice.simulated)


async def _review(choice: Choice, *, tree: Path, task: str, variant: str) -> GateResult:
    with tempfile.TemporaryDirectory(prefix="review-") as scratch:
        means = Means(place.cache(), place.search_path())
        async with open_bench(choice, means, Path(scratch) / "trees") as bench:
            return await review_tree(bench, bench.suite.task(task), tree, variant)


def _tell(result: GateResult, *, simulated: bool) -> None:
    if simulated:
        print("SIMULATED: no model reviewed anything.")
    print(f"{result.status}" + (f": {result.error}" if result.error else ""))
    reviewers: list[dict[str, Any]] = result.detail.get("reviewers", [])
    for reviewer in reviewers:
        said = (
            "failed"
            if reviewer["approve"] is None
            else "approves"
            if reviewer["approve"]
            else "blocks"
        )
        print(f"{reviewer['id']} {said}")
        for finding in reviewer["findings"]:
            where = f"{finding['file']}:{finding['line'] or '?'}"
            print(f"  {finding['severity']:<8} {where} {clean_text(finding['text'].encode())}")

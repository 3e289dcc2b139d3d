"""First step: the work copy, and the record of what the trial is."""

import platform
import sys

import anyio

from gatebench import __version__
from gatebench.model.base import SCHEMA
from gatebench.store.atomic import write_json
from gatebench.trial.run import Run
from gatebench.workspace import apply_patch, make_work_copy

CLOSING = "When you are done, stop and summarise in a few sentences what you changed."
"""The one sentence after every task's text; the same for every config, no word of gates."""


async def prepare(run: Run) -> None:
    """Make the work copy, apply the injection, note what the trial is."""
    run.doing("preparing")
    await anyio.to_thread.run_sync(make_work_copy, run.bench.upstream, run.work)
    run.pristine_tree = (await run.bench.trees.snapshot(run.work)).tree
    if run.bench.injection is not None:
        await apply_patch(run.work, run.bench.injection)
    run.start_tree = (await run.bench.trees.snapshot(run.work)).tree
    run.home.write("task.md", _task_text(run))
    run.home.write("prompt.txt", prompt(run))
    file_meta(run)


def file_meta(run: Run) -> None:
    """File who, what, where and when; the only file of a trial that speaks of the machine."""
    write_json(run.home.file("meta.json"), _meta(run))


def prompt(run: Run) -> str:
    """What the worker is told: the task's text verbatim, a blank line, the closing sentence."""
    return f"{run.task.prompts[run.variant].strip()}\n\n{CLOSING}"


def _task_text(run: Run) -> str:
    """The task and its promises, for people."""
    lines = [f"# {run.task.id}: {run.task.title}", "", run.task.prompts[run.variant].strip(), ""]
    stated = run.task.stated(run.variant)
    for requirement in run.task.requirements:
        mark = "stated" if requirement.id in stated else "unstated"
        lines.append(f"- {requirement.id} ({mark}): {requirement.text}")
    return "\n".join(lines) + "\n"


def _meta(run: Run) -> dict[str, object]:
    choice = run.bench.choice
    return {
        "schema": SCHEMA,
        "trial": str(run.id),
        "attempt": run.attempt,
        "product": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "host": platform.node(),
        "machine": platform.machine(),
        "interpreter": sys.implementation.name,
        "agent": run.bench.program.name,
        "agent_version": run.bench.program.version,
        "agent_closed": run.bench.program.closed,
        "digests": run.bench.digests,
        "choice": choice.model_dump(mode="json"),
        "config": run.config.model_dump(mode="json"),
        "simulated": choice.simulated,
        "credential_exposed": choice.exposed,
        "sandbox": run.bench.sandbox.kind,
        "started_at": run.started_at,
        "start_tree": run.start_tree,
        "spans": {name: list(span) for name, span in run.spans.items()},
    }

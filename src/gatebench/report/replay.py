"""``replay.json``: what the replays of a job came to, and every state with what was said of it."""

import json

from gatebench.model.base import Filed, Record
from gatebench.model.replay import Kind, ReplayData, State
from gatebench.stats.estimate import LEVEL
from gatebench.stats.panels import replay_tables
from gatebench.stats.replay_records import ReplayTables
from gatebench.stats.replayed import Seen


class GridRow(Record):
    """One state, and each config's word on it."""

    state: str
    kind: Kind
    task: str
    failing: tuple[str, ...] | None
    """Requirements that fail; ``None`` without a verdict."""
    suite_green: bool | None
    said: dict[str, tuple[str, ...]]
    """By config, the label of each look in the order of times."""


class ReplayResults(Filed):
    """The whole file."""

    kind: str = "gatebench-replay"
    job: str
    simulated: bool
    """A scripted team played every role: nothing here is a finding about a model."""
    level: float = LEVEL
    tables: ReplayTables
    grid: tuple[GridRow, ...]


def replay_results(job: str, data: ReplayData) -> ReplayResults:
    """Everything that can be told of a job's replays so far."""
    seen = Seen(data)
    return ReplayResults(
        job=job,
        simulated=data.simulated,
        tables=replay_tables(seen),
        grid=tuple(_row(seen, state) for state in data.states),
    )


def _row(seen: Seen, state: State) -> GridRow:
    said = {
        arm: tuple(j.label.value for j in judged if j.state.id == state.id)
        for arm, judged in seen.judged.items()
    }
    known = state.hidden is not None and not state.hidden.unscorable
    return GridRow(
        state=state.id,
        kind=state.kind,
        task=state.task,
        failing=state.hidden.failed_reqs if known and state.hidden else None,
        suite_green=state.suite_green,
        said={arm: labels for arm, labels in said.items() if labels},
    )


def replay_json(found: ReplayResults) -> str:
    """The file's text."""
    return json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"

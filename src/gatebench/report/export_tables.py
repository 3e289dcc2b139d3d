"""Stops and trials as flat tables, for CSV and Parquet: one row each, unknown is empty."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gatebench.model.job import JobData, TrialData
from gatebench.model.labels import blocking_gate, label
from gatebench.model.reasons import reason_of
from gatebench.model.score import Score
from gatebench.model.stop import GateResult, StopRecord

Row = Mapping[str, Any]
STEERING = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""
TRIAL_COLUMNS = ("trial", *(n for n in Score.model_fields if n != "schema_version"))
STOP_COLUMNS = (
    "trial",
    "task",
    "cfg",
    "rep",
    "valid",
    "simulated",
    "n",
    "decision",
    "delivery",
    "label",
    "blocking_gate",
    "gates",
    "shadow",
    "hidden_pass",
    "hidden_fail",
    "hidden_unscorable",
    "failed_reqs",
    "suite_green",
    "pointed_at",
    "forged",
    "reason",
    "wall_s",
    "tree",
)


def trial_rows(data: JobData) -> list[Row]:
    """One row per finished trial: its score, lists as JSON text."""
    scored = [(t, t.score) for t in data.trials if t.score is not None]
    return [{"trial": str(t.id), **_flat(s.model_dump(mode="json"))} for t, s in scored]


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: json.dumps(value) if isinstance(value, dict | list) else value
        for key, value in record.items()
        if key != "schema"
    }


def stop_rows(data: JobData) -> list[Row]:
    """One row per stop of every finished trial."""
    return [_stop(t, stop) for t in data.trials if t.score is not None for stop in t.stops]


def _stop(trial: TrialData, stop: StopRecord) -> Row:
    gate, kind, hidden = blocking_gate(stop), label(stop), stop.hidden
    triage = next((t for t in trial.triage if t.n == stop.n), None)
    pointed = reason_of(stop, triage, gate) if gate else None
    return {
        "trial": str(trial.id),
        "task": trial.id.task,
        "cfg": trial.id.config,
        "rep": trial.id.rep,
        "valid": trial.valid,
        "simulated": trial.score.simulated if trial.score else None,
        "n": stop.n,
        "decision": stop.decision and stop.decision.value,
        "delivery": stop.delivery and stop.delivery.value,
        "label": kind and kind.value,
        "blocking_gate": gate,
        "gates": _said(stop.gates),
        "shadow": _said(stop.shadow),
        "hidden_pass": hidden.passed if hidden else None,
        "hidden_fail": hidden.failed if hidden else None,
        "hidden_unscorable": hidden.unscorable if hidden else None,
        "failed_reqs": " ".join(hidden.failed_reqs) if hidden else None,
        "suite_green": stop.suite_green,
        "pointed_at": pointed and pointed.value,
        "forged": stop.forged,
        "reason": stop.reason,
        "wall_s": stop.wall_s,
        "tree": stop.tree,
    }


def _said(gates: Sequence[GateResult]) -> str:
    """``tests=pass review=red``."""
    return " ".join(f"{g.name}={g.status.value}" for g in gates)


def to_csv(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """CSV as RFC 4180 has it; truth values as ``true`` and ``false``.

    Text that a spreadsheet would take for a formula gets an apostrophe in front: what an agent or
    a gate wrote may be hostile.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(STEERING):
        return "'" + value
    return value

"""What a trial's calls to real models came to: the ledger, and who was refused what."""

from collections.abc import Iterable

from gatebench.gates.base import Gate
from gatebench.gateway import Accounts, Fault, account
from gatebench.gateway.budget import SPENDERS, spender
from gatebench.model.faults import FAULTS
from gatebench.model.score import WriterOutcome
from gatebench.model.stop import StopRecord
from gatebench.model.usage import Call, Role
from gatebench.trial.run import Run

_SPENT = frozenset((Fault.BUDGET, Fault.TRIAL_BUDGET))
_USERS = _SPENT | {
    Fault.USAGE_LIMIT,
    Fault.CREDENTIAL,
    Fault.CREDIT,
    Fault.PINNED,
    Fault.MISMATCH,
}
"""What only who runs the job can put right."""


def accounts_of(run: Run) -> Accounts:
    """The trial's ledger, with what the CLI told beside it."""
    told: dict[Role, float | None] = {
        Role.WORKER: run.result.total_cost_usd if run.result else None,
        Role.WRITER: _writer_told(run.gates),
        **_reviewers_told(run.log.stops),
    }
    return account(run.ledger.calls, told)


def costs_of(accounts: Accounts) -> dict[str, float | None]:
    """Dollars by spender; ``None`` where a part isn't known."""
    costs: dict[str, float | None] = dict.fromkeys(SPENDERS, 0.0)
    for role, found in accounts.roles.items():
        before = costs[spender(role)]
        known = before is not None and found.cost_usd is not None
        costs[spender(role)] = (before or 0.0) + (found.cost_usd or 0.0) if known else None
    return costs


def refused(calls: Iterable[Call]) -> Fault | None:
    """The user's own fault over which some role went without an answer; ``None`` if there is none.

    Gates fail open, so a reviewer without budget or key would look like a gate that erred. Of the
    worker only budgets count here: its session's end tells about the rest.
    """
    last = {call.site: call for call in calls if call.role is not Role.WORKER}
    faults = [call.fault for call in last.values() if call.fault in _USERS]
    faults += [c.fault for c in calls if c.role is Role.WORKER and c.fault in _SPENT]
    return Fault(faults[0]) if faults else None


def note_refused(run: Run) -> bool:
    """Class the trial where a role was refused for a reason of the user's; whether one was."""
    fault = refused(run.ledger.calls)
    if fault is None:
        return False
    run.broke(fault.value, f"{FAULTS[fault.value].meaning}.")
    if fault is Fault.TRIAL_BUDGET:
        run.budgets = run.bench.budgets
    return True


def _writer_told(gates: Iterable[Gate]) -> float | None:
    outcomes = (getattr(gate, "writer_outcome", None) for gate in gates)
    return next((o.cost_usd for o in outcomes if isinstance(o, WriterOutcome)), None)


def _reviewers_told(stops: Iterable[StopRecord]) -> dict[Role, float | None]:
    """By role, over all stops; unknown where one part is."""
    parts: dict[Role, list[float | None]] = {}
    for gate in (g for stop in stops for g in stop.gates if "reviewers" in g.detail):
        second = Role.CHALLENGER if gate.detail.get("variant") == "adv" else Role.REVIEWER_B
        for reviewer in gate.detail["reviewers"]:
            role = Role.REVIEWER_A if reviewer["id"] == "A" else second
            parts.setdefault(role, []).append(reviewer.get("cost_usd"))
    return {role: _sum(costs) for role, costs in parts.items()}


def _sum(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None

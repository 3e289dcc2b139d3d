"""A trial's ledger in a few lines: what each role cost, and where two counts differ."""

from collections.abc import Iterator

from pydantic import ValidationError

from gatebench.gateway import Accounts
from gatebench.gateway.ledger import RoleCost
from gatebench.report.counts import dollars
from gatebench.store.trial_dir import TrialDir

LEDGER = "ledger.json"


def ledger_lines(trial: TrialDir) -> Iterator[str]:
    """One line per role that made calls to a real model; nothing where none did."""
    data = trial.read(LEDGER)
    if data is None:
        return
    try:
        accounts = Accounts.model_validate_json(data)
    except ValidationError:
        yield f"{LEDGER} can't be read: another version wrote it."
        return
    for role, cost in accounts.roles.items():
        yield f"{role.value:<11} {_role(cost)}"


def _role(cost: RoleCost) -> str:
    parts = [f"{cost.calls} calls", f"${dollars(cost.cost_usd)}"]
    if cost.cost_usd is None:
        parts[-1] = f"cost unknown, at least ${dollars(cost.at_least_usd)}"
    if cost.disagrees:
        parts.append(f"the CLI says ${dollars(cost.told_usd)}, which differs by more than 1 %")
    if cost.retries:
        parts.append(f"{cost.retries} tries again")
    if cost.uncertain:
        parts.append(f"{len(cost.uncertain)} calls uncertain")
    return ", ".join(parts)

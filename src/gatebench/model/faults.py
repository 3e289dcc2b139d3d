"""Who broke what: the one table of a trial's statuses.

Infrastructure that fails is never the agent's failure: such a trial is invalid, is counted beside
every rate, and is run again by the same command. What the agent itself did (turns or time used up,
a limit broken, tampering) is an outcome, and stays.
"""

from dataclasses import dataclass
from enum import StrEnum


class Who(StrEnum):
    """Whose doing a status is."""

    NOBODY = "nobody"
    AGENT = "agent"
    PROVIDER = "provider"
    USER = "user"
    """Something only who runs the job can put right."""
    GATE = "gate"
    ORACLE = "oracle"
    SANDBOX = "sandbox"
    DISK = "disk"
    HARNESS = "harness"


@dataclass(frozen=True)
class Fault:
    """One status."""

    who: Who
    valid: bool
    """Whether the trial counts."""
    retries: int
    """How often it is run again at once, in the same invocation."""
    meaning: str


FAULTS: dict[str, Fault] = {
    "ok": Fault(Who.NOBODY, valid=True, retries=0, meaning="the session ended, in whatever way"),
    "limits": Fault(
        Who.AGENT, valid=True, retries=0, meaning="the agent was ended at a limit of its sandbox"
    ),
    "spawn_failed": Fault(
        Who.SANDBOX, valid=False, retries=3, meaning="a command could not be started"
    ),
    "disk_full": Fault(
        Who.DISK, valid=False, retries=3, meaning="a disk had no room; run again when it has some"
    ),
    "node_lost": Fault(
        Who.SANDBOX, valid=False, retries=3, meaning="the machine it ran on was lost"
    ),
    "api_error": Fault(Who.PROVIDER, valid=False, retries=1, meaning="the model's service failed"),
    "agent_error": Fault(
        Who.HARNESS, valid=False, retries=1, meaning="the agent's program called its end an error"
    ),
    "crashed": Fault(
        Who.HARNESS, valid=False, retries=1, meaning="the agent's program ended without a result"
    ),
    "no_result": Fault(
        Who.HARNESS, valid=False, retries=1, meaning="it ended well, but without a result"
    ),
    "gate_absent": Fault(
        Who.HARNESS, valid=False, retries=0, meaning="the agent stopped; its Stop hook never ran"
    ),
    "gate_error": Fault(Who.GATE, valid=False, retries=1, meaning="a gate could not be prepared"),
    "oracle_error": Fault(
        Who.ORACLE, valid=False, retries=0, meaning="a verdict is missing; rescore may help"
    ),
    **{
        name: Fault(Who.PROVIDER, valid=False, retries=1, meaning=meaning)
        for name, meaning in (
            ("rate_limited", "the provider kept refusing: too many requests"),
            ("overloaded", "the provider stayed overloaded"),
            ("server_error", "the provider kept failing"),
            ("connection", "the provider could not be reached"),
            ("stalled", "the provider fell silent"),
            ("cut", "the provider's answers broke off"),
            ("malformed", "the provider's answers could not be read"),
        )
    },
    "lost_call": Fault(
        Who.PROVIDER, valid=False, retries=0, meaning="in a replay: the way to the model broke"
    ),
    **{
        name: Fault(Who.USER, valid=False, retries=0, meaning=meaning)
        for name, meaning in (
            ("usage_limit", "a usage limit that lifts too late to wait for"),
            ("credential", "the provider refuses the key"),
            ("credit", "the account has no credit left"),
            ("budget", "the job's budget is used up"),
            ("trial_budget", "the trial's own budget, or a role's in it, is used up"),
            ("mismatch", "the recording is of something else"),
            ("pinned", "another model was asked for than the one named; name it in full"),
        )
    },
    **{
        name: Fault(Who.AGENT, valid=True, retries=0, meaning=meaning)
        for name, meaning in (
            ("refused", "the provider refused the agent's request itself"),
            ("client_gone", "the agent hung up"),
        )
    },
    "harness_error": Fault(Who.HARNESS, valid=False, retries=0, meaning="a bug of ours"),
}
"""By ``status`` of ``score.json``."""


CROWDED = frozenset({Who.SANDBOX, Who.DISK})
"""Whose faults say that the machine has too much to do at once."""


def fault(status: str) -> Fault:
    """The row of a status; one that isn't listed is a bug of ours."""
    return FAULTS.get(status, FAULTS["harness_error"])

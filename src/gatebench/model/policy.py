"""What one stop comes to, given what the gates said."""

from collections.abc import Iterable

from gatebench.model.stop import Decision, Delivery, GateResult, GateStatus

FAULTS = frozenset({GateStatus.ERROR, GateStatus.TIMED_OUT})


def decide(gates: Iterable[GateResult], delivered_blocks: int, give_up: int) -> Decision:
    """The decision of one stop: a red gate blocks until the patience is used up.

    A gate whose own machinery failed says nothing: it neither blocks nor passes.

    Args:
        gates: what each gate said at this stop.
        delivered_blocks: blocks that reached the agent before this stop.
        give_up: blocks after which a would-be block becomes ``give_up``.
    """
    if not any(gate.status is GateStatus.RED for gate in gates):
        return Decision.ALLOW
    return Decision.GIVE_UP if delivered_blocks >= give_up else Decision.BLOCK


def reached_agent(decision: Decision | None, delivery: Delivery | None) -> bool:
    """Whether a stop's block counts towards the give-up: only one the agent received."""
    return decision is Decision.BLOCK and delivery is Delivery.DELIVERED

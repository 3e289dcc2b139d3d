"""What a gate's decision was worth, seen against the truth of the same snapshot."""

from enum import StrEnum

from gatebench.model.policy import FAULTS
from gatebench.model.stop import Decision, Delivery, GateResult, GateStatus, StopRecord


class Label(StrEnum):
    """The label of one stop. The first five are about the gate, the others stand apart."""

    RIGHT_BLOCK = "right_block"
    """Blocked, and at least one hidden requirement fails."""
    FALSE_BLOCK = "false_block"
    """Blocked, all requirements pass, upstream's pristine suite is green."""
    REGRESSION_BLOCK = "regression_block"
    """Blocked, all requirements pass, but upstream's pristine suite is red."""
    MISS = "miss"
    """Allowed, and at least one hidden requirement fails."""
    CORRECT_ALLOW = "correct_allow"
    """Allowed, and all requirements pass."""
    GIVE_UP = "give_up"
    """A would-be block beyond the gate's patience."""
    UNSCORABLE = "unscorable"
    """No verdict on this snapshot."""
    GATE_FAULT = "gate_fault"
    """Allowed because a gate's own machinery failed."""
    UNDELIVERED = "undelivered"
    """The decision did not reach the agent, or the CLI overrode it, or the stop was forged."""


def label(stop: StopRecord) -> Label | None:
    """The label of a stop; ``None`` while it is undecided.

    The order matters: a decision that never reached the agent says nothing about the gate, an
    unscorable snapshot nothing about the truth, and a gate that failed has not spoken.
    """
    if stop.decision is None:
        return None
    if stop.closed is False or stop.delivery not in {None, Delivery.DELIVERED}:
        return Label.UNDELIVERED
    if stop.decision is Decision.GIVE_UP:
        return Label.GIVE_UP
    if stop.hidden is None or stop.hidden.unscorable:
        return Label.UNSCORABLE
    return _against_truth(stop, failing=stop.hidden.failed > 0)


def _against_truth(stop: StopRecord, *, failing: bool) -> Label | None:
    if stop.decision is Decision.ALLOW:
        if not stop.gates:
            return None  # shadows alone: nobody could have blocked
        if any(gate.status in FAULTS for gate in stop.gates):
            return Label.GATE_FAULT
        return Label.MISS if failing else Label.CORRECT_ALLOW
    if failing:
        return Label.RIGHT_BLOCK
    if stop.suite_green is None:
        return Label.UNSCORABLE
    return Label.FALSE_BLOCK if stop.suite_green else Label.REGRESSION_BLOCK


def said_no(stop: StopRecord) -> bool:
    """Whether a stop wasn't simply allowed, or a shadow gate would have said no."""
    red = any(gate.status is GateStatus.RED for gate in stop.shadow)
    return red or stop.decision is not Decision.ALLOW


def shadow_label(stop: StopRecord, gate: GateResult) -> Label | None:
    """The label that a shadow gate's word would have got, had it been the config's only gate.

    What became of the stop's own answer doesn't matter: the snapshot is what it is. A forged stop
    says nothing all the same.
    """
    if stop.decision is None or gate.status is GateStatus.SKIPPED:
        return None
    red = gate.status is GateStatus.RED
    decision = Decision.BLOCK if red else Decision.ALLOW
    update = {"decision": decision, "delivery": None, "gates": (gate,), "shadow": ()}
    return label(stop.model_copy(update=update))


def blocking_gate(stop: StopRecord) -> str | None:
    """The first gate that was red at this stop."""
    return next((gate.name for gate in stop.gates if gate.status is GateStatus.RED), None)

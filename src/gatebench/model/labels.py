"""What a gate's decision was worth, seen against the truth of the same snapshot."""

from enum import StrEnum

from gatebench.model.policy import FAULTS
from gatebench.model.stop import Decision, Delivery, GateStatus, StopRecord


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


def _against_truth(stop: StopRecord, *, failing: bool) -> Label:
    if stop.decision is Decision.ALLOW:
        if any(gate.status in FAULTS for gate in stop.gates):
            return Label.GATE_FAULT
        return Label.MISS if failing else Label.CORRECT_ALLOW
    if failing:
        return Label.RIGHT_BLOCK
    if stop.suite_green is None:
        return Label.UNSCORABLE
    return Label.FALSE_BLOCK if stop.suite_green else Label.REGRESSION_BLOCK


def blocking_gate(stop: StopRecord) -> str | None:
    """The first gate that was red at this stop."""
    return next((gate.name for gate in stop.gates if gate.status is GateStatus.RED), None)

"""Every label of a stop, and the classes that are none of them."""

from typing import Any

import pytest

from gatebench.model.labels import Label, label
from gatebench.model.policy import decide
from gatebench.model.stop import (
    Decision,
    Delivery,
    GateResult,
    GateStatus,
    HiddenSummary,
    StopRecord,
)


def stop(decision: Decision | None, failing: int | None, **more: Any) -> StopRecord:
    hidden = None
    if failing is not None:
        names = tuple(f"R{k + 1}" for k in range(failing))
        hidden = HiddenSummary(
            **{"pass": 5 - failing}, failed=failing, unscorable=0, failed_reqs=names
        )
    fields: dict[str, Any] = {"delivery": Delivery.DELIVERED, **more}
    return StopRecord(
        ts=0.0, n=1, tree="t", stop_hook_active=False, hidden=hidden, decision=decision, **fields
    )


RED = GateResult(name="tests", status=GateStatus.RED)
GREEN = GateResult(name="tests", status=GateStatus.PASS)
ERROR = GateResult(name="review", status=GateStatus.ERROR)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (stop(Decision.BLOCK, 1), Label.RIGHT_BLOCK),
        (stop(Decision.BLOCK, 1, suite_green=False), Label.RIGHT_BLOCK),
        (stop(Decision.BLOCK, 0, suite_green=True), Label.FALSE_BLOCK),
        (stop(Decision.BLOCK, 0, suite_green=False), Label.REGRESSION_BLOCK),
        (stop(Decision.BLOCK, 0, suite_green=None), Label.UNSCORABLE),
        (stop(Decision.ALLOW, 2, gates=(GREEN,)), Label.MISS),
        (stop(Decision.ALLOW, 0, gates=(GREEN,)), Label.CORRECT_ALLOW),
        (stop(Decision.ALLOW, 2, gates=(GREEN, ERROR)), Label.GATE_FAULT),
        (stop(Decision.ALLOW, 0, gates=(ERROR,)), Label.GATE_FAULT),
        (stop(Decision.GIVE_UP, 3), Label.GIVE_UP),
        (stop(Decision.BLOCK, 1, delivery=Delivery.UNDELIVERED), Label.UNDELIVERED),
        (stop(Decision.BLOCK, 1, delivery=Delivery.OVERRIDDEN), Label.UNDELIVERED),
        (stop(Decision.ALLOW, None), Label.UNSCORABLE),
        (stop(None, 1), None),
    ],
)
def test_labels(record: StopRecord, expected: Label | None) -> None:
    assert label(record) is expected


@pytest.mark.parametrize(
    ("gates", "blocks", "expected"),
    [
        ([], 0, Decision.ALLOW),
        ([GREEN], 0, Decision.ALLOW),
        ([ERROR], 0, Decision.ALLOW),
        ([RED], 0, Decision.BLOCK),
        ([GREEN, RED], 5, Decision.BLOCK),
        ([RED], 6, Decision.GIVE_UP),
        ([GREEN], 6, Decision.ALLOW),
    ],
)
def test_decisions(gates: list[GateResult], blocks: int, expected: Decision) -> None:
    assert decide(gates, blocks, give_up=6) is expected

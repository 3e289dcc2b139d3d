"""Placebos look at nothing; the truth passes on what it is told."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio
import pytest
from court import Court, shared_court
from gate_ground import Stage, stop

from gatebench.errors import UnknownName, UsageError
from gatebench.gates.base import Ground, Truth
from gatebench.gates.placebo import NEUTRAL, NUDGE
from gatebench.gates.registry import gate_names, make_gate
from gatebench.gates.runner import run_gates
from gatebench.model.stop import GateResult, GateStatus
from gatebench.model.trial import PLACEBOS, READY_CONFIGS, SHIPPED_CONFIGS

STOPS = 400


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def asked(ground: Ground, name: str, stops: int) -> list[GateResult]:
    """A gate's word at so many stops; the snapshots don't even exist."""

    async def session() -> list[GateResult]:
        gate = make_gate(name, ground)
        await gate.prepare()
        views = (stop("no such tree", n) for n in range(1, stops + 1))
        return [
            r
            for v in views
            for r in await run_gates([gate], v, run_all=False, doing=lambda _: None)
        ]

    return anyio.run(session)


def blocks(court: Court, name: str, stops: int = 4, **settings: Any) -> list[str]:
    """The reasons, empty where it passed."""
    found = asked(Stage(court, settings=settings).ground, name, stops)
    assert all((r.status is GateStatus.RED) == bool(r.reason) for r in found)
    return [r.reason for r in found]


def test_what_each_says(court: Court) -> None:
    prompt = Stage(court).ground.prompt
    assert blocks(court, "nudge") == [NUDGE, "", "", ""]
    assert blocks(court, "block-once") == [NEUTRAL, "", "", ""]
    assert blocks(court, "retry") == [prompt, prompt, "", ""]
    assert blocks(court, "retry", times=1) == [prompt, "", "", ""]


def test_a_lot_is_drawn_from_the_trials_seed(court: Court) -> None:
    def drawn(seed: int, rate: float) -> list[bool]:
        ground = replace(Stage(court, settings={"rate": rate}).ground, seed=seed)
        return [r.status is GateStatus.RED for r in asked(ground, "random-block", STOPS)]

    assert drawn(1, 0.3) == drawn(1, 0.3)
    assert drawn(1, 0.3) != drawn(2, 0.3)
    # 400 draws at 0.3: five standard deviations are 46.
    assert abs(sum(drawn(1, 0.3)) - 120) < 46
    assert (sum(drawn(1, 0.0)), sum(drawn(1, 1.0))) == (0, STOPS)


def test_settings_are_checked(court: Court) -> None:
    bad: Mapping[str, dict[str, Any]] = {
        "nudge": {"times": 2},
        "random-block": {"rate": 2},
        "retry": {"times": 0},
        "truth": {"rate": 1},
        "diff-guard": {"x": 1},
        "mutation": {"mutants": 0},
    }
    for name, settings in bad.items():
        with pytest.raises(UsageError, match=f"gate '{name}': setting"):
            make_gate(name, Stage(court, settings=settings).ground)


def told(court: Court, truth: Truth | None) -> GateResult:
    async def tell(_tree: str) -> Truth:
        assert truth is not None
        return truth

    ground = replace(Stage(court).ground, truth=tell if truth else None)
    return asked(ground, "truth", 1)[0]


def test_the_truth_says_what_fails_and_never_its_id(court: Court) -> None:
    found = told(court, Truth({"R2": "push makes the list", "R5": "no list raises"}))
    assert found.status is GateStatus.RED
    assert found.reason.splitlines()[1:] == ["1. push makes the list", "2. no list raises"]
    assert "R2" not in found.reason
    assert found.detail == {"failing": ["R2", "R5"]}
    assert told(court, Truth({})).status is GateStatus.PASS


def test_without_a_verdict_the_truth_has_not_spoken(court: Court) -> None:
    for truth in (None, Truth({}, "the oracle broke")):
        found = told(court, truth)
        assert found.status is GateStatus.ERROR
        assert "GateFault" in str(found.error)


def test_every_ready_made_config_has_gates_that_are_there() -> None:
    assert READY_CONFIGS[:5] == SHIPPED_CONFIGS
    assert {gate for c in READY_CONFIGS for gate in c.gates} <= set(gate_names())
    assert set(gate_names()) >= PLACEBOS
    names = [c.name for c in READY_CONFIGS]
    assert len(set(names)) == len(names)


def test_a_gate_may_have_a_name_of_its_own(court: Court) -> None:
    ground = Stage(court).ground
    assert make_gate("nudge:first", ground).name == "nudge:first"
    assert asked(ground, "nudge:first", 1)[0].name == "nudge:first"
    with pytest.raises(UsageError, match="won't do"):
        make_gate("nudge:../x", ground)
    with pytest.raises(UnknownName, match="unknown gate 'nudged:x'"):
        make_gate("nudged:x", ground)

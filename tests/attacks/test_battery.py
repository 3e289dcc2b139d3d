"""The battery under pytest; `python -m tests.proof attacks` prints it as a table."""

from pathlib import Path

import pytest
from suite_ground import shared_ground

from attacks.catalogue import ATTACKS, QUICK, stage

REST = tuple(attack for attack in ATTACKS if not attack.quick)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_ground(tmp_path_factory).cache


def troubles(cache: Path, which: tuple[object, ...]) -> list[str]:
    outcomes = stage([attack for attack in ATTACKS if attack in which], cache)
    assert len(outcomes) == len(which)
    return [f"{o.attack.name}: {o.trouble} [{o.observed}]" for o in outcomes if o.trouble]


def test_every_attack_has_a_name_of_its_own() -> None:
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
    assert len(ATTACKS) >= 25


def test_the_quick_half_gains_nothing_and_leaves_nothing(cache: Path) -> None:
    assert troubles(cache, QUICK) == []


@pytest.mark.proof
def test_the_rest_gains_nothing_and_leaves_nothing(cache: Path) -> None:
    assert troubles(cache, REST) == []

"""How large an experiment must be: against simulation, by hand, and from a pilot."""

import math

import numpy as np
import pytest
from handmade import Trial, job
from handmade_matrix import fifty_trials

from gatebench.stats.cells import Cells
from gatebench.stats.mde import MEASURED
from gatebench.stats.planning import (
    ASSUMED,
    Prices,
    Spread,
    Wanted,
    pilot_prices,
    pilot_spread,
    plan,
)

WANTED = Wanted(("g1", "bare"), 0.2, 0.8, ("bare", "g1"))


def test_the_assumed_spread_gives_the_measured_effects() -> None:
    designs = plan(WANTED, ASSUMED, None).designs
    for (tasks, reps), (points, _, _) in MEASURED.items():
        found = next(d for d in designs if (d.tasks, d.reps) == (tasks, reps))
        assert found.mde is not None
        assert 100 * found.mde == pytest.approx(points, abs=0.15 * points)


def test_power_is_what_a_simulation_sees() -> None:
    spread = Spread(between=0.02, within=0.06, source="made up")
    wanted = Wanted(("g1", "bare"), 0.2, 0.8, ("bare", "g1"))
    design = next(d for d in plan(wanted, spread, None).designs if (d.tasks, d.reps) == (6, 2))
    rng = np.random.default_rng(1)
    gaps = rng.normal(0.2, math.sqrt(0.02 + 0.03), size=(20_000, 6))
    t = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) / math.sqrt(6))
    assert design.power == pytest.approx(float((np.abs(t) > 2.570582).mean()), abs=0.01)


def test_the_cheapest_design_that_suffices_is_recommended() -> None:
    prices = Prices({"bare": 0.5, "g1": 1.0}, "stated", {"bare": 60.0, "g1": 120.0})
    found = plan(WANTED, ASSUMED, prices)
    best = found.recommended
    assert best is not None
    assert best.power >= 0.8
    cheaper = [d for d in found.designs if (d.cost_usd or 0) < (best.cost_usd or 0)]
    assert all(d.power < 0.8 for d in cheaper)
    assert best.cost_usd == pytest.approx(best.tasks * best.reps * 1.5)
    assert best.hours == pytest.approx(best.tasks * best.reps * 180 / 3600)
    assert best.trials == best.tasks * best.reps * 2
    assert f"{best.trials} trials" in found.words


def test_without_a_price_the_smallest_is_recommended_and_no_cost_made_up() -> None:
    found = plan(WANTED, ASSUMED, None)
    assert found.recommended is not None
    assert found.recommended.cost_usd is None
    assert found.usd_per_trial is None
    assert "$" not in found.words


def test_too_much_asked_is_said() -> None:
    found = plan(Wanted(("g1", "bare"), 0.01, 0.9, ("bare", "g1"), 10), ASSUMED, None)
    assert found.recommended is None
    assert found.words.startswith("No design up to 10 tasks")


def pilot_job() -> Cells:
    """Task gaps 0.2, 0.4, 0.0; one cell of each config varies by 0.2."""
    ends = {
        "T1-bare": ("R1 R2", "R1 R2 R3"),
        "T1-g1": ("R1", "R1 R2"),
        "T2-bare": ("R1 R2 R3", "R1 R2 R3"),
        "T2-g1": ("R1", "R1"),
        "T3-bare": ("R1", "R1"),
        "T3-g1": ("R1", "R1"),
    }
    return Cells(
        job(
            *(
                Trial(f"{name}-r{rep}", end=end, worker=float(rep))
                for name, pair in ends.items()
                for rep, end in enumerate(pair, 1)
            )
        )
    )


def test_a_pilots_spread_worked_by_hand() -> None:
    # cells: variance 0.02 in T1 of each, 0 elsewhere: pooled 0.02/3 a side, ω² = 0.04/3
    # gaps 0.2, 0.4, 0: s² = 0.04; less ω²/2 = 0.02/3
    found = pilot_spread(pilot_job(), ("g1", "bare"))
    assert found is not None
    assert found.within == pytest.approx(0.04 / 3)
    assert found.between == pytest.approx(0.04 - 0.02 / 3)
    assert "handmade" in found.source


def test_a_pilots_prices_are_its_means() -> None:
    found = pilot_prices(pilot_job(), ("bare", "g1"))
    assert found is not None
    assert found.usd == {"bare": 1.5, "g1": 1.5}
    assert found.seconds == {"bare": 60.0, "g1": 60.0}
    assert pilot_prices(pilot_job(), ("bare", "g3")) is None


def test_a_pilot_too_small_tells_nothing() -> None:
    one_rep = Cells(job(*(Trial(f"T{t}-{c}-r1") for t in (1, 2, 3) for c in ("bare", "g1"))))
    assert pilot_spread(one_rep, ("g1", "bare")) is None
    two_tasks = [Trial(f"T{t}-{c}-r{r}") for t in (1, 2) for c in ("bare", "g1") for r in (1, 2)]
    assert pilot_spread(Cells(job(*two_tasks)), ("g1", "bare")) is None


def test_the_more_the_better() -> None:
    designs = plan(WANTED, pilot_spread(Cells(fifty_trials()), ("g1", "bare")) or ASSUMED, None)
    powers = {(d.tasks, d.reps): d.power for d in designs.designs}
    assert powers[20, 2] > powers[10, 2] > powers[5, 2]
    assert powers[10, 4] > powers[10, 2]

"""True values of the shipped tasks, and that intervals of played matrices hold them."""

from collections import defaultdict

import pytest

from gatebench.model.task import PromptVariant
from gatebench.stats.analysis import analyze
from gatebench.stats.records import Analysis
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.stats.truth import TrueValues, true_values
from gatebench.suites import load_suite
from gatebench.team import load_profile

SEEDS = range(1, 21)


def tasks(profile: str) -> list[SimTask]:
    team = load_profile(profile)
    shipped = (t for t in load_suite("tinydb").tasks if not t.spare)
    return [SimTask.of(t, team, PromptVariant.TERSE) for t in shipped]


def by_name(found: TrueValues) -> dict[tuple[str, str], float]:
    return {(v.name, v.whose): v.value for v in found.values if v.value is not None}


def limits(found: Analysis) -> dict[tuple[str, str], tuple[float, float] | None]:
    told = {("pass rate", c.config): c.pass_rate.interval for c in found.configs}
    told |= {("gain", c.config): c.gain.interval for c in found.configs}
    told |= {("cost", c.config): c.total.interval for c in found.costs}
    for pair in found.comparisons:
        whose = f"{pair.config} − {pair.against}"
        told["difference", whose] = pair.difference.interval
        told["cost difference", whose] = pair.cost_difference.interval
        told["net benefit", whose] = pair.net_benefit.interval
    return told


def test_a_perfect_team_is_perfect() -> None:
    found = by_name(true_values("perfect", tasks("perfect"), trials=50))
    for config in ("bare", "g1", "g3", "g13", "g13adv"):
        assert found["pass rate", config] == 1.0
        assert ("right-block rate", config) not in found
    assert found["difference", "g1 − bare"] == 0.0
    assert found["cost", "g13"] > found["cost", "bare"] > 0


def test_a_refuser_never_repairs() -> None:
    found = by_name(true_values("refuser", tasks("refuser"), trials=500))
    assert found["repaired share", "g13"] == 0.0
    assert found["broken share", "g13"] == 0.0
    assert found["gain", "g13"] == pytest.approx(0.0, abs=0.03)


@pytest.mark.proof
def test_intervals_of_twenty_matrices_hold_the_true_values() -> None:
    truth = by_name(true_values("mixed", tasks("mixed"), trials=8_000))
    hits: dict[str, list[bool]] = defaultdict(list)
    for seed in SEEDS:
        for key, interval in limits(analyze(play_job(tasks("mixed"), seed=seed))).items():
            if interval is not None:
                hits[key[0]].append(interval[0] <= truth[key] <= interval[1])
    assert set(hits) == {
        "pass rate",
        "gain",
        "cost",
        "difference",
        "cost difference",
        "net benefit",
    }
    told = [hit for each in hits.values() for hit in each]
    assert sum(told) / len(told) >= 0.9
    assert all(sum(each) / len(each) >= 0.85 for each in hits.values())

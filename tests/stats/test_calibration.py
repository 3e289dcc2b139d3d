"""The calibration measures what an analysis prints, on populations whose truth is known."""

from collections.abc import Iterator

import numpy as np
import pytest

from gatebench.model.job import JobData
from gatebench.model.task import PromptVariant
from gatebench.model.trial import SHIPPED_CONFIGS
from gatebench.stats import rejected
from gatebench.stats.analysis import analyze
from gatebench.stats.calibrate import Plan, calibrate
from gatebench.stats.coverage import LEAST
from gatebench.stats.estimands import METHODS, Job, Printed, Truth, covers, printed, target_of
from gatebench.stats.estimate import Estimate, Target, undefined
from gatebench.stats.nulls import T_TEST, USED, alarms
from gatebench.stats.population import (
    END,
    Design,
    Population,
    Size,
    _figures,
    keys_of,
    populate,
    sample,
    tally,
)
from gatebench.stats.records import Analysis
from gatebench.stats.settings import SETTINGS, shift
from gatebench.stats.simulated_seat import SimTask
from gatebench.stats.simulator import play_job
from gatebench.suites import load_suite
from gatebench.team import load_profile

MIXED = load_profile("mixed")
TASKS = [
    SimTask.of(t, MIXED, PromptVariant.TERSE) for t in load_suite("tinydb").tasks if not t.spare
]
NAMES = {s.name: s for s in SETTINGS}


def as_population(job: JobData, tasks: list[SimTask]) -> Population:
    """A population that holds the trials of one job, in their places."""
    trials = {(t.id.config, t.id.task): [] for t in job.trials}  # type: ignore[var-annotated]
    for t in job.trials:
        trials[t.id.config, t.id.task].append(t)
    figures = np.array(
        [
            [[_figures(t, task) for t in trials[c.name, task.id]] for task in tasks]
            for c in SHIPPED_CONFIGS
        ]
    )
    counts = tuple(
        np.array(
            [[tally(t, keys_of(c)) for t in trials[c.name, task.id]] for task in tasks],
            dtype=np.int64,
        ).reshape(len(tasks), job.reps, len(keys_of(c)), 2)
        for c in SHIPPED_CONFIGS
    )
    return Population(SHIPPED_CONFIGS, 5, figures, counts)


def of_analysis(found: Analysis) -> Iterator[tuple[str, str, Estimate]]:
    for c in found.configs:
        yield "pass rate", c.config, c.pass_rate
        yield "gain", c.config, c.gain
    for cost in found.costs:
        yield "cost", cost.config, cost.total
        yield "induced worker cost", cost.config, cost.induced_worker
    for pair in found.comparisons:
        whose = f"{pair.config} − {pair.against}"
        yield "difference", whose, pair.difference
        yield "difference on these tasks", whose, pair.difference_these_tasks
        yield "cost difference", whose, pair.cost_difference
        yield "net benefit", whose, pair.net_benefit
        yield "dollars per extra requirement", whose, pair.usd_per_requirement
    assert found.premise is not None
    yield "first stops, gated minus bare", "all", found.premise.difference
    for g in found.gates:
        whose = " · ".join(filter(None, (g.config, g.gate)))
        yield "right-block rate", whose, g.right_block_rate
        yield "false-block rate", whose, g.false_block_rate
        yield "trials with a false block", whose, g.trials_with_false_block
    for t in found.transitions:
        whose = " · ".join(filter(None, (t.config, t.gate, t.label)))
        yield "repaired share", whose, t.repaired_share
        yield "broken share", whose, t.broken_share


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_measured_is_what_an_analysis_prints(seed: int) -> None:
    """Every interval of a job, by the fast way and by `analyze`: the same to the last digit."""
    data = play_job(TASKS, seed=seed)
    population = as_population(data, TASKS)
    sums = tuple(counts.sum(axis=1) for counts in population.counts)
    job = Job(population, population.means, population.figures, sums, population.means)
    fast = {(p.kind, p.whose): p.estimate for p in printed(job, Truth(population))}
    slow = {(kind, whose): e for kind, whose, e in of_analysis(analyze(data))}
    shown = {key for key, e in slow.items() if e.interval or e.region}
    assert len(shown) > 60
    assert shown <= fast.keys()
    for key, estimate in slow.items():
        if key in shown:
            assert fast[key].interval == pytest.approx(estimate.interval), key
            assert fast[key].value == pytest.approx(estimate.value), key
            assert fast[key].method == estimate.method
    assert {kind for kind, _ in fast} == set(METHODS)


@pytest.fixture(scope="module")
def population() -> Population:
    return populate(NAMES["medium"], MIXED, Size(30, 12), seed=1)


def test_truth_is_what_many_jobs_come_to(population: Population) -> None:
    jobs = sample(population, Design(5, 2), 3000, np.random.default_rng(1))
    seen = jobs.means[:, :, :, END].mean(axis=(1, 2))
    assert seen == pytest.approx(Truth(population).means[:, END], abs=0.01)
    for c, config in enumerate(population.configs):
        hits, whole = np.moveaxis(jobs.counts[c].sum(axis=(0, 1)), -1, 0)
        often = whole > 2000
        if config.gates:
            shares = (hits / np.maximum(whole, 1))[often]
            assert shares == pytest.approx(Truth(population).shares[c][often], abs=0.03)


def test_tasks_differ_as_the_setting_says() -> None:
    spread = {
        name: populate(NAMES[name], MIXED, Size(40, 6), seed=2).means[0, :, END].std()
        for name in ("equal", "large")
    }
    assert spread["large"] > spread["equal"] + 0.03


def test_shifts_are_on_the_logit_scale() -> None:
    assert shift(0.5, 1.0) == pytest.approx(1 / (1 + np.exp(-1)))
    assert shift(shift(0.3, 0.7), -0.7) == pytest.approx(0.3)
    assert [shift(p, 2.0) for p in (0.0, 1.0)] == [0.0, 1.0]


def test_a_small_calibration_has_the_shape_of_a_large_one() -> None:
    plan = Plan(
        MIXED, jobs=60, tasks=(5,), settings=(NAMES["medium"], NAMES["strict"]), size=Size(12, 8)
    )
    told: list[str] = []
    measured = calibrate(plan, progress=told.append)
    assert len(told) == 2
    rows = measured.calibration.estimates
    assert {r.setting for r in rows} == {"medium", "strict"}
    assert {"pass rate", "difference", "gain", "cost", "net benefit"} <= {r.name for r in rows}
    for row in rows:
        assert 0.4 < row.coverage <= 1
        assert (row.tasks, row.reps) == (5, 2)
        assert row.used is (row.method == METHODS[row.name])
    here = {r.name for r in rows if r.target == Target.THESE_TASKS.value}
    assert here == {"difference on these tasks"}
    assert target_of("first stops, gated minus bare") is Target.THESE_TASKS
    assert {t.name: t.used for t in measured.calibration.tests} == USED
    assert all(w.printed >= LEAST for w in measured.weakest)


def test_the_same_seed_measures_the_same_in_one_process_or_two() -> None:
    plan = Plan(MIXED, jobs=12, tasks=(3,), settings=(NAMES["equal"],), size=Size(4, 3))
    assert calibrate(plan).calibration == calibrate(plan, workers=2).calibration


def test_the_rejected_are_worse_and_shown_to_be() -> None:
    plan = Plan(MIXED, jobs=200, tasks=(5,), settings=(NAMES["large"],), size=Size(40, 10))
    rows = calibrate(plan).calibration.estimates
    t = next(r for r in rows if r.name == "difference" and r.used)
    percentile = next(r for r in rows if r.method == "cluster bootstrap, percentile")
    assert percentile.coverage < t.coverage - 0.05
    naive = next(r for r in rows if r.method.startswith("Wilson on requirements"))
    assert naive.coverage < 0.93
    assert not naive.used


def test_nothing_real_seldom_cries_out(population: Population) -> None:
    rng = np.random.default_rng(3)
    found = list(alarms(population, Design(5, 2), 90, rng))
    by_t = [alarm for name, alarm in found if name == T_TEST]
    assert len(by_t) == 90
    assert sum(by_t) <= 12  # 4.5 expected at most; 12 or more has a chance of 0.2 %
    assert {name for name, _ in found} == set(USED)


def test_covering_is_told_of_what_is_printed_alone() -> None:
    base = Estimate(value=1.0, n=5, interval=(0.0, 2.0), method="m")
    assert covers(base, 1.9) is True
    assert covers(base, 2.1) is False
    assert covers(undefined("too few", "m"), 1.0) is None
    outside = base.model_copy(update={"region": ((None, -1.0), (1.0, None)), "interval": None})
    assert [covers(outside, x) for x in (-2.0, 0.0, 5.0)] == [True, False, True]


def test_bootstrap_limits_worked_against_a_loop() -> None:
    figures = np.array([[0.1, 0.4, 0.2, 0.9, 0.3]])
    low, high = rejected.percentile(figures, np.random.default_rng(7))
    at = np.random.default_rng(7).integers(5, size=(rejected.RESAMPLES, 5))
    means = [float(np.mean(figures[0][row])) for row in at]
    assert (low[0], high[0]) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))
    skewed_low, skewed_high = rejected.bca(figures, np.random.default_rng(7))
    assert skewed_high[0] >= high[0]
    assert skewed_low[0] >= low[0]


def test_a_population_may_be_sampled_with_any_design(population: Population) -> None:
    jobs = sample(population, Design(7, 3), 4, np.random.default_rng(1))
    assert jobs.figures.shape[:4] == (5, 4, 7, 3)
    assert all(counts.shape[:2] == (4, 7) for counts in jobs.counts)


def test_printed_names_every_config(population: Population) -> None:
    jobs = sample(population, Design(5, 2), 1, np.random.default_rng(1))
    first = jobs.tasks[0]
    job = Job(
        population,
        jobs.means[:, 0],
        jobs.figures[:, 0],
        tuple(c[0] for c in jobs.counts),
        population.means[:, first],
    )
    found: list[Printed] = list(printed(job, Truth(population)))
    assert {p.whose for p in found if p.kind == "pass rate"} == {c.name for c in SHIPPED_CONFIGS}

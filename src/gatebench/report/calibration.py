"""The calibration page: which intervals hold, which fall short where, and which were rejected."""

import math
from collections.abc import Iterator, Sequence

from gatebench.stats.calibrate import Calibration, Measured, TestRow
from gatebench.stats.coverage import EstimateRow
from gatebench.stats.estimands import METHODS, SMALL
from gatebench.stats.settings import SETTINGS

LOW, HIGH, LEAST = 0.93, 0.97, 0.93
"""What the mean coverage over the settings must lie between; what no setting should fall below."""
FAMILY = 0.05
ERRORS = 3
"""Standard errors of the simulation that a family-wise error may lie above what it should be."""
WHY = {
    "cluster bootstrap, percentile": "resampling few tasks makes their spread too small; it never "
    "overtakes t",
    "cluster bootstrap, BCa": "corrects the percentile for skewness, not for the missing spread",
    "cluster bootstrap, studentised": "near its level, but infinite where a resample has ties, and "
    "wider than t",
    "Wilson on requirements as if independent": "requirements of one task and trial hang together",
    "beta-binomial, pooled over stops": "the variance of few tasks taken as known; no limits at "
    "all where nothing happened",
}


def mean_coverage(rows: Sequence[EstimateRow]) -> float:
    """Over the settings."""
    return sum(row.coverage for row in rows) / len(rows)


def cells(
    calibration: Calibration, *, used: bool
) -> Iterator[tuple[str, str, int, int, list[EstimateRow]]]:
    """(name, method, tasks, reps, rows of all settings), in the order of the methods."""
    found: dict[tuple[str, str, int, int], list[EstimateRow]] = {}
    for row in calibration.estimates:
        if row.used == used:
            found.setdefault((row.name, row.method, row.tasks, row.reps), []).append(row)
    order = list(METHODS)
    for key in sorted(found, key=lambda k: (order.index(k[0]), k[1], k[3], k[2])):
        yield (*key, found[key])


def misses(calibration: Calibration, jobs: int) -> list[str]:
    """What doesn't hold: a mean outside its range, a family that cries out too often."""
    found = []
    for name, _, tasks, reps, rows in cells(calibration, used=True):
        mean = mean_coverage(rows)
        if mean < LOW or (mean > HIGH and name not in SMALL):
            found.append(f"{name}, {tasks} tasks × {reps} reps: {percent(mean)} on average")
    for test in calibration.tests:
        if test.used and test.familywise_error > FAMILY + ERRORS * family_error(jobs):
            error = percent(test.familywise_error)
            found.append(f"{test.name}, {test.tasks} tasks: family-wise error {error}")
    return found


def family_error(jobs: int) -> float:
    """Standard error of a simulated family-wise error of 5 %; a third of jobs is the fewest."""
    return math.sqrt(FAMILY * (1 - FAMILY) / (2 * jobs / 3))


def weak_settings(calibration: Calibration) -> list[EstimateRow]:
    """Single settings in which a printed interval covers less than 93 %."""
    return [r for r in calibration.estimates if r.used and r.coverage < LEAST]


def calibration_markdown(measured: Measured) -> str:
    """The page ``docs/calibration.md``."""
    calibration = measured.calibration
    parts = [
        _head(measured),
        "## What `analyze` prints\n",
        _intervals(calibration),
        "## Settings in which an interval falls below 93 %\n",
        _weak(calibration, measured),
        "## Tests\n",
        _tests(calibration),
        "## Why not\n",
        _why_not(calibration),
        "## The settings\n",
        _settings(calibration),
    ]
    return "\n".join(parts)


def _settings(calibration: Calibration) -> str:
    measured = {row.setting for row in calibration.estimates}
    return "".join(f"- `{s.name}`: {s.words}.\n" for s in SETTINGS if s.name in measured)


def _head(measured: Measured) -> str:
    return (
        "# Calibration\n\n"
        f"Measured on {measured.jobs:,} simulated jobs a cell (`./dev proof` writes this page with "
        "4,000, `gatebench simulate` measures again). The team of the "
        "profile `mixed` plays tasks that are drawn anew from each setting; every job is analysed "
        "with the functions that `gatebench analyze` uses; the truth is the mean of the whole "
        "population that the jobs are drawn from. The settings are assumed, not estimated from "
        "real agents. Intervals claim 95 %. Printed intervals alone count: where an analysis "
        "gives words or counts there is nothing to cover.\n"
    )


def _intervals(calibration: Calibration) -> str:
    lines = [
        "Coverage in percent: the mean over the settings, then the lowest and highest setting.\n",
        "| interval | method | about | tasks × reps | mean | lowest | highest | median width |",
        "|:--|:--|:--|--:|--:|--:|--:|--:|",
    ]
    for name, method, tasks, reps, rows in cells(calibration, used=True):
        low, high = (pick(rows, key=lambda r: r.coverage) for pick in (min, max))
        widths = sorted(r.median_width for r in rows if r.median_width is not None)
        width = f"{widths[len(widths) // 2]:.3g}" if widths else "unbounded"
        mean = percent(mean_coverage(rows))
        lines.append(
            f"| {name} | {method} | {rows[0].target} | {tasks} × {reps} | {mean} | "
            f"{percent(low.coverage)} ({low.setting}) | {percent(high.coverage)} "
            f"({high.setting}) | {width} |"
        )
    return "\n".join(lines) + "\n"


def _weak(calibration: Calibration, measured: Measured) -> str:
    rows = weak_settings(calibration)
    if not rows:
        return "None.\n"
    worst = {(w.name, w.tasks, w.reps, w.setting): w for w in measured.weakest}
    lines = []
    for r in sorted(rows, key=lambda r: r.coverage):
        weak = worst.get((r.name, r.tasks, r.reps, r.setting))
        told = f"; lowest for {weak.whose}: {percent(weak.coverage)}" if weak else ""
        lines.append(
            f"- **{r.name}**, setting `{r.setting}`, {r.tasks} × {r.reps}: "
            f"{percent(r.coverage)}{told}"
        )
    return "\n".join(lines) + "\n"


def _tests(calibration: Calibration) -> str:
    lines = [
        (
            "Share of jobs in which at least one planned contrast was significant at 5 % after "
            "Holm although none was real.\n"
        ),
        "| test | printed | " + " | ".join(f"{n} tasks" for n in _sizes(calibration)) + " |",
        "|:--|:--|" + "--:|" * len(_sizes(calibration)),
    ]
    by_name: dict[str, list[TestRow]] = {}
    for test in calibration.tests:
        by_name.setdefault(test.name, []).append(test)
    for name, tests in by_name.items():
        errors = " | ".join(percent(t.familywise_error) for t in tests)
        lines.append(f"| {name} | {'yes' if tests[0].used else 'no'} | {errors} |")
    return "\n".join(lines) + "\n"


def _sizes(calibration: Calibration) -> list[int]:
    return sorted({test.tasks for test in calibration.tests})


def _why_not(calibration: Calibration) -> str:
    lines = [
        "Measured on the same jobs, printed nowhere.\n",
        "| interval | method | tasks × reps | mean | lowest | why not |",
        "|:--|:--|--:|--:|--:|:--|",
    ]
    for name, method, tasks, reps, rows in cells(calibration, used=False):
        low = min(rows, key=lambda r: r.coverage)
        lines.append(
            f"| {name} | {method} | {tasks} × {reps} | {percent(mean_coverage(rows))} | "
            f"{percent(low.coverage)} ({low.setting}) | {WHY[method]} |"
        )
    return "\n".join(lines) + "\n"


def percent(share: float) -> str:
    """``94.7 %``."""
    return f"{100 * share:.1f} %"

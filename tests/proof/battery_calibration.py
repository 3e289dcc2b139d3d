"""Coverage of every printed interval and error of every test, at full size; writes its own page."""

import os
import sys

from gatebench.report.calibration import (
    calibration_markdown,
    cells,
    mean_coverage,
    misses,
    percent,
    weak_settings,
)
from gatebench.stats.calibrate import PROOF_JOBS, Plan, calibrate
from gatebench.team import load_profile
from proof.page import ROOT
from proof.registry import Record, battery

PAGE = ROOT / "docs" / "calibration.md"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@battery("calibration", "coverage of every printed interval, 4,000 jobs a cell")
def calibration() -> Record:
    workers = max(1, len(os.sched_getaffinity(0)))
    plan = Plan(load_profile("mixed"), jobs=PROOF_JOBS)
    measured = calibrate(plan, workers=workers, progress=_tell)
    PAGE.write_text(calibration_markdown(measured), "utf-8")
    rows = tuple(
        (
            name,
            f"{tasks} × {reps}",
            percent(mean_coverage(found)),
            percent(min(r.coverage for r in found)),
            percent(max(r.coverage for r in found)),
        )
        for name, _, tasks, reps, found in cells(measured.calibration, used=True)
    )
    tests = tuple(
        (t.name, f"{t.tasks} tasks", percent(t.familywise_error), "", "")
        for t in measured.calibration.tests
        if t.used
    )
    wrong = misses(measured.calibration, plan.jobs)
    weak = weak_settings(measured.calibration)
    return Record(
        title="Calibration of the intervals and tests",
        header=("interval or test", "tasks × reps", "mean or error", "lowest", "highest"),
        rows=(*rows, *tests),
        ok=not wrong,
        seconds=measured.seconds,
        notes=(
            (
                f"{PROOF_JOBS:,} simulated jobs a cell; the whole table, the rejected methods and "
                f"the {len(weak)} single settings below 93 % are in docs/calibration.md."
            ),
            *(f"Outside: {line}." for line in wrong),
        ),
    )

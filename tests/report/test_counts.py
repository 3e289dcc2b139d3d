import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from handmade import Stop, Trial, job, six_trials
from rich.console import Console

from gatebench.report.counts import count, dollars, fitting, render, render_narrow, seconds

ROOT = Path(__file__).parents[2]


def shown(renderable: object, width: int = 110) -> str:
    console = Console(width=width, file=io.StringIO())
    console.print(renderable)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_six_trials_counted_by_hand() -> None:
    bare, g1, g13 = count(six_trials()).rows
    assert (bare.hidden.passed, bare.hidden.possible, bare.hidden.full) == (7, 10, 0)
    assert (g1.hidden.passed, g1.hidden.possible, g1.hidden.full) == (9, 10, 1)
    assert (g13.hidden.passed, g13.hidden.possible, g13.hidden.full) == (9, 10, 1)
    assert vars(g1.blocks) == {
        "total": 2,
        "right": 1,
        "false": 1,
        "regression": 0,
        "misses": 1,
        "give_ups": 0,
    }
    assert (g13.blocks.total, g13.blocks.right, g13.blocks.false, g13.blocks.misses) == (4, 3, 1, 1)
    assert g13.cost.worker_usd == 5.0
    assert g13.cost.reviewers_usd == 1.0
    assert g13.cost.writer_usd == 0.5
    assert g13.cost.total_usd == 6.5
    assert g1.wall_s == 60.0


def test_bare_has_no_blocks_rather_than_none_of_them() -> None:
    bare = count(six_trials()).rows[0]
    assert set(vars(bare.blocks).values()) == {None}
    line = next(text for text in shown(render(count(six_trials()))).splitlines() if "bare" in text)
    assert line.split()[1:10] == ["2/2", "7/10", "0/2", "–", "–", "–", "–", "–", "–"]


def test_a_filling_job_counts_what_is_there() -> None:
    filling = job(
        Trial("T1-bare-r1", end="R1"),
        Trial("T2-bare-r1", done=False),
        Trial("T3-bare-r1", status="spawn_failed", end="?", worker=None),
        Trial("T1-g1-r1", done=False, stops=(Stop("red", "R1"),)),
    )
    bare, g1 = count(filling).rows
    assert (bare.trials.planned, bare.trials.valid, bare.trials.invalid) == (3, 1, 1)
    assert (bare.hidden.passed, bare.hidden.possible) == (4, 5)
    assert bare.cost.total_usd == 1.0
    assert g1.hidden.passed is None
    assert g1.blocks.total is None
    line = next(text for text in shown(render(count(filling))).splitlines() if " g1 " in text)
    assert line.split()[1:4] == ["0/1", "–", "–"]


def test_a_cost_with_an_unknown_part_is_unknown() -> None:
    known, unknown = Trial("T1-bare-r1"), Trial("T2-bare-r1", worker=None)
    row = count(job(known, unknown)).rows[0]
    assert row.cost.worker_usd is None
    assert row.cost.total_usd is None
    assert row.cost.reviewers_usd == 0.0


def test_unscorable_requirements_leave_the_denominator() -> None:
    partly = {"hidden_pass": 3, "hidden_fail": 1, "hidden_unscorable": 1}
    row = count(job(Trial("T1-bare-r1", changes=partly), Trial("T2-bare-r1"))).rows[0]
    assert (row.hidden.passed, row.hidden.possible, row.hidden.unscorable) == (8, 9, 1)
    assert (row.hidden.full, row.hidden.judged) == (1, 1)


def test_simulated_is_in_the_title_and_only_then() -> None:
    assert "SIMULATED" in shown(render(count(six_trials())))
    assert "SIMULATED" not in shown(render(count(job(Trial("T1-bare-r1"), simulated=False))))


def test_an_empty_job_has_a_table_too() -> None:
    assert "handmade" in shown(render(count(job())))


def test_it_fits_the_terminals_it_says_it_fits() -> None:
    wide = shown(render(count(six_trials())), 100)
    narrow = shown(render_narrow(count(six_trials())), 80)
    assert "…" not in wide + narrow
    assert max(len(line) for line in narrow.splitlines()) <= 80


def test_small_money_and_long_times_stay_readable() -> None:
    assert [dollars(v) for v in (None, 0.0, 0.0123, 1.239)] == ["–", "0.00", "0.012", "1.24"]
    assert [seconds(v) for v in (None, 1.24, 9.96, 61.0, 125.0)] == [
        "–",
        "1.2s",
        "10s",
        "61s",
        "2m05s",
    ]


def test_the_live_table_never_imports_the_heavy_libraries() -> None:
    code = (
        "import sys, gatebench.report.counts\n"
        "heavy = {'scipy', 'statsmodels', 'numpy', 'gatebench.stats'} & set(sys.modules)\n"
        "sys.exit(','.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("width", [80, 100, 120])
def test_nothing_is_cut_off_at_any_width(width: int) -> None:
    counts = count(six_trials())
    long = replace(
        counts, rows=tuple(replace(r, config=f"{r.config}_guarded") for r in counts.rows)
    )
    for some in (counts, long):
        assert "…" not in shown(fitting(some, width), width)

"""A matrix killed at random instants; the fifty kills of the battery are for ``./dev proof``."""

from pathlib import Path

from front import Front
from proof.battery_chaos import QUICK, run_chaos


def test_killed_eight_times_a_matrix_ends_like_one_left_alone(front: Front, tmp_path: Path) -> None:
    record = run_chaos(QUICK, front, tmp_path)
    assert record.ok, record.notes
    assert record.rows[0] == ("kills of the whole process group", "8")

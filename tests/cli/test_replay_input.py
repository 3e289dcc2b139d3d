"""`replay` of what isn't there, or isn't what it was: a sentence, a next step, nothing written."""

import json
import shutil
from pathlib import Path

import pytest
from front import Front, Job, complaint


def test_a_changed_oracle_is_noticed(nop: Job, tmp_path: Path) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "nop"))
    lock = json.loads((path / "lock.json").read_bytes())
    lock["digests"]["hidden"] = "another"
    (path / "lock.json").write_text(json.dumps(lock))
    said = complaint(nop.front("replay", path, "--gates", "tests", "--states", "reference"), 1)
    assert "another hidden" in said
    assert not (path / "replay").exists()


@pytest.mark.parametrize(
    ("args", "code", "named"),
    [
        (("--gates", "g7"), 2, "unknown config or gate 'g7'"),
        (("--gates", "bare"), 2, "'bare' has no gates"),
        ((), 2, "which gates"),
        (("--gates", "g1", "--states", "moon"), 2, "unknown kind of state 'moon'"),
        (("--gates", "g1", "--matrix", "none.toml"), 2, "none.toml"),
    ],
)
def test_nonsense_is_told(nop: Job, args: tuple[str, ...], code: int, named: str) -> None:
    assert named in complaint(nop.front("replay", nop.path, *args), code)
    assert not (nop.path / "replay").exists()


def test_a_job_that_is_not_there(front: Front) -> None:
    assert "unknown job 'nowhere'" in complaint(front("replay", "nowhere", "--gates", "g1"), 2)


def test_a_job_without_snapshots_says_what_can_be_done(nop: Job, tmp_path: Path) -> None:
    path = Path(shutil.copytree(nop.path, tmp_path / "nop"))
    shutil.rmtree(path / "trees.git")
    said = complaint(nop.front("replay", path, "--gates", "g1"), 1)
    assert "has no snapshots" in said
    assert "--states reference,second,lattice" in said
    for name in ("T1-bare-r1", "T1-g1-r1"):
        shutil.rmtree(path / name)
    assert "no finished trial" in complaint(nop.front("replay", path, "--gates", "g1"), 1)

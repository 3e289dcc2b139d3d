"""A Stop hook that somebody already has, measured unchanged through the front door."""

import json
from pathlib import Path

import pytest
from front import Front, Job, complaint, run_job

pytestmark = pytest.mark.proof

HOOK = """\
import json, sys
told = json.load(sys.stdin)
if told["stop_hook_active"]:
    sys.exit(0)
said = bool(told["last_assistant_message"]), bool(told["session_id"]), told["cwd"]
sys.stderr.write(f"{said} {sorted(told)}")
sys.exit(2)
"""
MATRIX = """\
name = "hooked"
suite = "{suite}"
reps = 1

[configs.hook]
gates = ["command:mine"]
settings."command:mine".command = ["python", "{files}/stop.py"]
settings."command:mine".files = ["hooks/stop.py"]
settings."command:mine".contract = "stop-hook"
"""


@pytest.fixture(scope="module")
def place(shipped_pocket: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matrix file with its script beside it, somewhere else than where the program starts."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "hooks").mkdir()
    (folder / "hooks/stop.py").write_text(HOOK)
    (folder / "m.toml").write_text(MATRIX.replace("{suite}", str(shipped_pocket)))
    return folder


@pytest.fixture(scope="module")
def hooked(front: Front, place: Path) -> Job:
    return run_job(front, place / "job", str(place / "m.toml"))


@pytest.mark.cli
def test_the_hook_is_told_what_the_program_says_and_is_obeyed(hooked: Job) -> None:
    trial = hooked.trial("T1-hook-r1")
    assert trial.decisions == ["block", "allow"]
    (said,) = trial.feedback()
    assert "(True, True, '.')" in said
    given = json.loads((trial.path / "hook-input-1.json").read_bytes())
    assert str(sorted(given)) in said
    assert trial.score["blocks_by_gate"] == {"g1": 0, "g3": 0, "command:mine": 1}
    assert "--- stderr ---" in (trial.path / "mine-command-1.txt").read_text()


@pytest.mark.proof
@pytest.mark.cli
def test_an_edited_hook_is_another_experiment(hooked: Job, place: Path) -> None:
    assert hooked.again().returncode == 0
    (place / "hooks/stop.py").write_text(HOOK + "\n")
    said = complaint(hooked.again(), 1)
    assert "belongs to another matrix: digest.config.hook.files.command:mine" in said
    (place / "hooks/stop.py").unlink()
    assert "hooks/stop.py' is not there" in complaint(hooked.again(), 2)

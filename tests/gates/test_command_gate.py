"""Any command as a gate: real commands on real snapshots, in the sandbox."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from court import Court, shared_court
from gate_ground import Stage, stop

from gatebench.errors import UsageError
from gatebench.gates.base import StopView
from gatebench.gates.command import CommandGate
from gatebench.gates.reason import build_reason
from gatebench.gates.registry import make_gate
from gatebench.gates.runner import run_gates
from gatebench.model.stop import GateResult, GateStatus

HOOK = """\
import json, sys
told = json.load(sys.stdin)
seen = sorted(told)
if told["stop_hook_active"]:
    sys.exit(0)
print(json.dumps({"decision": "block", "reason": f"{told['cwd']} {told['session_id']}"}))
"""


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return shared_court(tmp_path_factory)


def judged(court: Court, view: StopView, settings: Mapping[str, Any]) -> tuple[GateResult, Stage]:
    stage = Stage(court, settings=settings)

    async def session() -> tuple[GateResult, ...]:
        gate = make_gate("command:mine", stage.ground)
        return await run_gates([gate], view, run_all=False, doing=lambda _: None)

    return anyio.run(session)[0], stage


def ran(court: Court, *command: str, **settings: Any) -> GateResult:
    return judged(court, stop(court.base), {"command": command, **settings})[0]


def script(tmp_path: Path, text: str, name: str = "check.py") -> dict[str, Any]:
    """Settings with a file of the user's."""
    (tmp_path / name).write_text(text)
    return {"command": ("python", f"{{files}}/{name}"), "files": (str(tmp_path / name),)}


def test_exit_zero_passes_and_the_suites_environment_is_on_the_path(court: Court) -> None:
    found = ran(court, "python", "-c", "import pytest, tinydb")
    assert (found.name, found.status, found.error) == ("command:mine", GateStatus.PASS, None)
    assert found.detail == {"exit_code": 0, "contract": "exit"}


def test_anything_else_is_red_with_the_end_of_the_output(court: Court) -> None:
    found = ran(court, "sh", "-c", "seq 1 100; echo bad work >&2; exit 3")
    assert (found.status, found.detail["exit_code"]) == (GateStatus.RED, 3)
    assert found.reason.splitlines() == [str(n) for n in range(61, 101)]
    assert ran(court, "false").reason == "A check of the work failed (exit code 1)."


def test_a_file_of_the_users_is_there_and_cannot_be_written(court: Court, tmp_path: Path) -> None:
    text = """
import pathlib, sys
try:
    pathlib.Path(__file__).write_text("")
except OSError:
    print("kept", __file__, pathlib.Path("tinydb/table.py").absolute())
sys.exit(1)
"""
    found, stage = judged(court, stop(court.base), script(tmp_path, text))
    assert found.reason == "kept check.py tinydb/table.py"
    assert str(tmp_path) not in stage.filed["command-1.txt"]
    assert "/opt/gate" not in build_reason([found])


def test_what_it_adds_is_thrown_away_and_what_it_changes_is_an_error(court: Court) -> None:
    assert ran(court, "touch", "new.txt").status is GateStatus.PASS
    found = ran(court, "sh", "-c", "echo >> tinydb/table.py; rm setup.py pyproject.toml; exit 1")
    assert (found.status, found.reason) == (GateStatus.ERROR, "")
    assert "the gate changed files" in str(found.error)
    assert "tinydb/table.py" in str(found.error)


def test_a_command_that_is_not_there_is_an_error(court: Court) -> None:
    found = ran(court, "no-such-program")
    assert found.status is GateStatus.ERROR
    assert "could not be started" in str(found.error)


def test_a_command_that_does_not_end_has_timed_out(court: Court) -> None:
    found = ran(court, "sleep", "60", limit_s=0.5)
    assert found.status is GateStatus.TIMED_OUT
    assert "did not end within" in str(found.error)


def test_a_hook_somebody_has_is_asked_as_the_program_asks_it(court: Court, tmp_path: Path) -> None:
    settings = {**script(tmp_path, HOOK), "contract": "stop-hook"}
    given = json.dumps({"session_id": "abc", "stop_hook_active": False}).encode()
    found, _ = judged(court, replace(stop(court.base), hook_input=given), settings)
    assert (found.status, found.reason) == (GateStatus.RED, ". abc")
    again = json.dumps({"stop_hook_active": True}).encode()
    found, _ = judged(court, replace(stop(court.base), hook_input=again), settings)
    assert found.status is GateStatus.PASS


def test_the_trap_of_exit_2_is_measured_as_it_is(court: Court) -> None:
    command = ("sh", "-c", "cat /nowhere; exit 2")
    assert ran(court, *command).status is GateStatus.RED
    found = ran(court, *command, contract="stop-hook")
    assert (found.status, found.reason) == (GateStatus.ERROR, "")
    assert "takes the hook for missing" in str(found.error)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "setting 'command': field required"),
        ({"command": []}, "setting 'command'"),
        ({"command": ["x"], "contract": "other"}, "setting 'contract'"),
        ({"command": ["x"], "files": ["/nowhere/check.py"]}, "'/nowhere/check.py' is not there"),
    ],
)
def test_settings_that_will_not_do(court: Court, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match="(?i)" + words):
        CommandGate(Stage(court, settings=settings).ground)


def test_two_files_of_one_name_are_refused(court: Court, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for place in (tmp_path / "x.py", tmp_path / "a" / "x.py"):
        place.touch()
    files = [str(tmp_path / "x.py"), str(tmp_path / "a" / "x.py")]
    with pytest.raises(UsageError, match="the same name"):
        CommandGate(Stage(court, settings={"command": ["x"], "files": files}).ground)

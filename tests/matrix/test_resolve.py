"""From flags and files to a matrix: every wrong name is one clear sentence."""

from pathlib import Path
from typing import Any

import pytest

from gatebench.errors import MatrixError, UnknownName, UsageError
from gatebench.matrix.file import read_matrix_file
from gatebench.matrix.resolve import Known, Request, choose, default_name, resolve
from gatebench.model.matrix import Matrix
from gatebench.model.task import PromptVariant, Requirement, Task

KNOWN = Known(
    gates=("tests", "review"),
    agents=("claude-code", "nop", "reference"),
    profiles=("mixed", "perfect", "refuser", "hunter"),
    injections=("break",),
)


def task(name: str, *, spare: bool = False) -> Task:
    requirement = Requirement(id="R1", text="it works", stated=(PromptVariant.EXPLICIT,))
    prompts = dict.fromkeys(PromptVariant, "do it")
    return Task(id=name, title=name, prompts=prompts, requirements=(requirement,), spare=spare)


TASKS = (task("T1"), task("T2"), task("T6", spare=True))


def matrix(**request: Any) -> Matrix:
    asked = Request(**request)
    return resolve(asked, choose(asked), TASKS, KNOWN)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_without_arguments_it_is_the_shipped_matrix_without_spares() -> None:
    plain = matrix()

    assert plain.tasks == ("T1", "T2")
    assert [c.name for c in plain.configs] == ["bare", "g1", "g3", "g13", "g13adv"]
    assert plain.reps == 2
    assert plain.choice.simulated
    assert plain.choice.profile == "mixed"


def test_a_spare_task_can_be_asked_for() -> None:
    assert matrix(tasks=("T6",)).tasks == ("T6",)


def test_a_model_without_via_means_live() -> None:
    assert choose(Request(choices={"model": "claude-sonnet-5-5"})).via == "live"
    assert choose(Request(choices={"model": "m", "via": "scripted"})).via == "scripted"
    assert choose(Request()).via == "scripted"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"tasks": ("T9",)}, "unknown task 'T9'"),
        ({"configs": ("g7",)}, "unknown config 'g7'"),
        ({"choices": {"agent": "codex"}}, "unknown agent 'codex'"),
        ({"choices": {"profile": "nice"}}, "unknown profile 'nice'"),
    ],
)
def test_unknown_names_are_said_with_the_known_ones(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(UnknownName, match=words) as caught:
        matrix(**request_)
    assert caught.value.hint.startswith("Known: ")


def test_a_value_that_cannot_be_is_said_by_its_flag() -> None:
    with pytest.raises(UsageError, match="'x' won't do for --prompt"):
        choose(Request(choices={"prompt": "x"}))


def test_a_matrix_file_gives_configs_of_its_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.toml",
        """
        name = "patience"
        tasks = ["T2"]
        reps = 4
        give_up = 3
        profile = "refuser"

        [configs.g1]

        [configs.slow]
        gates = ["tests", "review"]
        give_up = 9
        prompt = "explicit"
        settings.review.variant = "adv"
        """,
    )

    asked = Request(file=read_matrix_file(path))
    found = resolve(asked, choose(asked), TASKS, KNOWN)

    assert (found.name, found.tasks, found.reps) == ("patience", ("T2",), 4)
    assert found.choice.profile == "refuser"
    assert found.config("g1").gates == ("tests",)
    assert found.config("g1").give_up == 3
    assert found.config("slow").give_up == 9
    assert found.config("slow").settings["review"] == {"variant": "adv"}
    assert found.config("slow").prompt is PromptVariant.EXPLICIT


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    file = read_matrix_file(write(tmp_path / "m.toml", 'profile = "refuser"\nreps = 4'))
    found = matrix(file=file, reps=1, choices={"profile": "perfect"})
    assert (found.reps, found.choice.profile) == (1, "perfect")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tasks = [", "is no TOML"),
        ("taks = ['T1']", "field 'taks'"),
        ("reps = 0", "field 'reps'"),
        ("[configs.x]\ngates = 3", "field 'configs.x.gates'"),
        ("[configs.x]\ngatez = []", "field 'configs.x.gatez'"),
        ("[configs.x]\ngive_up = -1\ngates = []", "field 'configs.x.give_up'"),
    ],
)
def test_a_broken_matrix_file_names_file_and_field(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(MatrixError, match=words) as caught:
        read_matrix_file(write(tmp_path / "m.toml", text))
    assert "m.toml" in caught.value.message
    assert caught.value.hint


def test_a_config_of_ones_own_must_name_its_gates(tmp_path: Path) -> None:
    file = read_matrix_file(write(tmp_path / "m.toml", "[configs.mine]\ngive_up = 2"))
    with pytest.raises(MatrixError, match="'mine' names no gates"):
        matrix(file=file)


def test_a_gate_that_is_not_there_is_said(tmp_path: Path) -> None:
    file = read_matrix_file(write(tmp_path / "m.toml", '[configs.mine]\ngates = ["lint"]'))
    with pytest.raises(UnknownName, match="unknown gate 'lint'"):
        matrix(file=file)


def test_the_folders_name_is_the_same_for_the_same_command_and_for_an_extended_one() -> None:
    base = default_name(matrix(), None)
    assert base == default_name(matrix(), None)
    assert base == default_name(matrix(reps=5, tasks=("T1",), configs=("g1",)), None)
    assert base != default_name(matrix(choices={"seed": 2}), None)
    assert base != default_name(matrix(choices={"profile": "perfect"}), None)
    assert base != default_name(matrix(give_up=20), 20)

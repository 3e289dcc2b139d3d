"""`validate` names the gates of a matrix that can't fail or can't pass, before they cost."""

import json
from pathlib import Path

import pytest
from front import Front

pytestmark = pytest.mark.proof

MATRIX = """\
suite = "{suite}"
via = "live"
model = "some-model"

[configs.fine]
gates = ["tests", "review", "truth", "diff-guard", "mutation", "command:compile"]
settings.mutation.mutants = 2
settings."command:compile".command = ["python", "-m", "compileall", "-q", "pocket"]

[configs.placebos]
gates = ["nudge", "random-block"]
shadow = ["block-once", "retry"]

[configs.broken]
gates = ["tests", "random-block", "command:yes", "command:no", "command:gone"]
shadow = ["random-block:always"]
settings.tests.writer = false
settings."random-block".rate = 0
settings."random-block:always".rate = 1
settings."command:yes".command = ["true"]
settings."command:no".command = ["false"]
settings."command:gone".command = ["no-such-program"]
"""


def test_each_gate_of_a_matrix_is_tried_without_its_model(
    front: Front, pocket: Path, tmp_path: Path
) -> None:
    matrix = tmp_path / "m.toml"
    matrix.write_text(MATRIX.format(suite=pocket))
    done = front("validate", matrix, "--only", "gates", "--json")
    assert done.returncode == 1, done.stderr
    (check,) = json.loads(done.stdout)
    assert check["said"].split("; ") == [
        "'tests' of fine blocks an empty worker",
        "'review' of fine blocks an empty worker",
        "'truth' of fine blocks an empty worker",
        "'diff-guard' of fine blocks tests that are skipped",
        "'mutation' of fine blocks the reference without tests of its own",
        "'command:compile' of fine blocks code that is no Python",
        "'nudge' of placebos blocks now and then, whatever is there",
        "'random-block' of placebos blocks now and then, whatever is there",
        "'block-once' of placebos blocks now and then, whatever is there",
        "'retry' of placebos blocks now and then, whatever is there",
    ]
    assert [problem.split(": ")[0] for problem in check["problems"]] == [
        "gate 'tests' of broken can't fail here",
        "gate 'random-block' of broken can't fail here",
        "gate 'command:yes' of broken can't fail here",
        "gate 'command:no' of broken can't pass",
        "gate 'command:gone' of broken fails by itself",
        "gate 'random-block:always' of broken can't pass",
    ]
    assert "it lets an empty worker pass" in check["problems"][0]


def test_only_the_configs_asked_for_are_tried(front: Front, pocket: Path) -> None:
    done = front("validate", pocket, "--configs", "bare,nudge", "--only", "gates", "--json")
    (check,) = json.loads(done.stdout)
    assert (done.returncode, check["problems"]) == (0, [])
    assert check["said"] == "'nudge' of nudge blocks now and then, whatever is there"

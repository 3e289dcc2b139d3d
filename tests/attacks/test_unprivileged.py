"""The same as an ordinary user: the sandbox, a gated trial, and the look from inside."""

import json
import shutil
from collections.abc import Iterator

import pytest
from suite_ground import shared_ground
from unprivileged import Ordinary, ordinary_user

from gatebench.agents.program import bundled_cli


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ordinary]:
    cache = shared_ground(tmp_path_factory).cache
    with ordinary_user(cache) as user:
        yield user


def test_it_is_an_ordinary_user(user: Ordinary) -> None:
    said = user.python("-c", "import os; print(os.getuid(), os.access('/root/.bashrc', os.R_OK))")
    assert said.stdout.split() == ["61234", "False"], said.stderr


@pytest.mark.proof
def test_the_sandbox_holds(user: Ordinary) -> None:
    options = ("-q", "-p", "no:cacheprovider", "-x", "--basetemp", str(user.home / "tmp/pytest"))
    done = user.python(
        "-m", "pytest", "tests/sandbox", "tests/hook/test_stream_forgery.py", *options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.cli
def test_a_gated_trial_with_the_real_cli(user: Ordinary) -> None:
    if bundled_cli() is None:
        pytest.skip("the extra 'claude' is not installed")
    out = user.home / "job"
    command = ("run", "T1", "--configs", "g1", "--reps", "1", "--out", str(out))
    done = user.python("-c", "from gatebench.cli.main import main; main()", *command)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    score = json.loads((out / "T1-g1-r1/score.json").read_text())
    assert (score["status"], score["tampered"], score["simulated"]) == ("ok", [], True)
    assert score["hook_calls"] >= 1
    assert score["hidden_pass"] is not None
    assert (out / "T1-g1-r1/score.json").stat().st_uid == 61234
    shutil.rmtree(out)


FROM_INSIDE = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from attacks.catalogue import stage
from attacks.reading import FROM_INSIDE
for outcome in stage(FROM_INSIDE, Path(sys.argv[1])):
    print(outcome.attack.name, "|", outcome.observed, "|", outcome.trouble or "as expected")
"""


@pytest.mark.proof
def test_nothing_of_the_bench_is_seen_from_inside(user: Ordinary) -> None:
    done = user.python("-c", FROM_INSIDE, str(user.cache))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert len(lines) >= 4
    assert [line for line in lines if not line.endswith("as expected")] == []

"""Small jobs that are run once in a test session; many tests look at what they left."""

import shutil
from pathlib import Path

import pytest
from front import CARELESS, Front, Job, run_job
from suite_example import example_suite

REFUSED = ("T1", "--inject", "break", "--profile", "refuser", "--reps", "1")
IMPATIENT = """\
[configs.patient]
gates = ["tests"]
give_up = 20

[configs.capped]
gates = ["tests"]
give_up = 20
block_cap = 8
"""


@pytest.fixture(scope="session")
def front(tmp_path_factory: pytest.TempPathFactory) -> Front:
    """The program, started in a directory of its own; upstream and environments are shared."""
    cache = tmp_path_factory.getbasetemp() / "shared-cache"
    cache.mkdir(exist_ok=True)
    front = Front(tmp_path_factory.mktemp("front"), cache)
    (front.cwd / "careless.toml").write_text(CARELESS)
    return front


@pytest.fixture(scope="session")
def careless(front: Front) -> Job:
    """T1 under four configs: each gate blocks once and rightly, the worker mends it."""
    args = ("T1", "--configs", "bare,g1,g3,g13adv", "--reps", "1", "--profile", "careless.toml")
    return run_job(front, front.cwd / "careless", *args)


@pytest.fixture(scope="session")
def refused(front: Front) -> Job:
    """The red start state and a worker who never mends it, under three kinds of patience."""
    out = front.cwd / "refused"
    run_job(front, out, *REFUSED, "--configs", "g1")
    matrix = front.cwd / "patience.toml"
    matrix.write_text('tasks = ["T1"]\n' + IMPATIENT)
    return run_job(front, out, "patience.toml", *REFUSED[1:])


@pytest.fixture(scope="session")
def nop(front: Front) -> Job:
    """An agent that does nothing."""
    args = ("T1", "--configs", "bare,g1", "--reps", "1", "--agent", "nop")
    return run_job(front, front.cwd / "nop", *args)


@pytest.fixture(scope="session")
def reference(front: Front) -> Job:
    """An agent that applies the reference solution."""
    args = ("T1", "--configs", "bare,g1", "--reps", "1", "--agent", "reference")
    return run_job(front, front.cwd / "reference", *args, "--profile", "perfect")


@pytest.fixture(scope="session")
def shipped_pocket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example suite of docs/suites.md."""
    return example_suite(tmp_path_factory.mktemp("pocket"))


@pytest.fixture
def pocket(shipped_pocket: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    return Path(shutil.copytree(shipped_pocket, tmp_path / "pocket"))

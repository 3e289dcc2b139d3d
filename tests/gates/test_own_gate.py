"""A gate of somebody's own, as docs/gates.md shows it, installed and run."""

import re
import tomllib
from pathlib import Path

import pytest
from front import Front, complaint, run_job

pytestmark = pytest.mark.proof

DOCS = Path(__file__).parent.parent.parent / "docs" / "gates.md"
_FILE = re.compile(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MATRIX = """\
tasks = ["T1"]
reps = 1
agent = "reference"

[configs.calm]
gates = ["no-print"]

[configs.strict]
gates = ["no-print"]
give_up = 1
settings.no-print.word = "def push"
"""


def install(site: Path) -> None:
    """Lay the package of the page out as an installer does."""
    files = dict(_FILE.findall(DOCS.read_text()))
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    info = site / f"no_print-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head)
    groups = project["entry-points"].items()
    lines = [f"[{g}]\n" + "".join(f"{n} = {v}\n" for n, v in p.items()) for g, p in groups]
    (info / "entry_points.txt").write_text("".join(lines))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of packages that the program finds."""
    place = tmp_path / "site"
    place.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(place))
    return place


def test_the_gate_of_the_page_is_installed_and_run(
    front: Front, site: Path, tmp_path: Path
) -> None:
    install(site)
    matrix = tmp_path / "own.toml"
    matrix.write_text(MATRIX)
    job = run_job(front, tmp_path / "job", str(matrix))
    calm, strict = (job.trial(f"T1-{name}-r1") for name in ("calm", "strict"))
    assert calm.decisions == ["allow"]
    assert strict.decisions == ["block", "give_up"]
    assert strict.score["blocks_by_gate"]["no-print"] == strict.score["false_blocks"] == 1
    assert "Take out def push ['operations.py']" in strict.feedback()[0]


def test_the_gate_of_the_page_is_short() -> None:
    code = dict(_FILE.findall(DOCS.read_text()))["no_print/__init__.py"]
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 20


def test_a_package_that_cannot_be_loaded_is_named(front: Front, site: Path, tmp_path: Path) -> None:
    install(site)
    (site / "no_print/__init__.py").write_text("import nowhere_at_all\n")
    assert front("run", "T1", "--configs", "bare", "--dry-run").returncode == 0
    matrix = tmp_path / "own.toml"
    matrix.write_text(MATRIX)
    said = complaint(front("run", matrix, "--out", tmp_path / "job"), 2)
    assert "the gate 'no-print' can't be loaded from no_print:NoPrint" in said
    assert not (tmp_path / "job").exists()


def test_a_shadow_that_cannot_be_prepared_costs_nobody_a_trial(
    front: Front, site: Path, tmp_path: Path
) -> None:
    install(site)
    module = site / "no_print/__init__.py"
    broken = module.read_text().replace("prepare(self) -> None: ...", "prepare(self): 1 / 0")
    module.write_text(broken)
    matrix = tmp_path / "own.toml"
    matrix.write_text(
        'tasks = ["T1"]\nreps = 1\nagent = "reference"\n'
        '[configs.watched]\ngates = []\nshadow = ["no-print", "diff-guard"]\n'
    )
    trial = run_job(front, tmp_path / "job", str(matrix)).trial("T1-watched-r1")
    assert trial.score["status"] == "ok"
    broken_one, other = trial.stops[0]["shadow"]
    assert (broken_one["status"], other["status"]) == ("error", "pass")
    assert "ZeroDivisionError" in broken_one["error"]


def test_the_gate_that_is_not_installed_is_unknown(front: Front, tmp_path: Path) -> None:
    matrix = tmp_path / "own.toml"
    matrix.write_text(MATRIX)
    assert "unknown gate 'no-print'" in complaint(front("run", matrix), 2)

"""Two tests of our own in every run: one that must pass, one that must fail.

They run before any code of the tree does. If they don't come out as they must, the harness is at
fault and not the code under test. Their names are new in every run.
"""

import secrets
from dataclasses import dataclass

from gatebench.suites.pytest_run import PytestRun

_SOURCE = """\
import json

import pytest


def test_{good}(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("A", "1")
    (tmp_path / "a").write_text("a")
    with pytest.raises(ZeroDivisionError):
        1 / 0
    assert json.dumps([1]) == "[1]"


def test_{bad}():
    assert json.dumps([1]) == "[2]"
"""


@dataclass(frozen=True)
class Controls:
    """The names of one run's controls."""

    module: str
    good: str
    bad: str

    @property
    def source(self) -> str:
        """The module's text."""
        return _SOURCE.format(good=self.good, bad=self.bad)

    @property
    def calibrate(self) -> str:
        """Name of the test that touches nothing of the tree."""
        return f"test_{self.good}"

    def trouble(self, run: PytestRun) -> str | None:
        """What is wrong with the harness, if the controls did not come out as they must."""
        if not run.started:
            return f"the test program did not start (exit code {run.exit_code})"
        if not run.has_passed(f"{self.module}::test_{self.good}"):
            return "the control test that must pass did not"
        if run.outcomes(f"{self.module}::test_{self.bad}").get("call") != "failed":
            return "the control test that must fail did not"
        return None


def new_controls() -> Controls:
    """Controls with names that can't be foreseen."""
    module, good, bad = (secrets.token_hex(6) for _ in range(3))
    return Controls(f"test_{module}.py", good, bad)

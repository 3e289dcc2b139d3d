"""The table of statuses: one in code, the same in the docs."""

import importlib
import pkgutil
import re
from pathlib import Path

import gatebench
from gatebench.errors import HarnessFault
from gatebench.model.faults import FAULTS, fault

OF_OTHERS = ("gatebench.suites.tinydb", "gatebench.suites.inside", "gatebench.matrix.executors.ray")
"""Data, a program that runs elsewhere, and what needs an extra."""
DOCS = Path(__file__).parents[2] / "docs" / "errors.md"


def test_the_docs_show_the_very_table() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (\w+) \| (yes|no) \| (\d) \| (.+) \|$", DOCS.read_text(), re.MULTILINE
    )
    told = {r[0]: (r[1], r[2] == "yes", int(r[3]), r[4]) for r in rows}
    assert told == {k: (f.who.value, f.valid, f.retries, f.meaning) for k, f in FAULTS.items()}


def test_every_fault_of_ours_has_a_row() -> None:
    for module in pkgutil.walk_packages(gatebench.__path__, "gatebench."):
        if not module.name.startswith(OF_OTHERS):
            importlib.import_module(module.name)
    kinds: list[type[HarnessFault]] = [HarnessFault, *HarnessFault.__subclasses__()]
    assert "lost_call" in {kind.status for kind in kinds}
    assert {kind.status for kind in kinds} <= set(FAULTS)


def test_an_unknown_status_never_counts() -> None:
    assert not fault("something new").valid

"""The tests that are too long for `./dev test`: those marked ``proof``, one row each."""

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from proof.page import ROOT
from proof.registry import Record, battery

OWN_BATTERY = "tests/attacks/test_battery.py"
"""Its long half is the battery ``attacks``."""
LIMIT_S = 3_000


@battery("marked", "the long tests, among them everything as an ordinary user")
def marked() -> Record:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        code = _pytest(report)
        rows = _rows(report) if report.exists() else ()
    passed = sum(row[1] == "passed" for row in rows)
    return Record(
        title="Long tests",
        header=("test", "outcome", "s"),
        rows=rows,
        ok=code == 0 and passed > 0,
        seconds=time.monotonic() - began,
        notes=(f"{passed} of {len(rows)} passed.",),
    )


def _pytest(report: Path) -> int:
    lanes = ("-n", "2", "--dist", "loadfile")
    options = ("-m", "proof", "-q", *lanes, "--ignore", OWN_BATTERY, f"--junit-xml={report}")
    command = (sys.executable, "-m", "pytest", *options)
    return subprocess.run(command, cwd=ROOT, timeout=LIMIT_S, check=False).returncode


def _rows(report: Path) -> tuple[tuple[str, ...], ...]:
    cases = ET.parse(report).iter("testcase")  # noqa: S314  # pytest's own
    return tuple(
        (f"{case.get('classname')}.{case.get('name')}", _outcome(case), case.get("time") or "?")
        for case in cases
        if case.get("name")
    )


def _outcome(case: ET.Element) -> str:
    found = [name for name in ("failure", "error", "skipped") if case.find(name) is not None]
    return found[0] if found else "passed"

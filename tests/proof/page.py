"""docs/proof.md: one section for each battery, each with the commit and the day it is from."""

import datetime as dt
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proof.registry import Record

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "proof.md"
WRITTEN = ("docs/proof.md", "docs/calibration.md")
HEAD = """# Proof

Figures of the long batteries, written by `./dev proof`; `./dev proof NAME…` renews single sections.
Every figure is from the commit and day that its section names.
"""
_SECTION = re.compile(r"<!-- (?P<name>[\w-]+) -->\n.*?<!-- end -->\n", re.DOTALL)


@dataclass(frozen=True)
class Origin:
    """When, from what and on what a section was made."""

    commit: str
    day: str
    machine: str


def origin() -> Origin:
    """Of figures that are made now."""
    commit = _git("describe", "--always", "--abbrev=10") or "no commit"
    # What the batteries write themselves is no change of what they measure.
    others = _git("status", "--porcelain", "--", ".", *(f":!{page}" for page in WRITTEN))
    day = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    kernel = f"{platform.system()} {platform.release().split('-')[0]}"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {kernel}, as {who}"
    return Origin(f"{commit}-dirty" if others else commit, day, machine)


def _git(*words: str) -> str:
    command = ("git", "-C", str(ROOT), *words)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def section(name: str, record: Record, made: Origin) -> str:
    """One battery's section."""
    verdict = "as it must be" if record.ok else "**NOT as it must be**"
    lines = [
        f"<!-- {name} -->",
        f"## {record.title}",
        "",
        f"{verdict}; {record.seconds:.0f} s; commit {made.commit}; {made.day}; {made.machine}",
        "",
        _row(record.header),
        _row("---" for _ in record.header),
        *(_row(row) for row in record.rows),
        "",
        *(f"{note}\n" for note in record.notes),
        "<!-- end -->",
        "",
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    words = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(words)} |"


def renew(sections: dict[str, str], page: Path = PAGE) -> None:
    """Put sections into the page: in the place of their older selves, or at the end."""
    old = page.read_text("utf-8") if page.exists() else ""
    kept = {found["name"]: found[0] for found in _SECTION.finditer(old)}
    page.write_text("\n".join((HEAD, *(kept | sections).values())), "utf-8")

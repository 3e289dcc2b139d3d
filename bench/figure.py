"""What the parts of the harness's bench share: a figure with its bound, and the program's start."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

GATEBENCH = Path(sys.executable).with_name("gatebench")


@dataclass(frozen=True)
class Figure:
    """One thing measured."""

    part: str
    """``a`` to ``e``, as in `harness.py`."""
    what: str
    value: float
    unit: str
    bound: float | None = None
    """At most this; ``None`` where nothing is promised."""
    how: str = ""
    """Number of runs, the floor, the spread."""

    @property
    def held(self) -> bool | None:
        """Whether the bound was kept; ``None`` without one."""
        return None if self.bound is None else self.value <= self.bound

    def line(self) -> str:
        """One line to read."""
        told = f"({self.part}) {self.what:<52} {self.value:8.2f} {self.unit:<3}"
        if self.bound is not None:
            told += f" at most {self.bound:g}: {'held' if self.held else 'NOT HELD'}"
        return f"{told}  [{self.how}; load {os.getloadavg()[0]:.1f}]"


def run(*args: str) -> None:
    """One run of the program; what it prints is shown where it fails."""
    command = [str(GATEBENCH), "run", *args]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

"""Recorded jobs that ship with the program; each is marked simulated."""

from pathlib import Path

import gatebench

EXAMPLE = "example"


def examples() -> Path:
    """The directory that holds them, by name; read only."""
    return Path(gatebench.__file__).parent / "examples"

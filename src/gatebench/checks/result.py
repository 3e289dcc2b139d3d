"""What a check says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    said: str
    """One sentence: what was seen."""
    problems: tuple[str, ...] = ()
    """Where it isn't ok: what, where, and what to do."""
    seconds: float = 0.0

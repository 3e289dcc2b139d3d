"""Every false block with what the agent was told: the texts a reader should see for themselves."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from gatebench.model.job import JobData
from gatebench.model.labels import Label, blocking_gate, label

MOST = 40
"""Blocks shown; the rest are counted."""


@dataclass(frozen=True)
class FalseBlock:
    """One of them."""

    trial: str
    stop: int
    gate: str
    text: str


def false_blocks(job: JobData) -> tuple[FalseBlock, ...]:
    """All false blocks of valid trials, in the matrix's order."""
    return tuple(_found(job))


def _found(job: JobData) -> Iterator[FalseBlock]:
    for trial in job.trials:
        for stop in trial.stops if trial.valid else ():
            if label(stop) is Label.FALSE_BLOCK:
                gate = blocking_gate(stop) or "?"
                yield FalseBlock(str(trial.id), stop.n, gate, printable(stop.reason or "–"))


def printable(text: str) -> str:
    """Text without characters that steer a terminal or turn its direction round."""
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"}
    )

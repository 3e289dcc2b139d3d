"""How a role hands in a structured answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gatebench.model.stop import Severity
from gatebench.team import diffs, words
from gatebench.team.view import Block, Text, ToolUse, View

TOOL = "StructuredOutput"
"""The tool through which the CLI asks for an answer that fits a schema."""


@dataclass(frozen=True)
class Answer:
    """One finding, before its line is known."""

    severity: Severity
    file: str
    text: str
    hunk: str = ""
    """A line near which it belongs."""
    requirement: str | None = None
    """The missing requirement it is about; ``None`` for one that is wrong or minor."""

    def as_json(self, seen: diffs.Seen) -> dict[str, Any]:
        """As the review schema wants it; the line is a best guess from the diff."""
        line = diffs.line_of(seen, self.file, self.hunk)
        return {"severity": self.severity, "file": self.file, "line": line, "text": self.text}


def answer(view: View, output: Mapping[str, Any] | None) -> tuple[Block, ...]:
    """Hand in an answer, once; ``None`` ends in plain words, however often it is asked for."""
    if output is None:
        return (Text(words.NO_ANSWER),)
    if TOOL not in view.tools:
        return (Text(json.dumps(output)),)
    if handed_in(view):
        return (Text(words.DONE),)
    return (ToolUse(TOOL, output),)


def handed_in(view: View) -> bool:
    """Whether the answer was given already, and taken."""
    exchanges = [e for phase in view.phases() for e in phase.exchanges]
    return any(
        use.name == TOOL and not exchange.error(use)
        for exchange in exchanges
        for use in exchange.said.uses
        if use.id in exchange.results
    )

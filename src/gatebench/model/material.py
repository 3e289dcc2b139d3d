"""What the suite gives the simulated team: the words and the code it may use."""

from gatebench.model.base import Record
from gatebench.model.blueprint import Blueprint


class AcceptanceTest(Record):
    """One test function as the simulated test writer would write it."""

    name: str
    """Function name; speaks of behaviour, never of a requirement's id."""
    code: str
    """The whole function, decorators included, without imports of its own at the top."""


class RequirementMaterial(Record):
    """The team's material about one requirement."""

    visible: AcceptanceTest
    """Fails exactly where the requirement is missing."""
    hedged: AcceptanceTest
    """Accepts the right behaviour and the violation too: catches nothing."""
    strict: AcceptanceTest
    """Fails on the reference too: an over-strict reading."""
    findings: tuple[str, ...]
    """What a reviewer says when the requirement is missing, at least one wording."""
    file: str
    """The file such a finding points to."""
    hunk: str
    """A piece of the reference's added text near which the finding belongs (one line)."""


class TaskMaterial(Record):
    """The team's material about one task."""

    task: str
    blueprint: Blueprint
    """The solution with conditions (the reference when all hold)."""
    imports: str
    """Import lines and helpers at the top of every acceptance file."""
    requirements: dict[str, RequirementMaterial]
    """By requirement id."""
    false_findings: tuple[tuple[str, str], ...]
    """(file, text) of blocking findings that are wrong on correct work."""
    minor_findings: tuple[tuple[str, str], ...]
    """(file, text) of minor remarks."""
    summaries: tuple[str, ...]
    """What the worker says when it stops."""

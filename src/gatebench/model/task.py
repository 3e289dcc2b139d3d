"""A task: one feature request, and what it promises."""

from enum import StrEnum

from gatebench.model.base import Record


class PromptVariant(StrEnum):
    """How the task is put to the agent."""

    TERSE = "terse"
    """As a developer would type it; some requirements are unstated."""
    EXPLICIT = "explicit"
    """States every requirement."""


class Requirement(Record):
    """One testable promise of a task."""

    id: str
    """``R1`` … ``Rn``, unique inside the task."""
    text: str
    """The promise, one sentence, for people and reports."""
    stated: tuple[PromptVariant, ...]
    """The prompt variants that state it."""
    guard: bool = False
    """A regression guard: it passes on upstream already."""
    covered: bool = False
    """The library's own tests fail where it is missing."""


class Task(Record):
    """One feature request in the suite's library."""

    id: str
    """``T1`` …, unique inside the suite."""
    title: str
    """A few words for tables."""
    prompts: dict[PromptVariant, str]
    """The prompt texts, verbatim."""
    requirements: tuple[Requirement, ...]
    """In order; all weigh equal."""
    spare: bool = False
    """Kept out of the shipped matrix."""

    @property
    def requirement_ids(self) -> tuple[str, ...]:
        """The ids in order."""
        return tuple(r.id for r in self.requirements)

    @property
    def guards(self) -> frozenset[str]:
        """The requirements that hold on upstream already."""
        return frozenset(r.id for r in self.requirements if r.guard)

    @property
    def covered(self) -> frozenset[str]:
        """The requirements without any of which the library's own tests fail."""
        return frozenset(r.id for r in self.requirements if r.covered)

    def stated(self, variant: PromptVariant) -> frozenset[str]:
        """The requirements that a prompt variant states."""
        return frozenset(r.id for r in self.requirements if variant in r.stated)

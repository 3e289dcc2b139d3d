"""A trial's name, and a configuration's record."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from gatebench.errors import UsageError
from gatebench.model.base import Record
from gatebench.model.task import PromptVariant

_NAME = re.compile(
    r"(?P<task>[A-Za-z0-9]+)-(?P<config>[A-Za-z0-9_]+)-r(?P<rep>\d+)(?:-(?P<tag>.+))?"
)
_TAG = re.compile(r"[A-Za-z0-9_.]+")


@dataclass(frozen=True, order=True)
class TrialId:
    """One task × config × rep; a tag sets it apart from the analysis."""

    task: str
    config: str
    rep: int
    tag: str = ""

    def __post_init__(self) -> None:
        """Refuse a tag that could not be read back from a directory's name."""
        if self.tag and not _TAG.fullmatch(self.tag):
            raise UsageError(f"the tag '{self.tag}' won't do.", "Use letters, digits, '_' and '.'.")

    def __str__(self) -> str:
        return f"{self.task}-{self.config}-r{self.rep}" + (f"-{self.tag}" if self.tag else "")

    @classmethod
    def parse(cls, name: str) -> "TrialId":
        """Read ``<task>-<cfg>-r<rep>[-<tag>]`` back.

        Raises:
            UsageError: the name isn't one.
        """
        found = _NAME.fullmatch(name)
        if found is None:
            raise UsageError(f"'{name}' is no trial name.", "It looks like T1-g13-r1.")
        return cls(found["task"], found["config"], int(found["rep"]), found["tag"] or "")


class Config(Record):
    """A named list of gates, and what may differ with it."""

    name: str
    gates: tuple[str, ...]
    """Gate names in order; empty for ``bare`` (no hook)."""
    shadow: tuple[str, ...] = ()
    """Gates that look at each stop and are told to nobody: logged, never enforced."""
    give_up: int = 6
    """Delivered blocks after which a would-be block becomes ``give_up``."""
    prompt: PromptVariant | None = None
    """Overrides the matrix's variant."""
    profile: str | None = None
    """Overrides the matrix's profile."""
    model: str | None = None
    reviewer_model: str | None = None
    writer_model: str | None = None
    block_cap: int | None = None
    """The CLI's own cap on consecutive blocks; ``None`` sets it out of the way."""
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings by gate name."""
    run_all: bool = False
    """Run later gates although an earlier one was red."""

    @property
    def hooked(self) -> bool:
        """Whether a Stop hook is needed: for gates, or for shadows alone."""
        return bool(self.gates or self.shadow)

    @property
    def asks(self) -> bool:
        """Whether one of its gates may ask a model."""
        return any(kind_of(gate) not in SILENT for gate in self.all_gates)

    @property
    def all_gates(self) -> tuple[str, ...]:
        """Those that are enforced, then those that are not."""
        return (*self.gates, *self.shadow)


SHIPPED_CONFIGS: tuple[Config, ...] = (
    Config(name="bare", gates=()),
    Config(name="g1", gates=("tests",)),
    Config(name="g3", gates=("review",), settings={"review": {"variant": "indep"}}),
    Config(name="g13", gates=("tests", "review"), settings={"review": {"variant": "indep"}}),
    Config(name="g13adv", gates=("tests", "review"), settings={"review": {"variant": "adv"}}),
)
"""The first experiment's five configurations, in block order."""


def kind_of(gate: str) -> str:
    """Which gate a name in a config means: ``command`` of ``command:ruff``."""
    return gate.partition(":")[0]


PLACEBOS = frozenset({"nudge", "block-once", "random-block", "retry"})
"""Gates that look at nothing: what a block does by itself, whatever it says."""

SILENT = PLACEBOS | {"truth", "command", "diff-guard", "mutation"}
"""Gates that ask no model; others' gates may."""

READY_CONFIGS: tuple[Config, ...] = (
    *SHIPPED_CONFIGS,
    Config(name="nudge", gates=("nudge",)),
    Config(name="blockonce", gates=("block-once",)),
    Config(name="random", gates=("random-block",)),
    Config(name="retry", gates=("retry",)),
    Config(name="truth", gates=("truth",)),
    Config(name="diffguard", gates=("diff-guard",)),
    Config(name="mutation", gates=("mutation",)),
)
"""All that can be named without a matrix file; the first five run where nothing is named."""

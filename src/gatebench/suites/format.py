"""The suite directory's files as records; ``docs/suites.md`` describes them for people."""

import re
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator, model_validator

from gatebench.model.base import Record
from gatebench.model.material import RequirementMaterial
from gatebench.model.task import PromptVariant, Requirement

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
TaskId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]+$")]
Filled = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")


class UpstreamTable(Record):
    """``[upstream]``: package, version and sha256, or a path."""

    package: Name | None = None
    version: Name | None = None
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    path: Filled | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "UpstreamTable":
        pinned = [self.package, self.version, self.sha256]
        if self.path is None and None in pinned:
            raise ValueError("package, version and sha256 belong together (or give a path)")
        if self.path is not None and any(pinned):
            raise ValueError("give either a path or package, version and sha256")
        return self


class EnvironmentTable(Record):
    """``[environment]``: a Python, and pins either listed or in a lock file."""

    python: Annotated[str, StringConstraints(pattern=r"^3\.\d+$")]
    packages: tuple[str, ...] = ()
    lock: Filled | None = None

    @field_validator("packages")
    @classmethod
    def _pinned(cls, packages: tuple[str, ...]) -> tuple[str, ...]:
        for pin in packages:
            if not _PIN.fullmatch(pin):
                raise ValueError(f"'{pin}' is no exact pin like 'pytest==9.0.0'")
        return packages

    @model_validator(mode="after")
    def _one_list(self) -> "EnvironmentTable":
        if bool(self.packages) == (self.lock is not None):
            raise ValueError("give either packages or a lock file")
        return self


class LibraryTable(Record):
    """``[library]``: where code and tests lie, and how the tests are run."""

    package: Filled
    tests: Filled
    command: tuple[str, ...]

    @field_validator("command")
    @classmethod
    def _pytest(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        if command[:2] != ("-m", "pytest"):
            raise ValueError('must begin with "-m", "pytest"')
        return command


class InjectionTable(Record):
    """``[[injections]]``: a patch that can be applied to a trial's start state."""

    name: Name
    patch: Filled
    title: Filled


class SuiteFile(Record):
    """``suite.toml``."""

    name: Name
    version: Filled
    upstream: UpstreamTable
    environment: EnvironmentTable
    library: LibraryTable
    injections: tuple[InjectionTable, ...] = ()


class RequirementTable(Record):
    """``[[requirements]]`` of a task."""

    id: Annotated[str, StringConstraints(pattern=r"^R[1-9]\d*$")]
    text: Filled
    stated: tuple[PromptVariant, ...]
    guard: bool = False
    covered: bool = False

    def record(self) -> Requirement:
        """As the rest of the product knows it."""
        return Requirement(**vars(self))


class TaskFile(Record):
    """``tasks/<id>.toml``."""

    id: TaskId
    title: Filled
    terse: Filled
    explicit: Filled
    spare: bool = False
    requirements: Annotated[tuple[RequirementTable, ...], Field(min_length=1)]

    @field_validator("requirements")
    @classmethod
    def _unique(cls, tables: tuple[RequirementTable, ...]) -> tuple[RequirementTable, ...]:
        ids = [table.id for table in tables]
        doubled = sorted({i for i in ids if ids.count(i) > 1})
        if doubled:
            raise ValueError(f"{', '.join(doubled)} defined twice")
        for table in tables:
            if PromptVariant.EXPLICIT not in table.stated:
                raise ValueError(f"{table.id}: the explicit prompt states every requirement")
        return tables


class TeamFile(Record):
    """``team/<id>.toml``: the simulated team's material, the blueprint aside."""

    imports: str
    summaries: Annotated[tuple[str, ...], Field(min_length=1)]
    false_findings: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]
    minor_findings: Annotated[tuple[tuple[str, str], ...], Field(min_length=1)]
    requirements: dict[str, RequirementMaterial]

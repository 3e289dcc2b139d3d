"""Read a ``matrix.toml``: somebody's own matrix."""

import tomllib
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gatebench.errors import MatrixError
from gatebench.model.matrix import Choice
from gatebench.model.task import PromptVariant
from gatebench.model.trial import READY_CONFIGS, Config

FILES = "files"
"""The setting by which any gate is given files of the user's."""


class ConfigTable(BaseModel):
    """One ``[configs.NAME]`` table; an empty one means the ready-made config of that name."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    gates: tuple[str, ...] | None = None
    shadow: tuple[str, ...] | None = None
    give_up: int | None = Field(default=None, ge=0)
    block_cap: int | None = Field(default=None, ge=0)
    prompt: PromptVariant | None = None
    profile: str | None = None
    model: str | None = None
    reviewer_model: str | None = None
    writer_model: str | None = None
    settings: dict[str, dict[str, Any]] | None = None
    run_all: bool | None = None


class MatrixFile(BaseModel):
    """The whole file; everything but the configs may be left to the command line."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: str | None = None
    suite: str | None = None
    tasks: tuple[str, ...] | None = None
    reps: int | None = Field(default=None, ge=1)
    agent: str | None = None
    via: str | None = None
    model: str | None = None
    reviewer_model: str | None = None
    writer_model: str | None = None
    upstream: str | None = None
    reviewer_upstream: str | None = None
    writer_upstream: str | None = None
    rehearsal: bool | None = None
    key: str | None = None
    """Name of the environment variable or the file that holds it; never a key."""
    reviewer_key: str | None = None
    writer_key: str | None = None
    max_cost: float | None = Field(default=None, gt=0)
    max_cost_trial: float | None = Field(default=None, gt=0)
    max_cost_role: dict[str, float] = Field(default_factory=dict)
    patience: float | None = Field(default=None, ge=0)
    profile: str | None = None
    prompt: PromptVariant | None = None
    seed: int | None = None
    inject: str | None = None
    max_turns: int | None = Field(default=None, ge=1)
    tools: str | None = None
    give_up: int | None = Field(default=None, ge=0)
    configs: dict[str, ConfigTable] = Field(default_factory=dict)

    def choices(self) -> dict[str, Any]:
        """The fields of `Choice` that the file sets."""
        given = self.model_dump(exclude_none=True)
        return {name: given[name] for name in Choice.model_fields if name in given}


def read_matrix_file(path: Path) -> MatrixFile:
    """Read and check a matrix file.

    Raises:
        MatrixError: it isn't there, isn't TOML, or holds a field that we don't know.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MatrixError(f"{path} can't be read: {error.strerror}.", "Check the path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MatrixError(f"{path} is no TOML: {error}.", "Correct that line.") from error
    try:
        return _placed(MatrixFile.model_validate(data), path.parent)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise MatrixError(
            f"{path}: field '{field}': {first['msg'].lower()}.",
            "docs/matrix.md lists the fields and shows an example.",
        ) from error


def _placed(file: MatrixFile, folder: Path) -> MatrixFile:
    """The same, files that gates are given found from where the matrix file lies."""
    for table in file.configs.values():
        for settings in (table.settings or {}).values():
            given = settings.get(FILES)
            if isinstance(given, list):
                settings[FILES] = [str((folder / str(name)).absolute()) for name in given]
    return file


def resolve_config(name: str, table: ConfigTable) -> Config:
    """The config that a table describes.

    Raises:
        MatrixError: it names no gates, and no ready-made config has its name.
    """
    given = table.model_dump(exclude_none=True)
    ready = next((c for c in READY_CONFIGS if c.name == name), None)
    if "gates" in given:
        return Config(name=name, **given)
    if ready is None:
        raise MatrixError(
            f"the config '{name}' names no gates.",
            f'Add gates = ["tests"] to [configs.{name}], or [] for none.',
        )
    return ready.model_copy(update=given)

"""From what the user asked for to a matrix whose every name exists."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gatebench.errors import UnknownName, UsageError
from gatebench.matrix.file import MatrixFile, resolve_config
from gatebench.model.matrix import Choice, Matrix
from gatebench.model.task import Task
from gatebench.model.trial import READY_CONFIGS, SHIPPED_CONFIGS, Config, kind_of


@dataclass(frozen=True)
class Request:
    """What the command line asks for; ``None`` and empty leave it to the file or the default."""

    file: MatrixFile = field(default_factory=MatrixFile)
    tasks: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    reps: int | None = None
    give_up: int | None = None
    tag: str = ""
    choices: dict[str, Any] = field(default_factory=dict)
    """Fields of `Choice` that flags set."""


@dataclass(frozen=True)
class Known:
    """The names that exist here."""

    gates: Collection[str]
    agents: Collection[str]
    profiles: Collection[str]
    injections: Collection[str]


def choose(request: Request) -> Choice:
    """Flags over file over defaults.

    Raises:
        UsageError: a value that can't be.
    """
    given = {**request.file.choices(), **request.choices}
    if given.get("model") and "via" not in given:
        given["via"] = "live"
    if given.get("via", "scripted") != "scripted":
        given.setdefault("profile", None)
    try:
        return Choice.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise UsageError(
            f"'{given.get(name)}' won't do for --{name.replace('_', '-')}: {first['msg'].lower()}.",
            "'gatebench run --help' lists what it takes.",
        ) from error


def resolve(request: Request, choice: Choice, tasks: Sequence[Task], known: Known) -> Matrix:
    """The matrix asked for, each of its names checked.

    Raises:
        UnknownName: a task, config, gate, agent or profile that isn't there.
    """
    ids = tuple(t.id for t in tasks)
    shipped = tuple(t.id for t in tasks if not t.spare)
    wanted = request.tasks or request.file.tasks or shipped
    _all_known("task", wanted, ids)
    _all_known("agent", [choice.agent], known.agents)
    configs = tuple(_patient(c, request) for c in _configs(request))
    _all_known("gate", (kind_of(gate) for c in configs for gate in c.all_gates), known.gates)
    profiles = [choice.profile, *(c.profile for c in configs)]
    _all_known("profile", (p for p in profiles if p and not _is_file(p)), known.profiles)
    return Matrix(
        name=request.file.name or Path(choice.suite).name,
        choice=choice,
        tasks=tuple(dict.fromkeys(wanted)),
        configs=configs,
        reps=request.reps or request.file.reps or 2,
        tag=request.tag,
    )


def _configs(request: Request) -> tuple[Config, ...]:
    """The file's configs, else the shipped ones; of these the ones asked for, in that order."""
    tables = request.file.configs
    there = tuple(resolve_config(n, t) for n, t in tables.items()) or SHIPPED_CONFIGS
    if not request.configs:
        return there
    by_name = {c.name: c for c in (*READY_CONFIGS, *there)}
    _all_known("config", request.configs, by_name)
    return tuple(by_name[name] for name in dict.fromkeys(request.configs))


def _patient(config: Config, request: Request) -> Config:
    """Apply the give-up asked for; the flag wins over the file, the file's config over its top."""
    if request.give_up is not None:
        return config.model_copy(update={"give_up": request.give_up})
    table = request.file.configs.get(config.name)
    if request.file.give_up is not None and (table is None or table.give_up is None):
        return config.model_copy(update={"give_up": request.file.give_up})
    return config


def _is_file(profile: str) -> bool:
    """Whether a profile is named as a file, which is read later."""
    return "/" in profile or profile.endswith(".toml")


def _all_known(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(kind, name, tuple(known))


def default_name(matrix: Matrix, give_up: int | None) -> str:
    """``<name>-<8 hex>``: the same for the same command, so that it resumes.

    Content digests are not in it: a suite edited in between must meet the lock, not a new folder.
    """
    parts = [matrix.choice.model_dump(mode="json"), give_up]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{matrix.name}-{digest[:8]}"

"""Profiles by name or path: the one place of this room that reads files."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from gatebench.errors import UnknownName, UsageError
from gatebench.team.profile import Override, Profile

SHIPPED = ("mixed", "perfect", "refuser", "hunter")
"""Names of the profiles in the package; the first is the default."""


def load_profile(name_or_path: str) -> Profile:
    """Read a profile.

    Args:
        name_or_path: one of `SHIPPED`, or the path of a TOML file (anything with a ``/`` in it
            or ending in ``.toml``).

    Raises:
        UnknownName: no shipped profile has that name.
        UsageError: a file that isn't there, isn't TOML, or holds a key or value that won't do.
    """
    if name_or_path in SHIPPED:
        text = resources.files(__name__).joinpath(f"{name_or_path}.toml").read_text("utf-8")
    elif "/" in name_or_path or name_or_path.endswith(".toml"):
        text = _read(Path(name_or_path))
    else:
        raise UnknownName("profile", name_or_path, SHIPPED)
    return parse_profile(text, name_or_path)


def parse_profile(text: str, where: str) -> Profile:
    """Read a profile's TOML text; ``where`` names it in errors.

    Raises:
        UsageError: not TOML, or a key or value that won't do.
    """
    try:
        return Profile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the profile '{where}' is no TOML: {error}.", "Correct it.") from error
    except ValidationError as error:
        raise _explained(error, where) from error


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the profile '{path}' can't be read: {error}.",
            f"Name a TOML file, or one of {', '.join(SHIPPED)}.",
        ) from error


def _explained(error: ValidationError, where: str) -> UsageError:
    """The first complaint, in our words."""
    first = error.errors()[0]
    loc = first["loc"]
    key = ".".join(map(str, loc))
    if first["type"] == "extra_forbidden":
        return UsageError(
            f"the profile '{where}' has an unknown key '{key}'.",
            f"Known there: {', '.join(_known(loc[:-1]))}.",
        )
    return UsageError(
        f"the profile '{where}' has a value for '{key}' that won't do ({first['input']!r}).",
        f"{first['msg']}.",
    )


def _known(parents: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys that a table of the profile may hold."""
    if parents[:1] == ("requirements",):
        return tuple(Override.model_fields)
    here: Any = Profile
    for name in parents:
        here = here.model_fields[name].annotation
    return tuple(here.model_fields) if issubclass(here, BaseModel) else ()

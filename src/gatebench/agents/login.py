"""The user's own login with the command-line agent, for trials without a gateway.

Every call gets a copy of its own: the program writes into its configuration directory as it runs,
reviewers must not find what another one left there, and nothing of a trial may get into the user's
own. The credentials in it are read-only; of the state the user's projects and servers are left out.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gatebench.agents.paths import CONFIG
from gatebench.sandbox import Bind

CREDENTIALS, STATE, SETTINGS = ".credentials.json", ".claude.json", "settings.json"
_PRIVATE = frozenset(("projects", "mcpServers", "githubRepoPaths", "history", "tipsHistory"))
"""Of the state: what tells of the user's other work."""
_SECRET = ("token", "key", "secret", "password", "credential", "auth")
_LEAST = 12
"""Characters of anything worth hiding."""


@dataclass(frozen=True)
class Login:
    """A call's access to its model, without a gateway: the network is open."""

    binds: tuple[Bind, ...]
    """Its copy of the configuration directory, at `CONFIG`."""
    env: Mapping[str, str] = field(default_factory=dict)
    """What the user's own settings put into the environment."""


@dataclass(frozen=True)
class OwnLogin:
    """Where the user's login is."""

    folder: Path
    """The program's configuration directory, ``~/.claude``."""
    state: Path
    """``.claude.json``, beside it or in it."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables of the caller's that are a login."""

    @property
    def found(self) -> bool:
        """Whether there is anything that may be one."""
        named = {**_settings_env(self.folder), **self.env}
        return (self.folder / CREDENTIALS).is_file() or any(map(_is_secret, named))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be found in anything that is stored."""
        files = (_read(self.folder / CREDENTIALS), _read(self.state))
        named = {**_settings_env(self.folder), **self.env}
        return tuple({text for part in (*files, named) for text in _secrets(part)})

    def copied(self, place: Path) -> Login:
        """A copy for one call.

        Args:
            place: a private directory, to be made.
        """
        place.mkdir(mode=0o755)
        (place / STATE).write_text(json.dumps(_public(_read(self.state))))
        config = Bind(place, CONFIG, writable=True)
        env = {**_settings_env(self.folder), **self.env}
        if not (self.folder / CREDENTIALS).is_file():
            return Login((config,), env)
        shutil.copyfile(self.folder / CREDENTIALS, place / CREDENTIALS)
        (place / CREDENTIALS).chmod(0o400)
        return Login((config, Bind(place / CREDENTIALS, f"{CONFIG}/{CREDENTIALS}")), env)


def _settings_env(folder: Path) -> dict[str, str]:
    """What the user's settings put into the environment: a server of the company's, say."""
    env = _read(folder / SETTINGS).get("env")
    return {k: str(v) for k, v in env.items()} if isinstance(env, dict) else {}


def _public(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in _PRIVATE}


def _read(path: Path) -> dict[str, Any]:
    """A JSON object; empty where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _secrets(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _secrets(inner, key if isinstance(inner, str) else name)
    elif isinstance(value, str) and len(value) >= _LEAST and _is_secret(name):
        yield value


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET)

"""Where things lie, and what the environment says: the only reader of it."""

import os
from pathlib import Path

from gatebench.agents.login import STATE, OwnLogin

_CACHE = "dev-toolchains"
_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"
_SECRETS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    _TOKEN,
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
)


def cache() -> Path:
    """The user's cache folder for upstreams, test environments and agents' programs.

    ``GATEBENCH_CACHE`` moves it; else the XDG rule. What is bound into a sandbox shows its host
    path there, so the folder's name says nothing of what it is for.
    """
    own = os.environ.get("GATEBENCH_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / _CACHE


def secrets() -> tuple[str, ...]:
    """Values of the environment that must not be found in anything that is stored."""
    values = (os.environ.get(name, "") for name in _SECRETS)
    return tuple(value for value in values if value)


def variable(name: str) -> str | None:
    """A variable that the person named; ``None`` where it isn't set or empty."""
    return os.environ.get(name) or None


def login() -> OwnLogin:
    """Where the command-line agent keeps the user's login."""
    own = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(own) if own else Path.home() / ".claude"
    state = folder / STATE if own else Path.home() / STATE
    token = variable(_TOKEN)
    return OwnLogin(folder, state, {_TOKEN: token} if token else {})


def jobs() -> Path:
    """The folder of jobs: ``jobs`` here."""
    return Path("jobs")


def search_path() -> str:
    """The caller's PATH, where an agent may be found."""
    return os.environ.get("PATH", os.defpath)


def program() -> str:
    """How the person called us, for the next steps we print; ``./dev`` says so itself."""
    return os.environ.get("GATEBENCH_PROGRAM", "gatebench")

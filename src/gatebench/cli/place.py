"""Where things lie, and what the environment says: the only reader of it."""

import os
from pathlib import Path


def cache() -> Path:
    """The user's cache folder for upstreams and test environments.

    ``GATEBENCH_CACHE`` moves it; else the XDG rule.
    """
    own = os.environ.get("GATEBENCH_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gatebench"


def jobs() -> Path:
    """The folder of jobs: ``jobs`` here."""
    return Path("jobs")


def search_path() -> str:
    """The caller's PATH, where an agent may be found."""
    return os.environ.get("PATH", os.defpath)


def program() -> str:
    """How the person called us, for the next steps we print; ``./dev`` says so itself."""
    return os.environ.get("GATEBENCH_PROGRAM", "gatebench")

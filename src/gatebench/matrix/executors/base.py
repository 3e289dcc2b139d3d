"""What an executor is: it runs a trial somewhere, and the job's directory has all of it after."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gatebench.gateway import Credential
from gatebench.model.score import Score
from gatebench.model.trial import Config, TrialId


class Executor(Protocol):
    """Runs trials."""

    async def run(self, trial: TrialId, config: Config) -> Score:
        """Run one attempt of a trial; its evidence and its score lie in the job afterwards.

        A fault of ours becomes the score's status.

        Raises:
            LookError: something that concerns every trial.
        """


@dataclass(frozen=True)
class Here:
    """What a machine says of itself."""

    cache: Path
    search_path: str
    credential: Credential | None
    secrets: tuple[str, ...]
    """What must not be found in anything that is stored."""


@dataclass(frozen=True)
class Where:
    """Where trials are to run."""

    name: str = "local"
    """``local`` or ``ray``."""
    address: str | None = None
    """Of a Ray cluster; ``None``: the one that Ray's own settings name, else this machine."""
    here: Callable[[], Here] | None = None
    """Asks a machine about itself, on that machine; needed by all but ``local``."""

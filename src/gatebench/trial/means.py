"""What a machine and an invocation give to a bench; none of it changes a result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gatebench.agents.login import OwnLogin
from gatebench.gateway import Route, Terms, Upstream
from gatebench.model.usage import Role
from gatebench.sandbox import DiskBounds
from gatebench.suites.results import Results

SHARED = "shared"
"""Results are kept in the user's cache folder."""


@dataclass(frozen=True)
class Upstreams:
    """Where each role's calls go; ``None``: where the worker's go."""

    worker: Upstream = field(default_factory=Upstream)
    reviewer: Upstream | None = None
    writer: Upstream | None = None

    def route(self, role: Role, model: str) -> Route:
        """A role's route."""
        own = {Role.WORKER: self.worker, Role.WRITER: self.writer}.get(role, self.reviewer)
        return Route(model, own or self.worker)


@dataclass(frozen=True)
class Means:
    """What this machine and this invocation give; none of it changes a result."""

    cache: Path
    search_path: str
    sandbox: str = "auto"
    """``auto``, ``bwrap`` or ``none``."""
    agent_bin: Path | None = None
    fresh: bool = False
    """Take nothing that is known of equal trees."""
    reuse: str | None = None
    """Results of equal trees are shared with other jobs: `SHARED`, or a directory of its own."""
    roles: bool = True
    """Whether a test writer or reviewers will be needed."""
    secrets: tuple[str, ...] = ()
    """What must not be found in anything that is stored."""
    disk: DiskBounds = field(default_factory=DiskBounds)
    """What the files of one worker may take."""
    terms: Terms = field(default_factory=Terms)
    """On what terms real models are asked."""
    upstreams: Upstreams = field(default_factory=Upstreams)
    login: OwnLogin | None = None
    """The user's own, for trials without a gateway."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Where a suite, profile or patch that is named by path lies on this machine, if elsewhere."""

    @property
    def results(self) -> Results:
        """The results of a job that begins."""
        shared = self.cache / "results" if self.reuse == SHARED else Path(self.reuse or "")
        return Results(shared if self.reuse else None, fresh=self.fresh)

    def where(self, name: str) -> str:
        """A name, or the path at which it lies on this machine."""
        return self.moved.get(name, name)

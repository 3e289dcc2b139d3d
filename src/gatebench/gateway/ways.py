"""The ways to a model that aren't scripted, behind one door: live, recorded, played back."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from gatebench.gateway.budget import Budget, Limits, Wallet
from gatebench.gateway.cassette import Cassettes
from gatebench.gateway.faults import Fault
from gatebench.gateway.live import Live
from gatebench.gateway.patience import Patience
from gatebench.gateway.playback import Choice, Playback
from gatebench.gateway.recording import Recording
from gatebench.gateway.routes import Hooks, Route
from gatebench.gateway.site import Relay
from gatebench.model.usage import Role


@dataclass(frozen=True)
class Terms:
    """On what terms a job goes to its models."""

    limits: Limits = field(default_factory=Limits)
    spent_usd: float = 0.0
    """By earlier invocations of the job."""
    patience: Patience = field(default_factory=Patience)
    hooks: Hooks = field(default_factory=Hooks)
    lanes: int = 16
    """Most calls at once to one upstream."""
    record: Cassettes | None = None
    """Where to record."""
    play: Cassettes | None = None
    """What to play back."""
    go_on_live: bool = True
    """Whether there is a provider at all; without one a recording that doesn't fit ends the job."""

    @property
    def spent_up(self) -> str:
        """That nothing is left of the job's budget; empty where something is, or there is none."""
        budget = Budget("job", self.limits.job, self.spent_usd)
        return budget.said if budget.used_up else ""


@dataclass(frozen=True)
class Ways:
    """A job's ways, open."""

    terms: Terms
    live: Live | None
    """``None`` where there is no provider."""

    @property
    def spent_usd(self) -> float:
        """Dollars charged to the job's budget, earlier invocations included."""
        return self.live.wallet.job.spent_usd if self.live else self.terms.spent_usd

    def relay(self, site: str, role: Role, route: Route, attempt: int = 1) -> Relay:
        """What stands behind one site.

        Args:
            site: its name, ``<trial>/<role>…``; recordings and budgets go by it.
            role: whose it is.
            route: where the role's calls go.
            attempt: at the trial; each has a budget of its own.

        Raises:
            StoreError: the site's recording can't be read.
        """
        trial = f"{site.partition('/')[0]} attempt {attempt}"
        live = self.live.engine(route, trial, role) if self.live else None
        if self.terms.play is not None:
            return Playback(self.terms.play, site, Choice(live, self._mismatch))
        if live is None:
            raise ValueError("a site needs a provider or a recording")
        return live if self.terms.record is None else Recording(live, self.terms.record, site)

    def _mismatch(self, what: str) -> None:
        if self.live is None:
            self.terms.hooks.on_drain(Fault.MISMATCH, what)
        else:
            self.terms.hooks.on_mismatch(what)


@asynccontextmanager
async def open_ways(terms: Terms) -> AsyncIterator[Ways]:
    """Open a job's ways to its models.

    Args:
        terms: with ``play`` and not ``go_on_live`` no provider is ever asked.
    """
    async with AsyncExitStack() as stack:
        live: Live | None = None
        if terms.play is None or terms.go_on_live:
            wallet = Wallet(terms.limits, terms.spent_usd)
            live = await stack.enter_async_context(
                Live(wallet, terms.patience, terms.hooks, terms.lanes)
            )
        yield Ways(terms, live)

"""Whole jobs by the command line, paid for at the loopback provider."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
from anyio.from_thread import start_blocking_portal
from front import Front, Job

from gatebench.suites import fetch_upstream, load_suite
from provider.faults import Plan
from provider.ground import MODEL
from provider.server import KEY, Provider, serve
from provider.team import Team


@dataclass(frozen=True)
class Shop:
    """The program with a key, and a provider that it can reach."""

    front: Front
    provider: Provider

    def run(self, out: Path, *args: str, yes: bool = True) -> Job:
        """Run a job there, well or not."""
        words = (*args, "--model", MODEL, "--upstream", self.provider.url)
        words = (*words, "--yes") if yes else words
        done = self.front("run", *words, "--out", out)
        return Job(self.front, words, out, done)


def team_of(front: Front) -> Team:
    """The simulated team of the shipped suite."""
    suite = load_suite("tinydb")
    return Team(suite, anyio.run(fetch_upstream, suite, front.cache))


@contextmanager
def provided(provider: Provider, port: int = 0) -> Iterator[str]:
    """Serve from a thread; gives the URL."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serve(provider, port=port)) as url,
    ):
        yield url


@contextmanager
def shop(front: Front, plan: Plan = lambda _number: None, port: int = 0) -> Iterator[Shop]:
    """A provider that fails as planned, and the program with its key."""
    provider = Provider(team_of(front), plan)
    with provided(provider, port):
        yield Shop(replace(front, extra={"ANTHROPIC_API_KEY": KEY}), provider)

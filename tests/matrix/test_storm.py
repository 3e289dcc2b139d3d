"""A provider that fails in every way it can, one after the other: no agent is blamed for it.

Row F6 of the cases.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from front import Front, Job, Json, run_job
from provider import KEY, Fault, Provider, by_number, serve
from provider.ground import MODEL
from provider.team import Team

from gatebench.suites import fetch_upstream, load_suite

pytestmark = [pytest.mark.cli, pytest.mark.proof]
STORM = {
    2: Fault.TOO_MANY_LATER,
    3: Fault.OVERLOADED,
    4: Fault.BROKEN,
    6: Fault.CUT,
    8: Fault.LIMIT,
}
"""By number of the call: 429 that names a wait, 529, 500, a stream that breaks off, usage limit."""
ARGS = ("T1", "--configs", "bare,g1", "--reps", "1", "--model", MODEL, "--yes", "--jobs", "1")


@contextmanager
def served(provider: Provider) -> Iterator[str]:
    """The provider in a thread of its own; gives its URL."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serve(provider)) as url,
    ):
        yield url


@pytest.fixture(scope="module")
def weathered(front: Front) -> tuple[Provider, Job]:
    suite = load_suite("tinydb")
    upstream: Path = anyio.run(fetch_upstream, suite, front.cache)
    provider = Provider(Team(suite, upstream), by_number(STORM), retry_after_s=1.0)
    with served(provider) as url:
        paying = replace(front, extra={"ANTHROPIC_API_KEY": KEY})
        out = front.cwd / "storm"
        return provider, run_job(paying, out, *ARGS, "--upstream", url)


def calls(job: Job) -> list[Json]:
    return [event for event in job.journal if event["event"] == "call"]


def test_every_kind_of_weather_was_met(weathered: tuple[Provider, Job]) -> None:
    provider, _ = weathered
    assert [s.fault for s in provider.served if s.fault] == list(STORM.values())


def test_no_agent_is_blamed_and_nothing_is_run_twice(weathered: tuple[Provider, Job]) -> None:
    _, job = weathered
    for trial in job.trials:
        assert (trial.score["status"], trial.score["attempt"]) == ("ok", 1)
        assert trial.score["model_ok"] is True
        # 3 of 5 is what this worker comes to in fair weather.
        assert (trial.score["hidden_pass"], trial.score["hidden_fail"]) == (3, 2)


def test_what_failed_and_the_waits_are_in_the_record(weathered: tuple[Provider, Job]) -> None:
    _, job = weathered
    missed = {attempt["fault"] for call in calls(job) for attempt in call["attempts"]}
    assert {"rate_limited", "overloaded", "server_error", "usage_limit"} <= missed
    # What had begun to arrive can't be taken back: the agent's program asks again, as a new call.
    assert [c["fault"] for c in calls(job) if c["fault"]] == ["cut"]
    told, limit = (
        next(c for c in calls(job) if fault in [a["fault"] for a in c["attempts"]])
        for fault in ("rate_limited", "usage_limit")
    )
    assert told["waited_s"] >= 1.0
    assert limit["waited_s"] > 0

"""Whether each way to a model would work here, and the command that takes it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from pathlib import Path

import anyio

from gatebench.agents.login import OwnLogin
from gatebench.checks.doctor import Finding
from gatebench.gateway import ANTHROPIC, Patience, Upstream
from gatebench.gateway.transport import Broken, Outgoing
from gatebench.store.job_dir import JobDir
from gatebench.trial.bench import VIAS

SKEW_S = 120.0
"""By which the machine's clock may differ from the upstream's; certificates and limits need it."""
_ASK_S = 8.0
_MODEL = "claude-sonnet-5-5"


@dataclass(frozen=True)
class Way:
    """One way to a model."""

    via: str
    ok: bool
    said: str
    """What was found; never a key."""
    remedy: str = ""
    command: str = ""
    """Arguments of the command to run next; empty where it wouldn't work."""


@dataclass(frozen=True)
class Place:
    """What the ways need here beyond what every trial needs."""

    upstream: Upstream = field(default_factory=Upstream)
    key_named: str = ""
    """Where the key is, for people; empty where there is none."""
    login: OwnLogin | None = None
    recorded: Path | None = None
    """A recorded job that could be played back."""


async def ways(place: Place, findings: Sequence[Finding]) -> tuple[Way, ...]:
    """Look at every way.

    Args:
        place: what there is.
        findings: about the machine; a way that needs what is missing doesn't work.
    """
    bad = [finding for finding in findings if not finding.ok]
    live = await _live(place)
    found: Mapping[str, Way] = {
        "scripted": Way("scripted", True, "needs nothing more", command="run"),  # noqa: FBT003
        "live": live,
        "record": replace(
            live, via="record", command=live.command and f"{live.command} --via record"
        ),
        "playback": _playback(place, findings),
        "direct": _direct(place),
    }
    return tuple(_held_up(found[via], bad) for via in VIAS)


def _held_up(way: Way, bad: Sequence[Finding]) -> Way:
    if not bad or not way.ok:
        return way
    names = ", ".join(f.name for f in bad)
    return Way(way.via, ok=False, said=f"see above: {names}", remedy=bad[0].remedy)


async def _live(place: Place) -> Way:
    upstream = place.upstream
    if upstream.credential is None and upstream.base == ANTHROPIC:
        return Way("live", ok=False, said="there is no key", remedy="Set ANTHROPIC_API_KEY.")
    key = f"key from {place.key_named}" if place.key_named else "no key"
    try:
        skew_s = await _skew(upstream)
    except (Broken, TimeoutError) as error:
        said = f"{key}; {upstream.base} can't be reached ({error or 'no answer in time'})"
        return Way("live", ok=False, said=said, remedy="Check the connection, or name --upstream.")
    clock = "tells no time" if skew_s is None else f"clocks differ by {abs(skew_s):.0f} s"
    said = f"{key}; {upstream.base} answers, {clock}"
    if skew_s is not None and abs(skew_s) > SKEW_S:
        return Way("live", ok=False, said=said, remedy="Set the clock.")
    where = "" if upstream.base == ANTHROPIC else f" --upstream {upstream.base}"
    command = f"run T2 --configs bare --reps 1 --model {_MODEL}{where} --max-cost 1"
    return Way("live", ok=True, said=said, command=command)


async def _skew(upstream: Upstream) -> float | None:
    """Seconds by which the upstream's clock is ahead; ``None`` where it doesn't tell.

    No credential is sent: any answer will do.
    """
    bare = replace(upstream, credential=None)
    transport = bare.transport(replace(Patience(), stall_s=_ASK_S, connect_s=_ASK_S))
    try:
        with anyio.fail_after(_ASK_S):
            answer = await transport.send(Outgoing("HEAD", f"{bare.base}/"))
            answer.close()
    finally:
        await transport.aclose()
    said = answer.headers.get("date")
    try:
        return None if said is None else parsedate_to_datetime(said).timestamp() - time.time()
    except (ValueError, TypeError):
        return None


def _playback(place: Place, findings: Sequence[Finding]) -> Way:
    if place.recorded is None:
        return Way("playback", ok=False, said="no job was recorded", remedy="Use --via record.")
    lock = JobDir(place.recorded).lock()
    version = lock.digests.get("agent", "") if lock else ""
    here = next((f.said for f in findings if f.name == "agent"), "")
    name = place.recorded.name
    said = f"'{name}' was recorded with {version}"
    if version and not here.startswith(version):
        remedy = "Its requests differ by version: use that one (--agent-bin), or record again."
        return Way("playback", ok=False, said=said, remedy=remedy)
    return Way("playback", ok=True, said=said, command=f"run --via playback {name}")


def _direct(place: Place) -> Way:
    login = place.login
    if login is None or not login.found:
        where = f" in {login.folder}" if login else ""
        return Way("direct", ok=False, said=f"no login{where}", remedy="Log in with 'claude'.")
    said = f"a login in {login.folder}; whether it holds isn't known. The agent would have it"
    command = f"run T2 --configs bare --reps 1 --model {_MODEL} --via direct --expose-login"
    return Way("direct", ok=True, said=said, command=command)

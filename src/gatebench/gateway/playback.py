"""A relay that plays a recording back: by position, checked against what is asked now."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gatebench.gateway.canon import Digests, digests
from gatebench.gateway.cassette import Cassettes, Entry
from gatebench.gateway.errors import Refusal
from gatebench.gateway.faults import Fault
from gatebench.gateway.site import BrokenOff, Inbound, Outbound, Relay, Request, Site
from gatebench.model.usage import Call, Usage

_MISMATCH = 429
"""The one status that every version of the CLI takes for an answer when told not to retry."""


@dataclass(frozen=True)
class Choice:
    """What to do when something is asked that wasn't recorded."""

    live: Relay | None = None
    """Goes on live from there, for the rest of the site; ``None`` stops."""
    on_mismatch: Callable[[str], None] = lambda _what: None
    """Told what differs, one sentence; once per site that goes on live, else each time."""


class Playback:
    """Plays one site's cassette.

    Calls that overlapped when they were recorded may come in another order; otherwise the n-th
    call must be the n-th recorded, up to the declared volatile parts (`canon`).

    Args:
        cassettes: the job's.
        site: its name.
        choice: what to do when the recording doesn't fit.

    Raises:
        StoreError: the cassette can't be read.
    """

    def __init__(self, cassettes: Cassettes, site: str, choice: Choice | None = None) -> None:
        self._cassettes = cassettes
        self._site = site
        self._choice = choice or Choice()
        self._left = list(cassettes.entries(site))
        self._length = len(self._left)
        self._live: Relay | None = None

    @asynccontextmanager
    async def relay(self, site: Site, inbound: Inbound) -> AsyncIterator[Outbound]:
        """The recorded answer, or a live one.

        Raises:
            Refusal: the recording doesn't fit and the choice is to stop.
        """
        entry = None if self._live else self._next(site, inbound)
        if self._live:
            async with self._live.relay(site, inbound) as outbound:
                yield outbound
        elif entry is None:
            yield Outbound(200, (("content-type", "application/json"),), _bytes(b"{}"))
        else:
            try:
                yield self._outbound(entry)
            finally:
                self._tell(entry, site, inbound.request)

    def _next(self, site: Site, inbound: Inbound) -> Entry | None:
        """The entry to play; ``None`` for a probe, and where the choice is to go on live.

        Raises:
            Refusal: it doesn't fit, and the choice is to stop.
        """
        if inbound.method != "POST":
            return None
        asked = digests(inbound.request)
        waiting = [e for e in self._left if e.path == inbound.path]
        for entry in waiting:
            # Those that began before the first in turn had ended may come before it.
            if entry.opened <= waiting[0].closed and not asked.difference(entry.asked):
                self._left.remove(entry)
                return entry
        self._choice.on_mismatch(self._what(waiting[0] if waiting else None, asked))
        if self._choice.live is None:
            if inbound.is_call:
                site.spec.sink(_missed(site, inbound), inbound.request)
            raise Refusal(_MISMATCH, "This isn't the session that was recorded")
        self._live = self._choice.live
        return None

    def _what(self, turn: Entry | None, asked: Digests) -> str:
        return (
            f"{self._site}: one call more than the {self._length} recorded."
            if turn is None
            else f"{self._site}: call {turn.n} isn't the one recorded: "
            f"{asked.difference(turn.asked)}."
        )

    def _outbound(self, entry: Entry) -> Outbound:
        body = self._cassettes.body(entry.body)
        headers = (("content-type", entry.content_type), ("x-should-retry", "false"))
        return Outbound(entry.status, headers, _bytes(body, broke=entry.broke))

    def _tell(self, entry: Entry, site: Site, request: Request) -> None:
        """The call as it was recorded: same tokens, same cost, same class; no waits."""
        if entry.call is not None:
            quick = {"wall_s": 0.0, "ttft_s": None, "waited_s": 0.0, "charged_usd": None}
            site.spec.sink(entry.call.model_copy(update=quick), request)


def _missed(site: Site, inbound: Inbound) -> Call:
    """The record of a call that the recording doesn't have."""
    return Call(
        site=site.spec.name,
        role=site.spec.role,
        stop=site.spec.stop,
        model_asked=str(inbound.request.get("model", "")),
        model_served=None,
        usage=Usage(),
        status=_MISMATCH,
        wall_s=0.0,
        fault=Fault.MISMATCH,
        at=time.time(),
    )


async def _bytes(data: bytes, *, broke: bool = False) -> AsyncIterator[bytes]:
    """An answer, whole at once; broken off at its end where the recorded one was.

    Raises:
        BrokenOff: it was.
    """
    yield data
    if broke:
        raise BrokenOff

"""A relay that records what another one passes on."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import cast

from gatebench.gateway.canon import digests
from gatebench.gateway.cassette import Cassettes, Entry
from gatebench.gateway.errors import Refusal
from gatebench.gateway.site import BrokenOff, Inbound, Outbound, Relay, Request, Site
from gatebench.model.usage import Call


@dataclass
class _Take:
    """One call while it is recorded."""

    n: int
    opened: int
    status: int = 500
    content_type: str = "application/json"
    body: bytearray = field(default_factory=bytearray)
    whole: bool = False
    call: Call | None = None


class Recording:
    """Records every POST of one site; the bytes pass through untouched.

    Args:
        inner: what answers.
        cassettes: the job's.
        site: its name; what was recorded under it before is forgotten.
    """

    def __init__(self, inner: Relay, cassettes: Cassettes, site: str) -> None:
        self._inner = inner
        self._cassettes = cassettes
        self._site = site
        self._moments = self._count = 0
        cassettes.begin(site)

    @asynccontextmanager
    async def relay(self, site: Site, inbound: Inbound) -> AsyncIterator[Outbound]:
        """What the inner relay passes on.

        Raises:
            Refusal: as the inner relay does.
        """
        if inbound.method != "POST":
            async with self._inner.relay(site, inbound) as outbound:
                yield outbound
            return
        self._count += 1
        take = _Take(self._count, self._moment())

        def note(call: Call, request: Request) -> None:
            take.call = call
            site.spec.sink(call, request)

        listening = replace(site, spec=replace(site.spec, sink=note))
        try:
            async with self._inner.relay(listening, inbound) as outbound:
                take.status = outbound.status
                take.content_type = dict(outbound.headers).get("content-type", "")
                yield replace(outbound, body=_copied(outbound.body, take))
        except Refusal as refusal:
            take.status, take.whole = refusal.status, True
            take.body += refusal.text()
            raise
        finally:
            self._keep(take, inbound)

    def _keep(self, take: _Take, inbound: Inbound) -> None:
        entry = Entry(
            n=take.n,
            opened=take.opened,
            closed=self._moment(),
            path=inbound.path,
            asked=digests(inbound.request),
            status=take.status,
            content_type=take.content_type,
            body=self._cassettes.store(bytes(take.body)),
            broke=not take.whole,
            call=take.call,
        )
        self._cassettes.add(self._site, entry)

    def _moment(self) -> int:
        self._moments += 1
        return self._moments


async def _copied(body: AsyncIterator[bytes], take: _Take) -> AsyncIterator[bytes]:
    """The same bytes, kept.

    Raises:
        BrokenOff: as the body does.
    """
    async with aclosing(cast("AsyncGenerator[bytes, None]", body)) as pieces:
        try:
            async for data in pieces:
                take.body += data
                yield data
        except BrokenOff:
            take.whole = False
            raise
    take.whole = True

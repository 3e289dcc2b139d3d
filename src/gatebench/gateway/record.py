"""What becomes known of one call while it is made, and the record of it at the end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gatebench.gateway.faults import Fault
from gatebench.gateway.prices import same_model
from gatebench.gateway.reader import Meter
from gatebench.gateway.site import Inbound, Site
from gatebench.model.usage import Attempt, Call, Usage

_OK = 200
_MAY_BE_CHARGED = frozenset((Fault.CUT, Fault.STALLED, Fault.MALFORMED))


@dataclass
class Log:
    """One call."""

    site: Site
    inbound: Inbound
    upstream: str | None = None
    started: float = field(default_factory=time.monotonic)
    at: float = field(default_factory=time.time)
    meter: Meter = field(default_factory=Meter)
    """Of the try that is passed on."""
    status: int = 500
    """What the agent saw."""
    fault: Fault | None = None
    """What is known to have gone wrong, beyond what the answer itself shows."""
    attempts: list[Attempt] = field(default_factory=list)
    tries: int = 0
    waited_s: float = 0.0
    slept_s: float = 0.0
    """Of that: between tries."""
    ttft_s: float | None = None
    passed_bytes: int = 0
    charged_usd: float = 0.0
    """To budgets, so far."""

    @property
    def asked(self) -> str:
        """The model asked for."""
        return str(self.inbound.request.get("model", ""))

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Time that isn't the model's; the site is told, and what is waited for."""
        began = time.monotonic()
        try:
            with self.site.spec.waiting(what):
                yield
        finally:
            self.waited_s += time.monotonic() - began

    def missed(self, fault: Fault, status: int | None, meter: Meter | None = None) -> None:
        """A try came to nothing. A provider's own error isn't charged; a broken answer may be."""
        charged = meter is not None and fault in _MAY_BE_CHARGED
        usage = meter.usage if meter and charged else Usage()
        self.attempts.append(Attempt(fault=fault, status=status, usage=usage))

    def left(self, *, paused: bool) -> Fault | None:
        """Why a client that hangs up does: it is not its doing if it had to wait for too long.

        Args:
            paused: whether a usage limit holds everything up.
        """
        if self.meter.ended:
            return None
        if self.status == _OK:
            return Fault.CLIENT_GONE
        if paused:
            return Fault.USAGE_LIMIT
        return Fault(self.attempts[-1].fault) if self.attempts else Fault.CLIENT_GONE

    def call(self) -> Call:
        """The record."""
        answered = self.status == _OK
        return Call(
            site=self.site.spec.name,
            role=self.site.spec.role,
            stop=self.site.spec.stop,
            model_asked=self.asked,
            model_served=self.meter.model if answered else None,
            usage=self.meter.usage if answered else Usage(),
            status=self.status,
            wall_s=time.monotonic() - self.started,
            ttft_s=self.ttft_s,
            waited_s=self.waited_s,
            retries=max(0, self.tries - 1),
            attempts=tuple(self.attempts),
            fault=self._fault(),
            stop_reason=self.meter.stop_reason,
            uncertain=self._uncertain(),
            upstream=self.upstream,
            at=self.at,
        )

    def _fault(self) -> Fault | None:
        """The first of what went wrong, the gravest kinds first."""
        meter = self.meter
        if self.fault or self.status != _OK:
            return self.fault
        if meter.fault:
            return meter.fault
        if not meter.ended:
            return Fault.CUT
        if not meter.settled:
            return Fault.USAGE_MISSING
        served = meter.model
        return Fault.OTHER_MODEL if served and not same_model(self.asked, served) else None

    def _uncertain(self) -> bool:
        """Whether more may be charged than is known."""
        if any(a.fault in _MAY_BE_CHARGED for a in self.attempts):
            return True
        return self.status == _OK and not self.meter.settled

"""What budgets are charged for a call: what is known, else a careful estimate."""

from gatebench.gateway.prices import price_usd
from gatebench.gateway.record import Log
from gatebench.model.usage import Call, Sent, Usage

_OK = 200
_BYTES_PER_TOKEN = 3
"""For what a budget is charged where the provider didn't tell; never for a ledger."""

_MOST_TOKENS = 1_000_000
"""No model answers more, whatever a request allows."""


def begin_try(log: Log, model: str) -> None:
    """Count a try; before the first one the site is told that something will be spent.

    Args:
        log: the call.
        model: whose price an estimate takes.
    """
    log.tries += 1
    if log.tries > 1:
        return
    spec = log.site.spec
    spec.sent(
        Sent(
            site=spec.name,
            role=spec.role,
            stop=spec.stop,
            model_asked=log.asked,
            upstream=log.upstream or "",
            at=log.at,
            at_most_usd=_at_most_usd(log, model),
        )
    )


def _at_most_usd(log: Log, model: str) -> float | None:
    allowed = log.inbound.request.get("max_tokens")
    if not isinstance(allowed, int) or allowed < 0:
        return None
    usage = Usage(
        input_tokens=len(log.inbound.body) // _BYTES_PER_TOKEN,
        output_tokens=min(allowed, _MOST_TOKENS),
    )
    return price_usd(usage, model, log.upstream or "", log.at)


def charge_usd(call: Call, log: Log, model: str) -> float:
    """Dollars that a call counts for in its budgets, as far as it has gone.

    Args:
        call: its record so far.
        log: what came of it.
        model: whose price an estimate takes.
    """
    known = price_usd(call.usage, call.model_served, log.upstream or "", call.at)
    if known is not None and not call.uncertain:
        return known
    if call.status != _OK and not call.uncertain:
        return 0.0
    tries = max(1, sum(a.status == _OK for a in call.attempts))
    guess = Usage(
        input_tokens=tries * len(log.inbound.body) // _BYTES_PER_TOKEN,
        output_tokens=log.passed_bytes // _BYTES_PER_TOKEN,
    )
    return max(known or 0.0, price_usd(guess, model, log.upstream or "", call.at) or 0.0)

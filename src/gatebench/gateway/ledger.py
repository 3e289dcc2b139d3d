"""What a trial or a job cost, by role, from the tokens of its calls."""

from collections.abc import Iterable, Mapping, Sequence

from gatebench.gateway.prices import price_usd, table_version
from gatebench.gateway.upstream import ANTHROPIC
from gatebench.model.base import Filed, Record
from gatebench.model.usage import Call, Role, Usage

_OK = 200
TOLERANCE = 0.01
"""Share by which the CLI's own count of dollars may differ before it is shown."""


class Uncertain(Record):
    """A call whose tokens aren't all known."""

    site: str
    model: str | None
    fault: str | None
    at_least: Usage
    """Its tokens, as far as they were told."""
    at_least_usd: float | None


class RoleCost(Record):
    """One role's calls, tokens and dollars."""

    calls: int
    failed: int
    """Of those, answered with an error in the end."""
    retries: int
    """Tries beyond the first."""
    usage: Usage
    """Sums; ``None`` where a part isn't known."""
    cost_usd: float | None
    """At list price; ``None`` where a call's tokens or its model's price aren't known."""
    at_least_usd: float
    """Of that, what is known."""
    uncertain: tuple[Uncertain, ...] = ()
    told_usd: float | None = None
    """By the CLI itself, an estimate of its own."""
    disagrees: bool | None = None
    """Whether the two differ by more than 1 %; ``None`` where one isn't known."""


class Accounts(Filed):
    """What was spent, and on what."""

    prices: str
    """The price table and its version."""
    roles: dict[Role, RoleCost]
    cost_usd: float | None
    at_least_usd: float


def account(calls: Sequence[Call], told: Mapping[Role, float | None] | None = None) -> Accounts:
    """Account for every call.

    Args:
        calls: of every role, the hooks' reviewers included.
        told: dollars by role as the CLI told them.
    """
    told = told or {}
    mine = {role: [c for c in calls if c.role is role] for role in Role}
    roles = {role: _role(found, told.get(role)) for role, found in mine.items() if found}
    return Accounts(
        prices=table_version(),
        roles=roles,
        cost_usd=_sum(r.cost_usd for r in roles.values()),
        at_least_usd=round(sum(r.at_least_usd for r in roles.values()), 9),
    )


def cost_usd(call: Call) -> float | None:
    """Dollars of one call; 0 where nothing was answered, ``None`` where it isn't known."""
    if call.uncertain:
        return None
    return _known_usd(call)


def spent_usd(calls: Iterable[Call]) -> float:
    """Dollars that are known to be spent: what a job that goes on has used of its budget."""
    return sum(_at_least_usd(call) for call in calls)


def _role(calls: list[Call], told: float | None) -> RoleCost:
    costs = [cost_usd(c) for c in calls]
    cost = _sum(costs)
    return RoleCost(
        calls=len(calls),
        failed=sum(c.status != _OK for c in calls),
        retries=sum(c.retries for c in calls),
        usage=_total([u for c in calls for u in _usages(c)]),
        cost_usd=cost,
        at_least_usd=round(sum(_at_least_usd(c) for c in calls), 9),
        uncertain=tuple(_uncertain(c) for c in calls if c.uncertain),
        told_usd=told,
        disagrees=None if cost is None or told is None else _differ(cost, told),
    )


def _usages(call: Call) -> list[Usage]:
    """Tokens of every try that counts: those that announced some, and the one passed on."""
    lost = [a.usage for a in call.attempts if a.usage.input_tokens is not None]
    return [*lost, call.usage] if call.status == _OK else lost


def _known_usd(call: Call) -> float | None:
    return _sum(
        price_usd(u, call.model_served or call.model_asked, call.upstream or ANTHROPIC, call.at)
        for u in _usages(call)
    )


def _at_least_usd(call: Call) -> float:
    return _known_usd(call) or 0.0


def _uncertain(call: Call) -> Uncertain:
    return Uncertain(
        site=call.site,
        model=call.model_served,
        fault=call.fault or next((a.fault for a in call.attempts), None),
        at_least=_total(_usages(call)),
        at_least_usd=_known_usd(call),
    )


def _total(parts: list[Usage]) -> Usage:
    """Sums; kinds of tokens that a provider doesn't have are none."""
    dumps = [p.model_dump() for p in parts]
    required = {"input_tokens", "output_tokens"}
    sums = {
        name: _tokens([d[name] for d in dumps], required=name in required)
        for name in Usage.model_fields
    }
    return Usage(**sums)


def _tokens(counts: list[int | None], *, required: bool) -> int | None:
    known = [c for c in counts if c is not None]
    missing = len(known) < len(counts)
    if missing and (required or not known):
        return None
    return sum(known)


def _differ(one: float, two: float) -> bool:
    return abs(one - two) > TOLERANCE * max(one, two)


def _sum(parts: Iterable[float | None]) -> float | None:
    known = list(parts)
    if any(part is None for part in known):
        return None
    return round(sum(part for part in known if part is not None), 9)

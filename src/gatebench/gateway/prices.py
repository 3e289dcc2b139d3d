"""What tokens cost at list price, by the price table of ``genai-prices``."""

import datetime as dt
import re
import time
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from types import ModuleType
from typing import Any

from gatebench.gateway.upstream import ANTHROPIC
from gatebench.model.usage import Usage

_DATED = re.compile(r"[-@](?:20\d{6}|latest)$")
_CONTEXT = re.compile(r"\[[^\]]*\]$")
_ONE = (
    Usage(input_tokens=1),
    Usage(output_tokens=1),
    Usage(cache_read_input_tokens=1),
    Usage(cache_creation_input_tokens=1),
    Usage(cache_creation_input_tokens=1, cache_creation_1h_input_tokens=1),
)
"""A token of each kind."""
_KNOWN: dict[int, tuple[Any, Sequence[Decimal] | None]] = {}
"""By id of a price in the table, which is kept along: the rates."""
_Provider = tuple[str, str]
"""How the table is asked for one: a name of an argument, and its value."""


def table_version() -> str:
    """Which price table; recorded beside every cost."""
    return f"genai-prices {version('genai-prices')}"


def plain_name(model: str) -> str:
    """A model's name without a date, ``-latest``, a vendor's prefix or the CLI's ``[1m]``."""
    return _DATED.sub("", _CONTEXT.sub("", model).rpartition("/")[2])


def same_model(asked: str, served: str) -> bool:
    """Whether the model that answered is the one asked for; a date in one name alone is none."""
    one, two = _CONTEXT.sub("", asked), _CONTEXT.sub("", served)
    if one == two:
        return True
    dated = bool(_DATED.search(one)) and bool(_DATED.search(two))
    return not dated and plain_name(one) == plain_name(two)


def price_usd(
    usage: Usage, model: str | None, url: str = ANTHROPIC, at: float | None = None
) -> float | None:
    """Dollars that a call costs; ``None`` where its tokens or its model's price aren't known.

    Args:
        usage: its tokens; cache counts that weren't told are none.
        model: as the provider named it.
        url: where it was served: the table has prices by provider.
        at: seconds since 1970: prices change; ``None`` is now.
    """
    if model is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    provider = _provider(plain_name(model), url)
    return None if provider is None else _price(usage, plain_name(model), provider, at)


def is_priced(model: str, url: str = ANTHROPIC) -> bool:
    """Whether a budget can be kept with that model there. Loads the table: takes a second."""
    return price_usd(Usage(input_tokens=1, output_tokens=1), model, url) is not None


def load_table() -> None:
    """Load the table now (a second or so) and not in the middle of a call."""
    is_priced("claude-sonnet-4-5")


@cache
def _provider(model: str, url: str) -> _Provider | None:
    """Whose price a model has: its server's, else its maker's; ``None`` where neither has one."""
    ways = [("provider_api_url", url)]
    ways += [("provider_id", "anthropic")] if model.startswith("claude") else []
    return next((way for way in ways if _entry(model, way) is not None), None)


def _price(usage: Usage, model: str, provider: _Provider, at: float | None) -> float | None:
    entry = _entry(model, provider)
    if entry is None:
        return None
    prices = entry.get_prices(dt.datetime.fromtimestamp(time.time() if at is None else at, dt.UTC))
    rates = _rates(prices)
    if rates is None:
        return float(_by_table(prices, usage))
    return float(sum(n * rate for n, rate in zip(_kinds(usage), rates, strict=True)))


@cache
def _entry(model: str, provider: _Provider) -> Any:
    """The table's entry for a model; ``None`` where it has none."""
    name, value = provider
    one = _library().Usage(input_tokens=1, output_tokens=1)
    try:
        return _library().calc_price(one, model, **{name: value}).model
    except (LookupError, ValueError):
        return None


def _rates(prices: Any) -> Sequence[Decimal] | None:
    """Dollars for a token of each kind; ``None`` where that depends on more.

    The table takes longer for a price than many another part of a call.
    """
    if id(prices) not in _KNOWN:
        tiers = _library().types.TieredPrices
        flat = not any(isinstance(price, tiers) for price in vars(prices).values())
        flat = flat and _by_table(prices, Usage()) == 0
        _KNOWN[id(prices)] = prices, [_by_table(prices, one) for one in _ONE] if flat else None
    return _KNOWN[id(prices)][1]


def _by_table(prices: Any, usage: Usage) -> Decimal:
    price: Decimal = prices.calc_price(_library().Usage(**_counts(usage)))["total_price"]
    return price


def _kinds(usage: Usage) -> tuple[int, ...]:
    """Tokens of each kind, in the order of `_ONE`."""
    written = usage.cache_creation_input_tokens or 0
    hour = min(usage.cache_creation_1h_input_tokens or 0, written)
    read = usage.cache_read_input_tokens or 0
    return usage.input_tokens or 0, usage.output_tokens or 0, read, written - hour, hour


def _counts(usage: Usage) -> dict[str, int]:
    """In the table's words, where the input is everything, cached or not."""
    read = usage.cache_read_input_tokens or 0
    written = usage.cache_creation_input_tokens or 0
    hour = min(usage.cache_creation_1h_input_tokens or 0, written)
    counts = {
        "input_tokens": (usage.input_tokens or 0) + read + written,
        "output_tokens": usage.output_tokens or 0,
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "cache_write_1h_tokens": hour,
    }
    return {name: count for name, count in counts.items() if count}


@cache
def _library() -> ModuleType:
    import genai_prices  # noqa: PLC0415  # slow to load, and only live jobs need it

    return genai_prices

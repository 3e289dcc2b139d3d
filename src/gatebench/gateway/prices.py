"""What tokens cost at list price, by the price table of ``genai-prices``."""

import datetime as dt
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from types import ModuleType

from gatebench.gateway.upstream import ANTHROPIC
from gatebench.model.usage import Usage

_DATED = re.compile(r"[-@](?:20\d{6}|latest)$")
_CONTEXT = re.compile(r"\[[^\]]*\]$")


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
def _provider(model: str, url: str) -> Mapping[str, str] | None:
    """Whose price a model has: its server's, else its maker's; ``None`` where neither has one."""
    ways = [{"provider_api_url": url}]
    ways += [{"provider_id": "anthropic"}] if model.startswith("claude") else []
    one = Usage(input_tokens=1, output_tokens=1)
    return next((way for way in ways if _price(one, model, way, None) is not None), None)


def _price(usage: Usage, model: str, provider: Mapping[str, str], at: float | None) -> float | None:
    library = _library()
    moment = None if at is None else dt.datetime.fromtimestamp(at, dt.UTC)
    try:
        found = library.calc_price(
            library.Usage(**_counts(usage)), model, genai_request_timestamp=moment, **provider
        )
    except (LookupError, ValueError):
        return None
    return float(found.total_price)


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

"""Prices are the table's, whichever way they are computed."""

import datetime as dt

import genai_prices
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebench.gateway.prices import price_usd
from gatebench.model.usage import Usage

URL = "https://api.anthropic.com"
TOKENS = st.integers(0, 2_000_000)
NOVEMBER = dt.datetime(2025, 11, 20, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-haiku-4-5", "anthropic"),
        ("claude-sonnet-4-5", "anthropic"),  # dearer from 200,000 tokens
        ("gpt-4o", "openai"),
        ("deepseek-chat", "deepseek"),  # at some hours
    ],
)
@given(st.tuples(TOKENS, TOKENS, TOKENS, TOKENS, TOKENS), st.integers(0, 40))
@settings(max_examples=40, deadline=None)
def test_a_price_is_what_the_table_computes(
    model: str, provider: str, tokens: tuple[int, ...], hours: int
) -> None:
    plain, out, read, written, hour = tokens
    usage = Usage(
        input_tokens=plain,
        output_tokens=out,
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        cache_creation_1h_input_tokens=hour,
    )
    theirs = genai_prices.Usage(
        input_tokens=plain + read + written,
        output_tokens=out,
        cache_read_tokens=read,
        cache_write_tokens=written,
        cache_write_1h_tokens=min(hour, written),
    )
    at = NOVEMBER + dt.timedelta(hours=hours)
    found = genai_prices.calc_price(theirs, model, provider_id=provider, genai_request_timestamp=at)
    url = URL if provider == "anthropic" else f"https://api.{provider}.com"
    assert price_usd(usage, model, url, at.timestamp()) == float(found.total_price)


def test_a_model_that_the_table_lacks_has_no_price() -> None:
    assert price_usd(Usage(input_tokens=1, output_tokens=1), "no-such-model", URL) is None

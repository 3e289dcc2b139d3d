"""Numbers as people read them: shares, points, dollars, and the limits beside them."""

from collections.abc import Collection

from gatebench.stats.estimate import Estimate
from gatebench.stats.proportions import RATES_FROM

UNKNOWN = "–"
MINUS = "−"


def percent(share: float | None) -> str:
    """``82 %``, or '–'."""
    return UNKNOWN if share is None else f"{100 * share:.0f} %"


def points(difference: float | None) -> str:
    """``+16``, ``−4`` or ``0``: percentage points."""
    if difference is None:
        return UNKNOWN
    whole = round(100 * difference)
    return f"+{whole}" if whole > 0 else signed(str(whole))


def signed(text: str) -> str:
    """A number's text with a real minus sign."""
    return text.replace("-", MINUS)


def usd(amount: float | None) -> str:
    """``$0.012``, ``−$1.20``: two digits from a dollar on, else two that matter."""
    if amount is None:
        return UNKNOWN
    size = abs(round(amount, 4))
    digits = 2 if size >= 1 or size == 0 else 3 if size >= 0.01 else 4  # noqa: PLR2004  # a cent
    return f"{MINUS if amount < 0 and size else ''}${size:.{digits}f}"


def extra_usd(amount: float | None) -> str:
    """The same with a sign in front."""
    text = usd(amount)
    return text if text in {UNKNOWN, usd(0.0)} or text.startswith(MINUS) else "+" + text


def p_value(p: float | None) -> str:
    """``p = 0.012`` or ``p < 0.001``."""
    if p is None:
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {min(p, 1.0):.3f}"  # noqa: PLR2004  # three digits


def share_limits(estimate: Estimate) -> str:
    """``4–64 %``, or the reason there are none."""
    if estimate.interval is None:
        return estimate.reason or UNKNOWN
    low, high = estimate.interval
    return f"{100 * low:.0f}–{100 * high:.0f} %"


def share(estimate: Estimate) -> str:
    """A share by its denominator: counts alone, counts with limits, or a rate.

    Under 5 ``1 of 3``; from 5 to 9 ``2 of 7 (6–65 %)``; from 10 ``23 % (3 of 13; 7–50 %)``.
    """
    if not estimate.n:
        return UNKNOWN
    counts = f"{estimate.count} of {estimate.n}"
    if estimate.value is None:
        return counts
    limits = share_limits(estimate) if estimate.interval else ""
    if estimate.n < RATES_FROM:
        return f"{counts} ({limits})" if limits else counts
    return f"{percent(estimate.value)} ({'; '.join(filter(None, (counts, limits)))})"


def rate(estimate: Estimate) -> str:
    """A mean share over tasks: ``82 % (70–90 %)``."""
    limits = f" ({share_limits(estimate)})" if estimate.interval else ""
    return percent(estimate.value) + limits


def change(estimate: Estimate) -> str:
    """A difference of shares: ``+16 (−4 to +36)`` in points."""
    if estimate.interval is None:
        return points(estimate.value)
    low, high = estimate.interval
    return f"{points(estimate.value)} ({points(low)} to {points(high)})"


def money(estimate: Estimate) -> str:
    """A mean in dollars: ``$0.12 ($0.10 to $0.14)``."""
    if estimate.interval is None:
        return usd(estimate.value)
    low, high = estimate.interval
    return f"{usd(estimate.value)} ({usd(low)} to {usd(high)})"


def extra_money(estimate: Estimate) -> str:
    """A difference in dollars: ``+$0.12 (−$0.10 to +$0.14)``."""
    if estimate.interval is None:
        return extra_usd(estimate.value)
    low, high = estimate.interval
    return f"{extra_usd(estimate.value)} ({extra_usd(low)} to {extra_usd(high)})"


def number(figure: float | None, digits: int = 2) -> str:
    """A plain number, or '–'."""
    return UNKNOWN if figure is None else signed(f"{figure:.{digits}f}")


def count(figure: int | None) -> str:
    """A count, or '–'."""
    return UNKNOWN if figure is None else str(figure)


def of(part: int | None, whole: int) -> str:
    """``41/50``, or '–' where nothing is known."""
    return UNKNOWN if part is None else f"{part}/{whole}"


def listing(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a; b; and c``."""
    if len(parts) < 3:  # noqa: PLR2004  # two need no semicolon
        return " and ".join(parts)
    return "; ".join([*parts[:-1], "and " + parts[-1]])


def each(numbers: Collection[int], noun: str) -> str:
    """How many each of several things has: ``5 requirements``, or ``3 to 5 requirements``."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    return plural(high, noun) if low == high else f"{low} to {plural(high, noun)}"


def plural(n: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{n} {noun}" + ("" if n == 1 else "s")

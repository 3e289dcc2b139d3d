"""How long and how often the gateway tries again before the agent hears of it."""

import datetime as dt
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gatebench.model.backoff import Backoff

_EPOCH = re.compile(r"\|\s*(\d{10})\b")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]|\s+at\s+)(\d{2}:\d{2})(?::\d{2})?\s*(?:UTC|Z)")
_RESET = "anthropic-ratelimit-unified-reset"


@dataclass(frozen=True)
class Patience:
    """The limits; seconds throughout."""

    tries: int = 10
    """Of one call, the first included; waiting out a usage limit doesn't count."""
    wait_s: float = 480.0
    """Between the tries of one call, all told: the CLI gives up after 600 s, pings or not."""
    first_s: float = 1.0
    """Before the second try; doubles from try to try."""
    most_s: float = 60.0
    """Between two tries, where the provider names no time of its own."""
    stall_s: float = 180.0
    """Without a byte of a stream."""
    whole_s: float = 900.0
    """For an answer that isn't streamed, and so says nothing until it is whole."""
    connect_s: float = 15.0
    pause_s: float = 540.0
    """For a usage limit to lift; one that lies further off ends the job, resumable."""
    hold_s: float = 540.0
    """The same with no call open, between trials: the job waits and runs the trial again."""
    unknown_s: float = 300.0
    """How long to wait for a usage limit that doesn't say when it lifts."""

    def backoff(self, failures: int, draw: Callable[[], float] = random.random) -> float:
        """Seconds before the next try after that many failures."""
        return Backoff(self.first_s, self.most_s).wait_s(failures, draw)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the provider asks to wait; ``None`` where it doesn't.

    Args:
        headers: of its answer; names in any case.
        now: seconds since 1970.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is not None and (seconds := _seconds(said, scale, now)) is not None:
            return seconds
    return None


def lifts_in(headers: Mapping[str, str], said: str, now: float) -> float | None:
    """Seconds until a usage limit lifts, from a header or the words; ``None`` if untold."""
    if (told := headers.get(_RESET)) and told.isdigit():
        return max(0.0, int(told) - now)
    if found := _EPOCH.search(said):
        return max(0.0, int(found[1]) - now)
    if found := _DATE.search(said):
        moment = dt.datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00")
        return max(0.0, moment.timestamp() - now)
    return retry_after(headers, now)


def _seconds(said: str, scale: float, now: float) -> float | None:
    try:
        seconds = float(said) * scale
    except ValueError:
        seconds = _until(said, now)
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124  # NaN


def _until(said: str, now: float) -> float:
    try:
        return parsedate_to_datetime(said).timestamp() - now
    except (ValueError, TypeError):
        return float("nan")
